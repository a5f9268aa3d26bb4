#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/base/option.hpp"
#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "workloads/files/import.hpp"

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

/// Exit codes of the program; an interrupted one ends with 128 + the signal's number.
inline constexpr int kExitFine = 0;
inline constexpr int kExitDifferent = 1;  // a check found a difference
inline constexpr int kExitUsage = 2;      // a wrong option or configuration
inline constexpr int kExitFailed = 3;     // a simulation failed

/// Forms of a command's data; the help says which of them it has.
enum class Format : std::uint8_t { table, json, csv, markdown, yaml, junit, schema };

/// Options that several commands have; what a command says otherwise of one stands in its table.
struct CommonOptions {
  Option against{"against"};
  Option arch = Option{"arch"}.like(", e.g. --arch a100 ('stcsim list arch' shows all)");
  Option batch{"batch"};
  Option cache{"cache", "DIR",
               "keep the result of every point in this directory and simulate only what is not in "
               "it (default: no cache)"};
  Option candidates{"candidates"};
  Option clock{"clock", "MHZ", "lock the clock (default: the one that the board's power allows)"};
  Option costs{"costs", "TABLE", "areas: a shipped table, or a file (default ga100_7nm)"};
  Option draws{"draws"};
  Option dtype{"dtype"};
  Option explain{"explain"};
  Option fast_forward{
      "fast-forward", "on|off",
      "skip what recurs in a simulated kernel; the figures stay the same (default on)"};
  Option format{"format", "table|json|csv", "form of the output (default table)"};
  Option functional{"functional"};
  Option html{"html", "FILE", "also write a page of it, to open in a browser"};
  Option jobs{"jobs", "N", "worker processes, or 'auto' for all cores (default 1)"};
  Option layers{"layers"};
  Option max{"max"};
  Option metric{"metric"};
  Option no_spread{"no-spread", "", "leave out the machine's other software: much quicker"};
  Option out{"out"};
  Option output{"output", "FILE", "write to a file instead of standard output"};
  Option parallel{"parallel"};
  Option framework{"framework"};
  Option phase{"phase"};
  Option results{"results"};
  Option scheme{"scheme"};
  Option schemes{"schemes"};
  Option seed{"seed", "S", "seed of bootstrap and permutation test (default 1)"};
  Option set =
      Option{"set", "KEY=VALUE", "replace a value of the configuration, e.g. {}; may be repeated"}
          .repeated();
  Option svg{"svg", "DIR",
             "also write the page's charts for print (.svg) and their numbers (.csv) into this "
             "directory"};
  Option target{"target"};

  Option experiment{"EXPERIMENT"};
  Option file{"FILE"};
  Option space{"SPACE"};
};
inline constexpr CommonOptions kCommon;

/// Most samples that --batch may ask for.
inline constexpr std::int64_t kMaxBatch = 1'000'000'000;
/// --batch as an override of a network's key; none without it.
[[nodiscard]] std::vector<std::string> batch_overrides(const Arguments& arguments);

/// What other people's files of models do not say; with --batch.
struct SizeOptions {
  Option tokens{"tokens", "N", "tokens of a sample of an imported model"};
  Option size = Option{"size", "NAME=N",
                       "a size that an imported file only names: a dimension of an ONNX graph, "
                       "'masked' or 'target' tokens; may be repeated"}
                    .repeated();
};
inline constexpr SizeOptions kSizes;
[[nodiscard]] ImportOptions import_options_of(const Arguments& arguments);

/// --target, which must be given: "76", or "dense-0.3" for so many points below where dense ends,
/// and "dense+0.02nats" for so much above, which is -0.02.
struct AccuracyTarget {
  double value = 0;
  bool is_loss = false;
};
[[nodiscard]] AccuracyTarget accuracy_target_of(const Arguments& arguments);

/// What stands between the commas of an option's text; nothing between two is an error.
[[nodiscard]] std::vector<std::string> comma_list(const Arguments& arguments, const Option& option);
/// A value of an enumeration by its name.
template <class Value>
[[nodiscard]] Value value_of(const Arguments& arguments, const Option& option, Value last) {
  const auto values = names_until(last);
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.emplace_back(name);
  return values[arguments.choose(option, names)].second;
}

/// --dtype, a type of operands; it must be given.
[[nodiscard]] DataType dtype_given(const Arguments& arguments);
/// The worker processes asked for, 1 without --jobs; `auto` is all cores.
[[nodiscard]] std::int64_t jobs_of(const Arguments& arguments);
/// --seed, 1 without it.
[[nodiscard]] std::uint64_t seed_of(const Arguments& arguments);
/// True without --fast-forward.
[[nodiscard]] bool fast_forward_of(const Arguments& arguments);
/// --format, one of the words that the option says; the first of them without it.
[[nodiscard]] Format format_of(const Arguments& arguments, const Option& option = kCommon.format);

}  // namespace stcsim
