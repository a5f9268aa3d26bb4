#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/config_field.hpp"
#include "common/data_type.hpp"
#include "sim/config/system.hpp"

namespace stcsim {

class MapReader;

/// What GPUs share of a training, each with samples of its own: nothing (ddp: gradients are
/// summed); also the optimizer's state (zero1), gradients (zero2) and weights (fsdp, ZeRO 3); or
/// the products of each layer, of the same samples (tp).
enum class Sharding : std::uint8_t { ddp, zero1, zero2, fsdp, tp };

[[nodiscard]] constexpr std::string_view to_string(Sharding sharding) {
  constexpr std::array<std::string_view, 5> kNames{"ddp", "zero1", "zero2", "fsdp", "tp"};
  return kNames.at(static_cast<std::size_t>(sharding));
}

/// How GPUs come to the same masks: each searches the same weights, or one does and sends its masks
/// to the others.
enum class MaskAgreement : std::uint8_t { each, broadcast };

[[nodiscard]] constexpr std::string_view to_string(MaskAgreement masks) {
  return masks == MaskAgreement::each ? "each" : "broadcast";
}

/// A system by its name or path, or written out as a map.
template <class System>
struct SystemEntry {
  System& system;

  void read(MapReader& map, const Field& field);
  [[nodiscard]] nlohmann::json to_json() const;
};
template <class System>
SystemEntry(System&) -> SystemEntry<System>;

/// A training on several GPUs of a system.
struct ParallelConfig {
  /// Data types that gradients travel in.
  static constexpr std::array<DataType, 3> kGradientTypes{DataType::fp32, DataType::bf16,
                                                          DataType::fp16};

  SystemConfig system;
  std::vector<std::int64_t> gpus{1, 8, 16};
  Sharding sharding = Sharding::ddp;
  DataType gradients = DataType::fp32;
  double bucket_mib = 25;
  bool overlap = true;
  /// Pruned weights are gathered as their values and where those stood, gradients of weights that
  /// stay pruned without the others.
  bool compressed = false;
  MaskAgreement masks = MaskAgreement::each;

  static void visit_fields(auto& self, auto& visitor) {
    visitor.field(field::map("system", "name or path of a file of `configs/systems`, or a map"),
                  SystemEntry{self.system});
    visitor.field(
        field::positive("gpus", "numbers of GPUs, each with the network's batch").optional(),
        self.gpus);
    visitor.field(field::one_of("sharding",
                                "what GPUs share: nothing, the optimizer's state, gradients too, "
                                "weights too; or products",
                                Sharding::tp)
                      .optional(),
                  self.sharding);
    visitor.field(field::type("gradients", "that gradients travel in", kGradientTypes).optional(),
                  self.gradients);
    visitor.field(field::of("bucket_mib", "MiB", "gradients that are summed at once")
                      .above(0, 1'000'000)
                      .optional(),
                  self.bucket_mib);
    visitor.field(
        field::flag("overlap", "exchange while kernels run; false: after the backward pass")
            .optional(),
        self.overlap);
    visitor.field(field::flag("compressed",
                              "pruned weights travel as n:m values with metadata (no framework "
                              "does), and gradients of weights whose mask stays without the rest")
                      .optional(),
                  self.compressed);
    visitor.field(field::one_of("masks",
                                "`each` GPU searches masks of weights that all have; `broadcast`: "
                                "one does and sends them, before the next step",
                                MaskAgreement::broadcast)
                      .optional(),
                  self.masks);
  }
};

}  // namespace stcsim
