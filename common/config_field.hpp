#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "common/data_type.hpp"

namespace stcsim {

/// The word in a machine file instead of a number where something is no limit.
inline constexpr const char* kUnlimited = "unlimited";

/// The effect of a larger number on the time that some launch takes.
enum class Effect : std::uint8_t { none, faster, slower, either };

/// One key of a kind of file. Every configuration struct has a table of them beside its members,
///
///   static void visit_fields(auto& self, auto& visitor);
///
/// which calls for every key, in the order of the documentation,
///
///   visitor.field(key, self.member);  // optional: the default is the member's initial value
///   visitor.field(key, self.member, fallback);  // optional: the default is `fallback`
///   visitor.only(self.kind == Kind::conv, "conv", [&] { visitor.field(...); });  // only of these
///   visitor.together(self.group);  // keys of an optional struct: it is there if one of them is
///   visitor.text(key, self.member, codec);  // a text that codec.read() and codec.write() convert
///
/// Whatever has to know all keys is a visitor: the reader and the writer of files, the key that
/// stored results are found by, the JSON Schema, the documentation, the tests' random machines and
/// the test that every number does something. `self` may be const; a visitor that reads a file
/// fills in the members in order, so that a fallback or a range may depend on the ones before.
///
/// A member is a number, a text, a boolean, a data type, a pattern, an enumeration with to_string()
/// whose values count from 0, a list of these, a tuple of references to numbers (one list in the
/// file), another struct with a table, a list of those, an optional one of any, or a type that
/// reads itself (field_reader.hpp).
struct Field {
  std::string_view key;
  /// "cycles", "bytes/clk", ...: what the documentation calls the value.
  std::string_view unit;
  std::string_view help;
  /// Numbers: from least to most, both included.
  std::int64_t least = 0;
  std::int64_t most = 0;
  /// The same where they are no whole numbers, if above 0; whether `least` itself is too little.
  double least_real = 0;
  double most_real = 0;
  bool is_above_least = false;
  Effect effect = Effect::none;
  /// Where a number has no effect on time: why it is there all the same.
  std::string_view reason;
  bool is_required = true;
  /// The documentation's words where the default depends on other keys.
  std::string_view default_text;
  /// A file may say kUnlimited instead of the largest number allowed.
  bool may_be_unlimited = false;
  /// A pair of numbers: one stands for both.
  bool may_be_one = false;
  /// A text: a whole number need not be in quotes.
  bool may_be_number = false;
  /// Not written where it has its default.
  bool is_omitted = false;
  /// Data types: the ones allowed.
  std::span<const DataType> types;

