#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/program_options/options_description.hpp>

namespace stcsim {

/// What a user may say to a command, described once: a member of the command's table of options, or
/// a plain argument. It is read by its description, and has the name alone in common with that of
/// another table.
struct Option {
  const char* name;
  /// As the help has it: "FILE", or the words that there are, "table|json|csv", of which the first
  /// holds without the option; "" of a switch.
  const char* value = "";
  const char* help = "";
  /// The option without which this one is refused, and the one beside which it is.
  const Option* needed = nullptr;
  const Option* excluded = nullptr;
  /// What is said of those that this one excludes.
  const char* refusal = "";
  /// Stands for {} in the help; of a plain argument or --arch, follows "is missing".
  const char* example = "";
  /// Another name of one letter; 0: none.
  char letter = 0;
  bool repeats = false;
  /// Of a plain argument: it may be left out.
  bool is_optional = false;
  /// Whether a next command about the same GEMM has it, and a line of `eval` may.
  bool in_next = true;
  bool in_eval = false;

  /// Stands before what calls it: Clang does not look ahead.
  template <class Value>
  [[nodiscard]] constexpr Option with(Value Option::*member,
                                      std::type_identity_t<Value> given) const {
    Option other = *this;
    other.*member = given;
    return other;
  }
  /// The same, but for what is said and needed.
  [[nodiscard]] constexpr Option as(const char* other_value, const char* other_help,
                                    const Option* needs = nullptr) const {
    return with(&Option::value, other_value)
        .with(&Option::help, other_help)
        .with(&Option::needed, needs);
  }
  [[nodiscard]] constexpr Option like(const char* text) const {
    return with(&Option::example, text);
  }
  [[nodiscard]] constexpr Option or_letter(char one) const { return with(&Option::letter, one); }
  [[nodiscard]] constexpr Option repeated() const { return with(&Option::repeats, true); }
  [[nodiscard]] constexpr Option optional() const { return with(&Option::is_optional, true); }
  [[nodiscard]] constexpr Option not_in_next() const { return with(&Option::in_next, false); }
  [[nodiscard]] constexpr Option of_eval() const { return with(&Option::in_eval, true); }
  [[nodiscard]] constexpr Option not_with(const Option* one) const {
    return with(&Option::excluded, one);
  }
  [[nodiscard]] constexpr Option refusing(const char* text) const {
    return with(&Option::refusal, text);
  }

  /// As the user types it: "--name", or "EXPERIMENT" (upper case) of a plain argument.
  [[nodiscard]] std::string spelled() const;
  /// The words that the value may be.
  [[nodiscard]] std::vector<std::string> words() const;
};

using Options = std::vector<Option>;

/// As the parser and the help take them.
[[nodiscard]] boost::program_options::options_description described(const Options& options);

/// The members of a table, which has options and other tables only, in their order.
template <class Table>
[[nodiscard]] Options options_of() {
  static constexpr Table table;  // its members point to each other
  static_assert(sizeof(Table) % sizeof(Option) == 0);
  const auto all = std::bit_cast<std::array<Option, sizeof(Table) / sizeof(Option)>>(table);
  return {all.begin(), all.end()};
}

}  // namespace stcsim
