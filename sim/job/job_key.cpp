#include "sim/job/job_key.hpp"

#include <utility>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/field_json.hpp"
#include "common/io/sha256.hpp"
#include "sim/run/launch_cache.hpp"

namespace stcsim {
namespace {

using Json = nlohmann::json;

// The structured bindings name every field: a new one does not compile until it is part of the key.

Json to_json(const Footprint& footprint) {
  const auto& [unique_rows, unique_k] = footprint;
  return {unique_rows, unique_k};
}

Json to_json(const std::optional<ConvolutionPass>& pass) {
  if (!pass) return {};
  const auto& [phase, taps] = *pass;
  return {to_string(phase), taps};
}

Json to_json(const GemmProblem& gemm) {
  const auto& [m, n, k, batch_count, dtype, a_pattern, a, b, a_layout, b_layout, c_layout,
               c_pattern, convolution] = gemm;
  Json json{{"m", m},
            {"n", n},
            {"k", k},
            {"batch_count", batch_count},
            {"dtype", to_string(dtype)},
            {"a_pattern", a_pattern.to_string()},
            {"a", to_json(a)},
            {"b", to_json(b)},
            {"a_layout", a_layout},
            {"b_layout", b_layout},
            {"c_layout", c_layout},
            {"convolution", to_json(convolution)}};
  if (!c_pattern.is_dense()) json["c_pattern"] = c_pattern.to_string();
  return json;
}

Json to_json(const StreamWork& work) {
  const auto& [read_bytes, write_bytes, vector_ops, integer_ops, grid] = work;
  const auto& [ctas, threads, trip_bytes, passes, columns, sum_threads, thread_ops, at_a_time] =
      grid;
  return {{"read_bytes", read_bytes},
          {"write_bytes", write_bytes},
          {"vector_ops", vector_ops},
          {"integer_ops", integer_ops},
          {"ctas", ctas},
          {"threads", threads},
          {"trip_bytes", trip_bytes},
          {"passes", passes},
          {"columns", columns},
          {"sum_threads", sum_threads},
          {"thread_ops", thread_ops},
          {"at_a_time", at_a_time}};
}

Json to_json(const AttentionWork& work) {
  const auto& [kernel, backward, shape] = work;
  const auto& [batch, heads, kv_heads, queries, keys, head_size, causal, window, dropout, dtype,
               scores, mask] = shape;
  Json json{{"kernel", to_string(kernel)},
            {"backward", backward},
            {"batch", batch},
            {"heads", heads},
            {"kv_heads", kv_heads},
            {"queries", queries},
            {"keys", keys},
            {"head_size", head_size},
            {"causal", causal},
            {"window", window},
            {"dropout", dropout},
            {"dtype", to_string(dtype)},
            {"scores", scores.to_string()}};
  if (mask) json["mask"] = true;
  return json;
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
  for (const char* const stacks : {"stacks", "other_stacks"}) {
    if (!machine.contains(stacks)) continue;
    for (Json& stack : machine[stacks]) {
      stack.erase("sparse");
      stack.erase("sparse_choice");
    }
  }
  return machine;
}

Json to_json(const LaunchConditions& conditions) {
  const auto& [values, locked_clock_mhz, launch_us, same_operands, launches] = conditions;
  const auto or_null = [](const auto& value) { return value ? Json(*value) : Json(); };
  return {{"values", values},
          {"locked_clock_mhz", or_null(locked_clock_mhz)},
          {"launch_us", or_null(launch_us)},
          {"same_operands", same_operands},
          {"launches", or_null(launches)}};
}

/// The machine as the work sees it, and the work.
struct WorkText {
  const Job& job;

  std::string operator()(const GemmWork& work) const {
    const auto& [problem, with_values, prune] = work;
    const MachineDigests& machine = job.machine->digests;
    std::string text = fmt::format("{}\npolicy {}\ngemm {}\n",
                                   problem.a_pattern.is_dense() ? machine.dense : machine.all,
                                   to_json(job.policy).dump(), to_json(problem).dump());
    if (with_values) text += fmt::format("values, pruned by {}\n", prune);
    if (job.conditions) text += fmt::format("sustained {}\n", to_json(*job.conditions).dump());
    return text;
  }
  std::string operator()(const StreamWork& work) const {
    return fmt::format("{}\nstream {}\n", job.machine->digests.dense, to_json(work).dump());
  }
  std::string operator()(const AttentionWork& work) const {
    return fmt::format("{}\nattention {}\n", job.machine->digests.dense, to_json(work).dump());
  }
  std::string operator()(const LaunchSequence& work) const {
    std::string text = job.machine->digests.all + "\n";
    for (const KernelLaunch& launch : work.launches) text += digest_of(launch) + "\n";
    return text;
  }
};

}  // namespace

MachineDigests machine_digests(const MachineConfig& machine, const std::string& statistics,
                               std::int64_t behaviour) {
  const std::string told = fmt::format("behaviour {}\nstatistics\n{}", behaviour, statistics);
  const Json json = machine_json(machine);
  return {sha256_hex(told + json.dump()), sha256_hex(told + without_sparse_hardware(json).dump())};
}

std::string key_of(const Job& job) {
  return sha256_hex(std::visit(WorkText{job}, job.work));
}

}  // namespace stcsim