  [[nodiscard]] constexpr Field from(std::int64_t lowest, std::int64_t highest) const {
    Field copy = *this;
    copy.least = lowest;
    copy.most = highest;
    return copy;
  }
  [[nodiscard]] constexpr Field above(std::int64_t lowest, std::int64_t highest) const {
    Field copy = from(lowest, highest);
    copy.is_above_least = true;
    return copy;
  }
  [[nodiscard]] constexpr Field from_real(double lowest, std::int64_t highest) const {
    Field copy = from(0, highest);
    copy.least_real = lowest;
    return copy;
  }
  [[nodiscard]] constexpr Field up_to(double highest) const {
    Field copy = *this;
    copy.most_real = highest;
    return copy;
  }
  [[nodiscard]] constexpr Field more_is(Effect what) const {
    Field copy = *this;
    copy.effect = what;
    return copy;
  }
  [[nodiscard]] constexpr Field without_effect(std::string_view why) const {
    Field copy = more_is(Effect::none);
    copy.reason = why;
    return copy;
  }
  [[nodiscard]] constexpr Field optional(std::string_view text = "") const {
    Field copy = *this;
    copy.is_required = false;
    copy.default_text = text;
    return copy;
  }
  [[nodiscard]] constexpr Field or_unlimited() const {
    Field copy = *this;
    copy.may_be_unlimited = true;
    return copy;
  }
  [[nodiscard]] constexpr Field or_number() const {
    Field copy = *this;
    copy.may_be_number = true;
    return copy;
  }
  [[nodiscard]] constexpr Field or_one() const {
    Field copy = *this;
    copy.may_be_one = true;
    return copy;
  }
  [[nodiscard]] constexpr Field omitted(std::string_view text) const {
    Field copy = optional(text);
    copy.is_omitted = true;
    return copy;
  }
};

/// Names and values of an enumeration with a to_string(), from the first, 0, to `last`.
template <class Value>
[[nodiscard]] std::vector<std::pair<std::string_view, Value>> names_until(Value last) {
  std::vector<std::pair<std::string_view, Value>> names;
  for (int index = 0; index <= static_cast<int>(last); ++index) {
    const auto value = static_cast<Value>(index);
    names.emplace_back(to_string(value), value);
  }
  return names;
}

/// The value of an enumeration with that name, if it is one up to `last`.
template <class Value>
[[nodiscard]] std::optional<Value> value_named(std::string_view text, Value last) {
  for (const auto& [name, value] : names_until(last)) {
    if (name == text) return value;
  }
  return std::nullopt;
}

/// Stands for a member where another reader takes what the key has.
struct ReadElsewhere {};

/// A struct with a table of its keys.
template <class Config>
concept HasFields = requires {
  &Config::template visit_fields<const Config, int>;
};

/// Keys by unit. The limits catch a wrong unit: they lie far above any machine.
namespace field {

inline constexpr std::int64_t kMostCycles = 1'000'000'000;
inline constexpr std::int64_t kMostBytesPerClk = 1'000'000'000;
inline constexpr std::int64_t kMostBytes = 1'000'000'000'000'000;
inline constexpr std::int64_t kMostUnits = 65536;

constexpr Field of(std::string_view key, std::string_view unit, std::string_view help) {
  Field made;
  made.key = key;
  made.unit = unit;
  made.help = help;
  return made;
}

/// A latency or an overhead.
constexpr Field cycles(std::string_view key, std::string_view help) {
  return of(key, "cycles", help).from(0, kMostCycles).more_is(Effect::slower);
}
/// A width.
constexpr Field bytes_per_clk(std::string_view key, std::string_view help) {
  return of(key, "bytes/clk", help)
      .from(1, kMostBytesPerClk)
      .more_is(Effect::faster)
      .or_unlimited();
}
/// A capacity.
constexpr Field bytes(std::string_view key, std::string_view help) {
  return of(key, "bytes", help).from(1, kMostBytes).more_is(Effect::faster);
}
/// A number of parts that work side by side.
constexpr Field count(std::string_view key, std::string_view help) {
  return of(key, "count", help).from(1, kMostUnits).more_is(Effect::faster);
}
/// A size of software or of an instruction.
constexpr Field elements(std::string_view key, std::string_view help) {
  return of(key, "elements", help).more_is(Effect::either);
}
constexpr Field text(std::string_view key, std::string_view help) {
  return of(key, "text", help);
}
constexpr Field optional_text(std::string_view key, std::string_view help) {
  return text(key, help).omitted("none");
}
/// One value of an enumeration, or several, up to `last`.
constexpr Field one_of(std::string_view key, std::string_view help, auto last) {
  return of(key, "name", help).from(0, static_cast<std::int64_t>(last));
}
constexpr Field some_of(std::string_view key, std::string_view help, auto last) {
  return of(key, "names", help).from(0, static_cast<std::int64_t>(last));
}
/// A number that has no effect on the time of a launch by itself.
constexpr Field positive(std::string_view key, std::string_view help) {
  return of(key, "count", help).from(1, kMostBytes);
}
constexpr Field not_negative(std::string_view key, std::string_view help) {
  return of(key, "count", help).from(0, kMostBytes);
}
constexpr Field real(std::string_view key, std::string_view help) {
  return of(key, "number", help);
}
constexpr Field flag(std::string_view key, std::string_view help) {
  return of(key, "boolean", help);
}
constexpr Field pattern(std::string_view key, std::string_view help) {
  return of(key, "pattern", help);
}
constexpr Field type(std::string_view key, std::string_view help, std::span<const DataType> types) {
  Field made = of(key, "data type", help);
  made.types = types;
  return made;
}
/// Several of them.
constexpr Field types(std::string_view key, std::string_view help,
                      std::span<const DataType> types) {
  Field made = of(key, "data types", help);
  made.types = types;
  return made;
}
/// The struct of one unit.
constexpr Field map(std::string_view key, std::string_view help) {
  return of(key, "map", help);
}
constexpr Field list(std::string_view key, std::string_view help) {
  return of(key, "list", help);
}

}  // namespace field

}  // namespace stcsim
