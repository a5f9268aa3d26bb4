#include "workloads/framework.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "common/io/csv_table.hpp"

namespace stcsim {
namespace {

constexpr std::array<std::string_view, kStreamKinds> kStreamKindNames{
    "normalisation", "activation", "softmax", "dropout",   "residual", "pooling",  "bias",
    "loss",          "casts",      "layout",  "optimizer", "pruning",  "launches", "sparse_calls"};

constexpr std::array<std::string_view, 16> kPassTensorNames{
    "x", "dx", "z", "dz", "y", "dy", "mask",      "a",
    "b", "w",  "g", "m",  "v", "u",  "untouched", "channel"};

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::optional<PassTensor> tensor_named(std::string_view name) {
  const auto* const at = std::find(kPassTensorNames.begin(), kPassTensorNames.end(), name);
  if (at == kPassTensorNames.end()) return std::nullopt;
  return static_cast<PassTensor>(at - kPassTensorNames.begin());
}

/// "0.5 x.fp32"
std::optional<Pass> pass_from_string(std::string_view text) {
  constexpr double kMostTimes = 1000;
  Pass pass;
  const auto [end, error] = number_from(text.data(), text.data() + text.size(), pass.times);
  if (error == std::errc()) {
    if (!(pass.times > 0 && pass.times <= kMostTimes)) return std::nullopt;
    text = without_blanks(text.substr(static_cast<std::size_t>(end - text.data())));
  }
  const std::size_t dot = std::min(text.find('.'), text.size());
  const auto tensor = tensor_named(text.substr(0, dot));
  if (!tensor) return std::nullopt;
  pass.tensor = *tensor;
  if (dot == text.size()) return pass;
  pass.type = text.substr(dot + 1);
  if (!bits_of_stored(pass.type)) return std::nullopt;
  return pass;
}

}  // namespace

std::string_view to_string(StreamKind kind) {
  return kStreamKindNames.at(static_cast<std::size_t>(kind));
}

std::string_view to_string(PruningKernels kernels) {
  return kernels == PruningKernels::fused ? "fused" : "separate";
}

std::string_view to_string(PassTensor tensor) {
  return kPassTensorNames.at(static_cast<std::size_t>(tensor));
}

std::optional<std::vector<Pass>> passes_from_string(std::string_view text) {
  std::vector<Pass> passes;
  text = without_blanks(text);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const auto pass = pass_from_string(without_blanks(text.substr(at, end - at)));
    if (!pass || end + 1 == text.size()) return std::nullopt;
    passes.push_back(*pass);
    at = end + 1;
  }
  return passes;
}

std::string to_string(const std::vector<Pass>& passes) {
  std::string text;
  for (const Pass& pass : passes) {
    if (!text.empty()) text += " + ";
    if (pass.times != 1) text += fmt::format("{} ", pass.times);
    text += to_string(pass.tensor);
    if (!pass.type.empty()) text += "." + pass.type;
  }
  return text;
}

std::optional<std::vector<StreamOp>> SequenceText::read(std::string_view text) {
  std::vector<StreamOp> operations;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('+', at), text.size());
    const auto op = value_named(text.substr(at, end - at), kLastStreamOp);
    if (!op) return std::nullopt;
    operations.push_back(*op);
    at = end + 1;
  }
  return operations;
}

std::string SequenceText::write(const std::vector<StreamOp>& operations) {
  std::string text;
  for (const StreamOp op : operations)
    text += (text.empty() ? "" : "+") + std::string(to_string(op));
  return text;
}

}  // namespace stcsim
