#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/base/arguments.hpp"
#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "workloads/files/import.hpp"

namespace stcsim {

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
  Option extrapolate{"extrapolate"};
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
  Option out{"out"};
  Option output{"output", "FILE", "write to a file instead of standard output"};
  Option parallel{"parallel"};
  Option phase{"phase"};
  Option results{"results"};
  Option scheme{"scheme"};
  Option schemes{"schemes"};
  Option seed{"seed", "S", "seed of bootstrap and permutation test (default 1)"};
  Option set =
      Option{"set", "KEY=VALUE", "replace a value of the configuration, e.g. {}; may be repeated"}
          .repeated();
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

/// --target, which must be given: "76", or "dense-0.3" for so many points below where dense ends.
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
