#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "common/data_type.hpp"
#include "common/pattern.hpp"
#include "common/phase.hpp"

namespace stcsim {

/// The distinct data of an operand. An implicit-im2col operand repeats each activation once per
/// filter tap: rows and reduction indices then wrap around at these counts. 0 = no reuse.
struct Footprint {
  std::int64_t unique_rows = 0;
  std::int64_t unique_k = 0;

  friend auto operator<=>(const Footprint&, const Footprint&) = default;
};

/// Order of the two axes in memory. For A and B, `k_major` has the reduction axis contiguous.
enum class OperandLayout : std::uint8_t { k_major, mn_major };
enum class OutputLayout : std::uint8_t { row_major, column_major };

/// The pass of a convolution that a product is, as libraries of convolutions choose by it.
struct ConvolutionPass {
  Phase phase = Phase::forward;
  /// R * S; of a strided dgrad those that reach the pixels of its class.
  std::int64_t taps = 1;

  friend auto operator<=>(const ConvolutionPass&, const ConvolutionPass&) = default;
};

/// C[M x N] = A[M x K] * B[K x N], `batch_count` independent times. Of the operands only A may be
/// sparse; a GEMM whose right operand is sparse is stated transposed (C^T = B^T A^T).
struct GemmProblem {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t batch_count = 1;
  DataType dtype = DataType::fp16;
  /// Of A, or of the elements of C that are computed (Pattern::of_outputs).
  Pattern a_pattern = kDense;
  Footprint a;
  Footprint b;
  OperandLayout a_layout = OperandLayout::k_major;
  OperandLayout b_layout = OperandLayout::k_major;
  OutputLayout c_layout = OutputLayout::row_major;
  /// The epilogue keeps the n largest of each group of m along the axis of C that is contiguous in
  /// memory, and writes them with their metadata; dense: it writes all of C.
  Pattern c_pattern = kDense;
  /// Nothing: it is none of a convolution's.
  std::optional<ConvolutionPass> convolution = std::nullopt;

  friend auto operator<=>(const GemmProblem&, const GemmProblem&) = default;

  /// "A 2:4", "A dense", "2:4 outputs".
  [[nodiscard]] std::string sparsity() const {
    return (a_pattern.of_outputs ? "" : "A ") + a_pattern.to_string();
  }
  /// Dense-equivalent multiply-accumulates of the whole batch.
  [[nodiscard]] std::int64_t macs() const { return m * n * k * batch_count; }
};

/// The product of a kernel that leaves out the columns of A which its pattern V:2:m does not
/// select, and the rows of B that belong to them: 2:4 with a K of 4 * ceil(K / m). The last group
/// counts four columns also where it has fewer.
[[nodiscard]] GemmProblem of_selected_columns(const GemmProblem& problem);

/// Whether windows of 2:4 hold every tensor of this pattern: (2N-2):2N, N from 3 on. A group's N -
/// 1 windows of four elements overlap by two, and each keeps two of what the ones before it left:
/// no non-zero is left over (SlideSparse, arXiv 2603.05232).
[[nodiscard]] bool slides(Pattern pattern);

/// The product of the windows: 2:4 with a K stretched (2N-2)/N times, of every group its windows
/// one after the other, the whole padded to 32 as the libraries ask. B's rows are copied as often
/// as windows hold them.
[[nodiscard]] GemmProblem of_windows(const GemmProblem& problem);

/// Blocks of rows of A that select columns of their own: ceil(M / V).
[[nodiscard]] std::int64_t column_blocks(const GemmProblem& problem);

/// Throws ConfigError if a dimension is below 1 or the problem overflows the 63-bit counts
/// (elements, bytes, MACs) the simulator keeps. `what` names the problem in the message.
void validate(const GemmProblem& problem, const std::string& what);

/// The grid of a stream kernel whose CTAs loop over their share of the data.
struct StreamGrid {
  /// 0: the kernel has as many CTAs as its bytes ask for, none of which loops.
  std::int64_t ctas = 0;
  /// In each CTA; a multiple of 32.
  std::int64_t threads = 0;
  /// Bytes a CTA reads at a time: it asks for the next when this has come.
  std::int64_t trip_bytes = 0;
  /// Times it goes over what it reads, from the beginning to the end.
  std::int64_t passes = 1;
  /// Sums along columns, whose rows several CTAs share: CTAs side by side, of which each has other
  /// columns; 0: a CTA has whole columns.
  std::int64_t columns = 0;
  /// Threads of the last CTA of a column that share in adding up the others' sums; 0: there are
  /// none.
  std::int64_t sum_threads = 0;
  /// Instructions of each thread beside `vector_ops`, as for addresses and sums between lanes.
  std::int64_t thread_ops = 0;
  /// `ctas` is a bound: so few share the rows that all are on the machine at a time.
  bool at_a_time = false;

  friend auto operator<=>(const StreamGrid&, const StreamGrid&) = default;
};

/// Bytes that stream kernels (normalisation, activation, optimizer, ...) move through memory.
struct StreamWork {
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  /// Vector-lane operations (one per element and arithmetic step).
  std::int64_t vector_ops = 0;
  /// Those of `vector_ops` that compare, select or compute with integers.
  std::int64_t integer_ops = 0;
  StreamGrid grid = {};

  friend auto operator<=>(const StreamWork&, const StreamWork&) = default;
};

}  // namespace stcsim
