#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/program_options/options_description.hpp>

namespace stcsim {

/// What a user typed after a command's name: options "--name value" or "--name=value", and plain
/// arguments. Every problem is a ConfigError of one line: unknown options (with the nearest one
/// suggested), repeated ones unless their value is composing, missing or superfluous values and
/// arguments, numbers that are none or out of range.
class Arguments {
 public:
  /// @param options values of type std::string, or std::vector<std::string> if composing
  /// @param plain names of the plain arguments, all required. One in brackets, "[KIND]", is not,
  ///   and one called as an option, "[m]", stands for it; the last one may take all that follow:
  ///   "FILE...", or "[FILE]..." if there may be none
  Arguments(const boost::program_options::options_description& options,
            const std::vector<std::string>& plain, const std::vector<std::string>& words);

  /// True if the option, or the plain argument, was given.
  [[nodiscard]] bool has(const std::string& name) const { return values_.count(name) != 0; }
  /// Values of an option in the order given; empty if it was not.
  [[nodiscard]] std::vector<std::string> all(const std::string& name) const;

  /// A text that is not empty. Without a fallback the option is required.
  [[nodiscard]] std::string text(const std::string& name) const;
  [[nodiscard]] std::string text_or(const std::string& name, const std::string& fallback) const;

  /// Decimal digits within [min, max].
  [[nodiscard]] std::int64_t integer(const std::string& name, std::int64_t min,
                                     std::int64_t max) const;
  [[nodiscard]] std::int64_t integer_or(const std::string& name, std::int64_t fallback,
                                        std::int64_t min, std::int64_t max) const;
  /// A finite number.
  [[nodiscard]] double number(const std::string& name) const;
  /// A finite number from 0.
  [[nodiscard]] double not_negative_or(const std::string& name, double fallback) const;

  /// One of the names of `table`.
  template <class Value, std::size_t count>
  [[nodiscard]] Value choice_or(
      const std::string& name, Value fallback,
      const std::array<std::pair<std::string_view, Value>, count>& table) const {
    if (!has(name)) return fallback;
    std::vector<std::string> names;
    for (const auto& entry : table) names.emplace_back(entry.first);
    return table.at(choose(name, names)).second;
  }
  /// Index of the value in `names`, whatever the case of its letters.
  [[nodiscard]] std::size_t choose(const std::string& name,
                                   const std::vector<std::string>& names) const;

  /// Those of these that were given, as words of a shell: {"--arch a100", "--set a=1"}; plain
  /// arguments by their value alone.
  [[nodiscard]] std::vector<std::string> again(std::initializer_list<const char*> names) const;

  /// Throws "--name is 'value', must be <right>".
  [[noreturn]] void refuse(const std::string& name, const std::string& right) const;
  /// Throws if `name` was given and `condition` does not hold: "--name <why>".
  void allow_only_if(bool condition, const std::string& name, const std::string& why) const;

 private:
  void take_plain(const std::vector<std::string>& plain, const std::vector<std::string>& given);

  std::map<std::string, std::vector<std::string>> values_;
};

/// As the user types it: "--name" for an option, "EXPERIMENT" (upper case) for a plain argument.
[[nodiscard]] std::string spelled(const std::string& name);

}  // namespace stcsim
