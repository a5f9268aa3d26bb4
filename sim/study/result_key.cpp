#include "sim/study/result_key.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/sha256.hpp"
#include "sim/config/machine_json.hpp"

namespace stcsim {
namespace {

using Json = nlohmann::json;

// The structured bindings name every field: a new one does not compile until it is part of the key.

Json to_json(const Footprint& footprint) {
  const auto& [unique_rows, unique_k] = footprint;
  return {unique_rows, unique_k};
}

Json to_json(const GemmProblem& gemm) {
  const auto& [m, n, k, batch_count, dtype, a_pattern, a, b, a_layout, b_layout, c_layout] = gemm;
  return {{"m", m},
          {"n", n},
          {"k", k},
          {"batch_count", batch_count},
          {"dtype", to_string(dtype)},
          {"a_pattern", a_pattern.to_string()},
          {"a", to_json(a)},
          {"b", to_json(b)},
          {"a_layout", a_layout},
          {"b_layout", b_layout},
          {"c_layout", c_layout}};
}

Json to_json(const StreamWork& work) {
  const auto& [read_bytes, write_bytes, vector_ops, grid] = work;
  const auto& [ctas, threads, trip_bytes, passes] = grid;
  return {{"read_bytes", read_bytes}, {"write_bytes", write_bytes},
          {"vector_ops", vector_ops}, {"ctas", ctas},
          {"threads", threads},       {"trip_bytes", trip_bytes},
          {"passes", passes}};
}

Json to_json(const KernelPolicy& policy) {
  const auto& [kernel, candidates, stack, sampled] = policy;
  Json json{{"kernel", kernel},
            {"stack", stack},
            {"candidates", candidates ? Json(*candidates) : Json()}};
  if (sampled) json["sampled"] = true;
  return json;
}

Json machine_json(const MachineConfig& machine) {
  Json json = to_json(machine);
  json.erase("name");
  json.erase("description");
  return json;
}

void erase_sparse_kernels(Json& owner) {
  Json kept = Json::array();
  for (Json& kernel : owner["kernels"]) {
    if (!kernel.value("sparse", false)) kept.push_back(std::move(kernel));
  }
  owner["kernels"] = std::move(kept);
}

/// The machine as launches without a sparse operand see it: no selector works for them, and none of
/// the kernels, instructions and choices for sparse operands is theirs.
Json without_sparse_hardware(Json machine) {
  Json& sm = machine["accelerator"]["sm"];
  sm.erase("operand_selector");
  Json& instructions = sm["tensor_core"]["instructions"];
  Json kept = Json::array();
  for (Json& one : instructions) {
    if (one.value("pattern", "dense") == "dense") kept.push_back(std::move(one));
  }
  instructions = std::move(kept);
  erase_sparse_kernels(machine);
  if (machine.contains("libraries")) {
    for (Json& library : machine["libraries"]) erase_sparse_kernels(library);
  }
  if (machine.contains("stacks")) {
    for (Json& stack : machine["stacks"]) {
      stack.erase("sparse");
      stack.erase("sparse_choice");
    }
  }
  return machine;
}

}  // namespace

ResultKeys::ResultKeys(const MachineConfig& machine, const KernelPolicy& policy,
                       const std::string& statistics, std::int64_t behaviour)
    : policy_(fmt::format("policy {}\n", to_json(policy).dump())) {
  const std::string told = fmt::format("behaviour {}\nstatistics\n{}", behaviour, statistics);
  const Json json = machine_json(machine);
  machine_ = sha256_hex(told + json.dump());
  dense_machine_ = sha256_hex(told + without_sparse_hardware(json).dump());
}

std::string ResultKeys::of(const StudyPoint& point) const {
  const auto& [is_gemm, gemm, stream, with_values, prune] = point;
  if (!is_gemm) {
    return sha256_hex(fmt::format("{}\nstream {}\n", dense_machine_, to_json(stream).dump()));
  }
  const std::string& machine = gemm.a_pattern.is_dense() ? dense_machine_ : machine_;
  std::string text = fmt::format("{}\n{}gemm {}\n", machine, policy_, to_json(gemm).dump());
  if (with_values) text += fmt::format("values, pruned by {}\n", prune);
  return sha256_hex(text);
}

}  // namespace stcsim
