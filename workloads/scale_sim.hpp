#pragma once

#include <filesystem>

#include "workloads/layer.hpp"

namespace stcsim {

/// Reads a SCALE-Sim (v2, v3) topology: a network of one sample per step, named after the file,
/// with no stream work, whose every layer trains in all three phases. The first line is the header
/// (scale_sim_header.hpp): it says which column stands where, and with columns M, N and K the rows
/// are GEMMs, otherwise convolutions.
///
///   Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter,
///       Strides[, Sparsity],
///   Layer, M, N, K[, Sparsity],
///
/// As SCALE-Sim reads them (scalesim/topology_utils.py):
///  - Convolutions are not padded, and a last window that hangs over the edge counts: the output is
///    ceil((input - filter) / stride) + 1 pixels. The input grows by the pixels that window lacks.
///  - "DP" in a convolution's name makes it depthwise: every channel has `Num Filter` filters.
///  - A GEMM is a linear layer with M tokens, N output and K input features.
///  - Sparsity "n:m" keeps n of m weights along the input channels (Layer::weight_pattern).
/// A whole number after Strides for which the header has no column is the second stride, which must
/// equal the first. Layers of the same name are numbered from the second on, "conv", "conv#2", and
/// Network::note says so. Blank lines, empty fields at the end of a row and text after '#' are
/// ignored.
/// @throws ConfigError with file:line:column for a malformed header or row, an impossible size, a
///         file without layers, one that is not UTF-8 or larger than 64 MiB
[[nodiscard]] Network load_scale_sim(const std::filesystem::path& path);

}  // namespace stcsim
