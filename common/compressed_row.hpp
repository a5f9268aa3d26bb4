#pragma once

#include <cstdint>

#include "common/data_type.hpp"
#include "common/metadata_format.hpp"
#include "common/pattern.hpp"

namespace stcsim {

/// What is kept of a piece of one row.
struct RowContents {
  std::int64_t values = 0;
  std::int64_t metadata_bits = 0;
};

/// Of `k` consecutive elements kept as `pattern`: n values of every group of m, and metadata that
/// say where they stood; by default ceil(log2 m) bits each, of pairs one position of
/// ceil(log2(m/2)) bits. A last group that reaches beyond k counts as a whole one. The format of
/// sparse tensor cores, generalised from 2:4 (Mishra et al., "Accelerating Sparse Deep Neural
/// Networks", arXiv:2104.08378, 2021) and from 4:8 pairs (PTX ISA, "Sparse matrix storage").
[[nodiscard]] RowContents row_contents(std::int64_t k, Pattern pattern, MetadataFormat format = {});

/// What a piece of one row of an operand takes in memory, in shared memory and in registers alike.
struct RowBytes {
  std::int64_t values = 0;
  std::int64_t metadata = 0;

  friend bool operator==(const RowBytes&, const RowBytes&) = default;
};

/// The same in bytes, values and metadata in whole ones.
[[nodiscard]] RowBytes row_bytes(std::int64_t k, Pattern pattern, DataType dtype,
                                 MetadataFormat format = {});

}  // namespace stcsim
