#pragma once

#include <cstdint>
#include <string>

#include "sim/config/experiment.hpp"
#include "sim/run/result.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// The steps of `experiment.parallel`: every network under each of its schemes on each number of
/// GPUs.
/// @param study  of with_parts(experiment), with its rows
[[nodiscard]] std::vector<ParallelTotal> parallel_totals(const Experiment& experiment,
                                                         const StudyResult& study);

/// Of a GPU: what sharding leaves of the memory of one that trains alone, and beside it under fsdp
/// the weights of two units, gathered.
/// @param unit_bytes  of the largest unit's weights
[[nodiscard]] std::int64_t sharded_bytes(const StepMemory& memory, Sharding sharding,
                                         std::int64_t gpus, double unit_bytes);

/// "llama3_8b-tp8": the part of a network that one of so many GPUs has.
[[nodiscard]] std::string part_name(const std::string& network, std::int64_t gpus);

/// Whether the product is split along its reduction, so that its output is a sum over GPUs: a
/// linear layer of attention or feed-forward whose output a residual takes.
[[nodiscard]] bool is_row_parallel(const Layer& layer);

/// What one of so many GPUs multiplies (Shoeybi et al., "Megatron-LM", arXiv:1909.08053): heads,
/// and features of linear layers, along the reduction of those that are row parallel and along the
/// output of others. Embeddings and normalisation are all there.
/// @throws ConfigError where they do not divide
[[nodiscard]] Network tensor_parallel_part(Network network, std::int64_t gpus);

/// The experiment with what `parallel` needs simulated beside: of tp the parts of each network for
/// every number of GPUs. Any other is returned as it is.
/// @throws ConfigError where a network cannot be split
[[nodiscard]] Experiment with_parts(Experiment experiment);

}  // namespace stcsim
