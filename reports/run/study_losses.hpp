#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"

namespace stcsim {

/// How a command line calls machines and networks of a study whose names are not what it calls
/// them: a machine of a file is the file.
using CalledAs = std::map<std::string, std::string>;

/// A layer in a phase that ran sparse and takes longer than the ideal: the dense cycles times n/m
/// of the hardware's pattern.
struct SparsityLoss {
  /// Of the study it was found in.
  const ResultRow* row = nullptr;
  /// m/n of the hardware's pattern.
  double ideal_gain = 1;
  /// What it takes longer than the ideal, all repeats.
  std::int64_t lost_cycles = 0;
  /// Of what all rows of the scheme lose.
  double share = 0;

  [[nodiscard]] std::int64_t cycles() const { return row->repeat * row->cycles; }
  [[nodiscard]] bool is_slower_than_dense() const { return row->cycles > row->dense_cycles; }
};

/// What a scheme loses against the ideal on a machine, in the training step of a network or in the
/// pass after training.
struct SchemeLosses {
  std::string machine;
  std::string network;
  std::string scheme;
  StudyPass pass = StudyPass::training;
  /// Of all rows that ran sparse; one that is faster than the ideal (a narrower data type than the
  /// dense baseline's) loses nothing.
  std::int64_t lost_cycles = 0;
  /// Up to five, the largest loss first; rows that lose the same in the study's order.
  std::vector<SparsityLoss> worst;
  /// The call that simulates the reasons of the worst row, in parts that belong together
  /// ("--arch a100").
  std::vector<std::string> explain;
};

/// In the study's order; without the schemes of which nothing ran sparse or lost anything, and
/// without the dense baseline. Points into `study`.
/// @throws std::invalid_argument if something is lost and resolved_config is not the text of a JSON
///         object
[[nodiscard]] std::vector<SchemeLosses> study_losses(const StudyResult& study,
                                                     const CalledAs& called_as = {});

/// Where sparsity loses: a table for each scheme of each machine, network and pass, the one that
/// loses most first, each with the call that says more. "" if nothing is lost.
[[nodiscard]] std::string losses_tables(const StudyResult& study, std::size_t width = kAnyWidth,
                                        const CalledAs& called_as = {});

/// The same for programs: an array with an object per machine, network, pass and scheme.
[[nodiscard]] nlohmann::ordered_json losses_json(const StudyResult& study);

}  // namespace stcsim
