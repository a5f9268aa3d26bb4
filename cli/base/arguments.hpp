#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/base/option.hpp"

namespace stcsim {

/// What a user typed after a command's name: options "--name value" or "--name=value", and plain
/// arguments. Every problem is a ConfigError of one line: unknown options (with the nearest one
/// suggested), repeated ones that may not be, missing or superfluous values and arguments, ones
/// without another that they need or beside one that excludes them, numbers that are none or out of
/// range.
class Arguments {
 public:
  /// @param plain  arguments in their order. One may have an option's name and stands for it; the
  ///   last one, if it repeats, takes all that follow
  Arguments(const Options& options, const Options& plain, const std::vector<std::string>& words);

  /// True if the option, or the plain argument, was given.
  [[nodiscard]] bool has(const Option& option) const { return values_.count(option.name) != 0; }
  /// Values of an option in the order given; empty if it was not.
  [[nodiscard]] std::vector<std::string> all(const Option& option) const;

  /// A text that is not empty. Without a fallback the option is required.
  [[nodiscard]] std::string text(const Option& option) const;
  [[nodiscard]] std::string text_or(const Option& option, const std::string& fallback) const;

  /// Decimal digits within [min, max].
  [[nodiscard]] std::int64_t integer(const Option& option, std::int64_t min,
                                     std::int64_t max) const;
  [[nodiscard]] std::int64_t integer_or(const Option& option, std::int64_t fallback,
                                        std::int64_t min, std::int64_t max) const;
  /// A finite number.
  [[nodiscard]] double number(const Option& option) const;
  /// A finite number from 0.
  [[nodiscard]] double not_negative_or(const Option& option, double fallback) const;

  /// Index of the value in the words that the option says it takes, or in `names`, whatever the
  /// case of its letters; 0 without it.
  [[nodiscard]] std::size_t choice(const Option& option) const;
  [[nodiscard]] std::size_t choose(const Option& option,
                                   const std::vector<std::string>& names) const;

  /// Those of these that were given, as words of a shell: {"--arch a100", "--set a=1"}; plain
  /// arguments by their value alone.
  [[nodiscard]] std::vector<std::string> again(const Options& options) const;

  /// Throws "--name is 'value', must be <right>".
  [[noreturn]] void refuse(const Option& option, const std::string& right) const;
  /// Throws if it was given and `condition` does not hold: "--name <why>".
  void allow_only_if(bool condition, const Option& option, const std::string& why) const;

 private:
  /// What the options' table refuses without others, and beside them.
  void check(const Options& options) const;
  void take_plain(const Options& plain, const std::vector<std::string>& given);

  std::map<std::string, std::vector<std::string>> values_;
};

}  // namespace stcsim
