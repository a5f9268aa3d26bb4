#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/format.hpp"
#include "sim/run/result.hpp"
#include "sim/study/validated_errors.hpp"

namespace stcsim {

/// Every line as an item of a list in Markdown.
[[nodiscard]] std::string markdown_list(const std::string& lines);

/// What a study found, one line per machine, network and pass:
///   "resnet50 on a100: dense step 80.0 ms; fastest sdgp, 75.1 ms (1.07x), 52 of its 52 products
///   sparse".
/// Schemes whose sums lack a point are not compared but counted.
[[nodiscard]] std::string study_answer(const StudyResult& study);

/// "1.04x..1.10x", and of microseconds "56.1 us..69.2 us"
[[nodiscard]] std::string format_between(const LikelyInterval& interval);
[[nodiscard]] std::string format_times_between(const LikelyInterval& interval);

/// "  likely 56.1 us..69.2 us, dense 83 us..99 us, gain 1.31x..1.62x", where measured values lie,
/// as a line, "; assumed" where the errors are of other cards or types; "" where that is not known.
/// @param with_dense  beside the dense baseline
[[nodiscard]] std::string likely_line(const GemmIntervals& likely, bool with_dense);

/// "with searched kernels": how software chooses, beside another that chooses otherwise.
[[nodiscard]] std::string stack_text(const std::string& stack);

/// "with searched kernels 1.02x, best of all kernels 1.04x": what else it gains with other
/// software; "" of none.
[[nodiscard]] std::string beside_text(const std::vector<StackGain>& beside);

/// What the columns of intervals and verdicts say, and which machines' errors are assumed; "" if no
/// interval is known.
[[nodiscard]] std::string interval_line(const StudyResult& study);

/// "clock: 1410 MHz; the dense step draws 247 W"; "" where there is nothing to say: it is the
/// machine's own, and nothing is known of its power.
[[nodiscard]] std::string clock_text(const StudyTotal& total);

/// One table per machine, network and pass: what all kernels beside the matrix products take, by
/// what they are there for, in the dense step and in that of the fastest scheme. What takes no time
/// is left out; "" where all is nothing.
[[nodiscard]] std::string kind_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// One table per machine and network: what the training step needs of the machine's memory, for
/// `dense` and every scheme that needs another amount. "" where no training step was simulated.
[[nodiscard]] std::string memory_tables(const StudyResult& study, std::size_t width = kAnyWidth);

/// "  DOES NOT FIT: 211 GB of 85.9 GB: dense, asp\n" of the totals of a machine, network and pass:
/// what the largest needs. "" if all fit.
[[nodiscard]] std::string misfit_line(const std::vector<const StudyTotal*>& totals);
/// The same for each machine and network, named before it.
[[nodiscard]] std::string memory_notes(const StudyResult& study);

}  // namespace stcsim
