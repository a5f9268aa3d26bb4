#include "sim/study/result_key.hpp"

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
  const auto& [kernel, candidates, stack] = policy;
  return {{"kernel", kernel},
          {"stack", stack},
          {"candidates", candidates ? Json(*candidates) : Json()}};
}

std::string machine_text(const MachineConfig& machine) {
  Json json = to_json(machine);
  json.erase("name");
  json.erase("description");
  return json.dump();
}

}  // namespace

ResultKeys::ResultKeys(const MachineConfig& machine, const KernelPolicy& policy,
                       const std::string& statistics, std::int64_t behaviour)
    : machine_(fmt::format("behaviour {}\nstatistics\n{}machine {}\n", behaviour, statistics,
                           machine_text(machine))),
      policy_(fmt::format("policy {}\n", to_json(policy).dump())) {}

std::string ResultKeys::of(const StudyPoint& point) const {
  const auto& [is_gemm, gemm, stream, with_values, prune] = point;
  if (!is_gemm) return sha256_hex(fmt::format("{}stream {}\n", machine_, to_json(stream).dump()));
  std::string text = fmt::format("{}{}gemm {}\n", machine_, policy_, to_json(gemm).dump());
  if (with_values) text += fmt::format("values, pruned by {}\n", prune);
  return sha256_hex(text);
}

}  // namespace stcsim
