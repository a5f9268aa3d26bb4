#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config_field.hpp"
#include "common/counts.hpp"
#include "models/tensor_core/tensor_core_config.hpp"

namespace stcsim {

/// Per sub-core: moves operands between the register file and the tensor core.
struct OperandFetchConfig {
  /// Bytes of A, B and metadata per clk that reach the tensor core from registers; 0 if they
  /// come straight from shared memory (wgmma), whose port then is the only limit.
  std::int64_t register_bytes_per_clk = 0;
  /// Fragment buffers a warp prefetches into (2 = double buffering).
  std::int64_t fragment_buffers = 2;
  /// Bytes of accumulators per clk, those read (C) and those written (D) together.
  std::int64_t accumulator_bytes_per_clk = field::kMostBytesPerClk;
  /// Types whose operands instructions take only with K contiguous: warps turn others in shared
  /// memory.
  std::vector<DataType> k_contiguous_types = {};

  [[nodiscard]] bool turns(DataType dtype) const {
    return std::find(k_contiguous_types.begin(), k_contiguous_types.end(), dtype) !=
           k_contiguous_types.end();
  }

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::bytes_per_clk("register_bytes_per_clk",
                                       "A, B and metadata; 0 if operands come straight from shared "
                                       "memory")
                      .from(0, field::kMostBytesPerClk),
                  self.register_bytes_per_clk);
    visitor.field(field::bytes_per_clk("accumulator_bytes_per_clk",
                                       "accumulators, those read and those written together")
                      .optional("`unlimited`"),
                  self.accumulator_bytes_per_clk);
    visitor.field(
        field::count("fragment_buffers",
                     "buffers a warp prefetches into; a kernel has fewer where "
                     "`max_registers_per_thread` do not hold them beside its accumulators")
            .from(1, 64)
            .optional(),
        self.fragment_buffers);
    visitor.field(field::types("k_contiguous_types",
                               "of whose operands instructions take only those along K. Warps turn "
                               "others: they read a tile from shared memory and write it there "
                               "once more than they would",
                               operand_data_types())
                      .omitted("none"),
                  self.k_contiguous_types, {});
  }

  friend bool operator==(const OperandFetchConfig&, const OperandFetchConfig&) = default;
};

/// How a sub-core's instructions are simulated: all of a launch at once, in closed form, or one by
/// one, from stage to stage.
enum class Detail : std::uint8_t { closed, stages };
[[nodiscard]] constexpr std::string_view to_string(Detail detail) {
  return detail == Detail::closed ? "closed" : "stages";
}
/// Nothing waits between stages.
inline constexpr const char* kRigidQueues = "rigid";

/// Operations that lanes do for one instruction: one for each thread of a warp; more lanes take the
/// threads of several warps at a time.
[[nodiscard]] constexpr std::int64_t vector_width(std::int64_t lanes) {
  return std::max(kWarpThreads, lanes);
}

/// The units of one sub-core, and among how many of them an SM shares its warps.
struct SubCoreConfig {
  /// Special function units of a sub-core of NVIDIA's GPUs since Volta: 16 of an SM.
  static constexpr std::int64_t kSpecialLanes = 4;

  std::int64_t sub_cores = 4;
  /// Vector (non-tensor) lanes of one sub-core, operations per clk.
  std::int64_t vector_lanes_per_sub_core = 0;
  /// Of these, lanes that compare, select and compute with integers; at most the vector lanes.
  std::int64_t integer_lanes_per_sub_core = field::kMostUnits;
  /// Exponentials and the like of one sub-core, operations per clk.
  std::int64_t special_lanes_per_sub_core = kSpecialLanes;
  TensorCoreConfig tensor_core;
  OperandSelectorConfig operand_selector;
  OperandFetchConfig operand_fetch;
  Detail detail = Detail::closed;
  /// kRigidQueues, or how many instructions may wait in front of each stage.
  std::string queues = kRigidQueues;

  [[nodiscard]] bool passes_messages() const { return detail == Detail::stages; }
  /// Nothing if they are rigid.
  [[nodiscard]] std::optional<std::int64_t> queue_depth() const {
    if (queues == kRigidQueues) return std::nullopt;
    std::int64_t depth = 0;  // as the reader of files has checked
    std::from_chars(queues.data(), queues.data() + queues.size(), depth);
    return depth;
  }

  friend bool operator==(const SubCoreConfig&, const SubCoreConfig&) = default;
};

}  // namespace stcsim
