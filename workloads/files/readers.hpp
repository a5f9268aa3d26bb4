#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "workloads/files/import.hpp"

namespace stcsim {

/// Reads a Hugging Face `config.json`, the shape of a model as its class in transformers would
/// build it; `architectures` says which head is on top. A model type that is not known is read as
/// the one whose keys it has.
/// @throws ConfigError with everything that is wrong
[[nodiscard]] ImportedNetwork read_hugging_face(const nlohmann::ordered_json& config,
                                                const std::string& file, const std::string& name,
                                                const ImportOptions& options);

/// Whether a map of JSON is such a configuration: it has a model's type, or sizes as these have.
[[nodiscard]] bool is_hugging_face(const nlohmann::ordered_json& config);

/// Reads an ONNX graph (opsets 6 to 24), with or without its weights: convolutions, transposed ones
/// too, Gemm, MatMul, Einsum of two operands, attention as one operator, LSTM, GRU and RNN, the
/// operations between them, branches and bodies. A dimension that the file has no size of is what
/// `sizes` says; of an input's first one, the batch, 1 if nothing does: layers are of a sample.
/// @throws ConfigError with everything that is wrong: sizes that are not stated, products behind
///         operators that are not known
[[nodiscard]] ImportedNetwork read_onnx(const std::filesystem::path& path, const std::string& name,
                                        const ImportOptions& options);

/// Reads a PyTorch profile recorded with shapes: the products and convolutions that ran in its last
/// step, each forward with its gradients by autograd's sequence numbers, how often, and what their
/// kernels took (Layer::measured). Strides that the profile does not state follow from the size of
/// the output: its gradient's, or what the next operator reads.
/// @param keeps_times  as ImportOptions has it
/// @throws ConfigError with all that is wrong: no shapes, convolutions whose output is not known
[[nodiscard]] ImportedNetwork read_trace(const std::filesystem::path& path, const std::string& name,
                                         bool keeps_times = false);

/// The first line of a table that has a record: neither empty nor a remark.
[[nodiscard]] std::string_view first_record(std::string_view table);

/// What stands between the fields of a record: comma, semicolon or tab, whichever comes first.
[[nodiscard]] char separator_of(std::string_view record);

/// Reads a list of GEMMs C[m x n] = A[m x k] B[k x n]: a CSV with a header, columns by name in any
/// order (docs/workloads.md). A row is a layer with a weight A (B if that is the sparse operand),
/// so that schemes prune it; one with a batch is a product of activations. The network is these
/// products alone.
/// @throws ConfigError with all that is wrong
[[nodiscard]] ImportedNetwork read_gemm_list(const std::filesystem::path& path,
                                             const std::string& name);

}  // namespace stcsim
