#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/program_options/options_description.hpp>

#include "cli/base/arguments.hpp"
#include "common/data_type.hpp"
#include "workloads/files/import.hpp"

namespace stcsim {

/// Exit codes of the program; an interrupted one ends with 128 + the signal's number.
inline constexpr int kExitFine = 0;
inline constexpr int kExitDifferent = 1;  // a check found a difference
inline constexpr int kExitUsage = 2;      // a wrong option or configuration
inline constexpr int kExitFailed = 3;     // a simulation failed

/// Forms of a command's data; the help says which of them it has.
enum class Format : std::uint8_t { table, json, csv, markdown, yaml, junit };

/// Adds an option with a value, shown as `value` in the help.
void add_option(boost::program_options::options_description& options, const char* name,
                const char* value, const char* description);

/// --set, --jobs, --fast-forward and --html as several commands have them.
/// @param example of a key and a value, for the help
void add_set_option(boost::program_options::options_description& options,
                    const std::string& example);
void add_jobs_option(boost::program_options::options_description& options);
void add_fast_forward_option(boost::program_options::options_description& options);
void add_html_option(boost::program_options::options_description& options);

/// Most samples that --batch may ask for.
inline constexpr std::int64_t kMaxBatch = 1'000'000'000;
/// --batch as an override of a network's key; none without it.
[[nodiscard]] std::vector<std::string> batch_overrides(const Arguments& arguments);

/// --tokens and --size: what other people's files of models do not say; with --batch.
void add_import_options(boost::program_options::options_description& options);
[[nodiscard]] ImportOptions import_options_of(const Arguments& arguments);

/// --target, which must be given: "76", or "dense-0.3" for so many points below where dense ends.
struct AccuracyTarget {
  double value = 0;
  bool is_loss = false;
};
[[nodiscard]] AccuracyTarget accuracy_target_of(const Arguments& arguments);

/// What stands between the commas of an option's text; nothing between two is an error.
[[nodiscard]] std::vector<std::string> comma_list(const Arguments& arguments,
                                                  const std::string& option);
/// --dtype, a type of operands; it must be given.
[[nodiscard]] DataType dtype_given(const Arguments& arguments);
/// The worker processes asked for, 1 without --jobs; `auto` is all cores.
[[nodiscard]] std::int64_t jobs_of(const Arguments& arguments);
/// True without --fast-forward.
[[nodiscard]] bool fast_forward_of(const Arguments& arguments);
/// --format, one of `known`; the first of them without it.
[[nodiscard]] Format format_of(const Arguments& arguments,
                               const std::vector<Format>& known = {Format::table, Format::json,
                                                                   Format::csv});

}  // namespace stcsim
