#include "tests/property/hardware_case.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "sim/config/experiment_config.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim::test {
namespace {

const std::vector<std::string> kKernels{
    "dense_128x128x32_s4", "dense_64x64x64_s5",    "dense_128x64x64_s3",   "sparse_128x128x64_s3",
    "sparse_64x64x64_s4",  "sparse_128x64x128_s4", "sparse_128x128x32_s4", "sparse_128x64x32_s4"};

Pattern random_pattern(Dice& dice) {
  const std::int64_t m = dice.one_of({4, 8, 16, 32});
  return {dice.one_of({1, 2, m / 4, m / 2}), m};
}

/// A number of which the table says that more is faster.
struct Width {
  std::string path;
  std::int64_t* value;
  std::int64_t least;
  std::int64_t most;
};

/// Visitor of fields that finds them.
class Widths {
 public:
  explicit Widths(AcceleratorConfig& hardware) {
    AcceleratorConfig::visit_fields(hardware, *this);
    for (MultiplierRate& rate : hardware.sm.tensor_core.multipliers) {
      found_.push_back({"multipliers", &rate.fma_per_clk, 1, field::kMostUnits});
    }
  }
  [[nodiscard]] std::vector<Width> found() const { return found_; }

  template <class Value>
  void field(const Field& field, Value& value) {
    const std::string above = path_;
    path_ += (path_.empty() ? "" : ".") + std::string(field.key);
    if constexpr (std::is_same_v<Value, std::int64_t>) {
      const bool is_units = field.key == "num_sms" || field.key == "sub_cores";
      if (field.effect == Effect::faster && !is_units && path_ != "dram.capacity_bytes") {
        found_.push_back({path_, &value, field.least, field.most});
      }
    } else if constexpr (HasFields<Value>) {
      Value::visit_fields(value, *this);
    }
    path_ = above;
  }
  template <class Value>
  void field(const Field& field, Value& value, const std::type_identity_t<Value>& /*fallback*/) {
    this->field(field, value);
  }

 private:
  std::string path_;
  std::vector<Width> found_;
};

/// Makes numbers agree that were drawn one by one.
void reconcile(AcceleratorConfig& hardware) {
  SharedMemoryConfig& memory = hardware.sm.shared_memory;
  memory.fill_bytes_per_clk = std::min(memory.fill_bytes_per_clk, memory.port_bytes_per_clk());
  memory.max_bytes_per_cta =
      std::min(memory.max_bytes_per_cta, memory.capacity_bytes - memory.reserved_bytes_per_cta);
  hardware.sm.tensor_memory_bytes = 0;  // what there is has to hold a tile
  L2CacheConfig& l2 = hardware.l2_cache;
  l2.near_hit_cycles = std::max(l2.near_hit_cycles, 2 * hardware.memory_bus.hop_cycles);
  l2.far_hit_cycles = std::max(l2.far_hit_cycles, l2.near_hit_cycles);
}

MachineConfig random_nm_machine(Dice& dice, bool is_like_a100) {
  MachineConfig machine = load_machine("a100_nm").config;
  AcceleratorConfig& hardware = machine.accelerator;
  const std::int64_t all_sms = hardware.num_sms;
  if (is_like_a100) {
    const std::vector<Width> widths = Widths(hardware).found();
    for (const Width& one : widths) {
      *one.value = std::clamp(*one.value * dice.one_of({1, 2, 2, 4}) / 2, one.least, one.most);
    }
  } else {
    randomise(hardware, dice);
  }
  hardware.sm.operand_fetch.fragment_buffers = dice.one_of({1, 2, 2});
  hardware.num_sms = dice.one_of({1, 2, 4, 6});
  hardware.dram.capacity_bytes = std::int64_t{1} << 34;
  for (std::int64_t* const shared :
       {&hardware.l2_cache.capacity_bytes, &hardware.l2_cache.read_bytes_per_clk,
        &hardware.l2_cache.write_bytes_per_clk, &hardware.dram.bytes_per_clk,
        &hardware.dram.write_queue_bytes}) {
    *shared = std::max<std::int64_t>(1, *shared * hardware.num_sms / all_sms);
  }
  reconcile(hardware);
  std::vector<Pattern>& native = hardware.sm.operand_selector.native_patterns;
  native.clear();
  for (std::int64_t count = dice.between(1, 3); count > 0; --count) {
    native.push_back(random_pattern(dice));
  }
  draw_rare_keys(hardware.sm.operand_selector, dice);
  std::erase_if(machine.kernels, [&](const KernelConfig& kernel) {
    return std::find(kKernels.begin(), kKernels.end(), kernel.name) == kKernels.end();
  });
  machine.split_k = {1, 2, 4};
  hardware.sm.shared_memory.has_fill_port = dice.between(0, 1) == 0;
  hardware.dram.tile_share = static_cast<double>(dice.one_of({100, 90, 50})) / 100;
  for (KernelConfig& kernel : machine.kernels) draw_rare_keys(kernel, dice);
  return machine;
}

/// How many registers, slots, stages and fragment buffers a kernel uses is its choice.
bool is_left_to_software(const std::string& path) {
  static const std::vector<std::string> kOptional{"sm.max_ctas",
                                                  "sm.max_warps",
                                                  "sm.registers",
                                                  "sm.max_registers_per_thread",
                                                  "sm.operand_fetch.fragment_buffers",
                                                  "sm.shared_memory.capacity_bytes",
                                                  "sm.shared_memory.max_bytes_per_cta"};
  return std::find(kOptional.begin(), kOptional.end(), path) != kOptional.end();
}

struct Improvement {
  std::string what;
  bool is_optional = true;
  bool is_cache_size = false;
};

/// Mapped kernels stand in only while none of its own fits: wider, it may run its own, slower ones.
bool has_stand_ins(const MachineConfig& machine) {
  return !patterns_without_kernels(machine, DataType::fp16).empty() ||
         !patterns_without_kernels(machine, DataType::int8).empty();
}

Improvement add_pattern(AcceleratorConfig& hardware, Dice& dice) {
  const Pattern pattern = random_pattern(dice);
  hardware.sm.operand_selector.native_patterns.push_back(pattern);
  return {"native pattern " + pattern.to_string()};
}

/// Says "" if the number must not become larger.
Improvement double_a_width(AcceleratorConfig& hardware, Dice& dice) {
  const std::vector<Width> widths = Widths(hardware).found();
  const Width& one = widths[static_cast<std::size_t>(dice.between(0, std::ssize(widths) - 1))];
  const std::int64_t before = *one.value;
  *one.value = std::min(one.most, 2 * before);
  SharedMemoryConfig& memory = hardware.sm.shared_memory;
  if (one.value == &memory.capacity_bytes) {
    memory.max_bytes_per_cta = memory.capacity_bytes - memory.reserved_bytes_per_cta;
  }
  reconcile(hardware);
  if (*one.value <= before) return {};
  return {fmt::format("{}, {} instead of {}", one.path, *one.value, before),
          is_left_to_software(one.path), one.value == &hardware.l2_cache.capacity_bytes};
}

}  // namespace

HardwarePair random_hardware_pair(Dice& dice) {
  for (;;) {
    const bool is_like_a100 = dice.between(0, 1) == 0;
    const MachineConfig machine = random_nm_machine(dice, is_like_a100);
    if (has_stand_ins(machine)) continue;
    MachineConfig wider = machine;
    Improvement more = dice.between(0, 4) == 0 ? add_pattern(wider.accelerator, dice)
                                               : double_a_width(wider.accelerator, dice);
    if (more.what.empty()) continue;
    return {std::move(more.what),
            more.is_optional,
            more.is_cache_size,
            is_like_a100,
            std::make_unique<MachineRunner>(machine),
            std::make_unique<MachineRunner>(wider)};
  }
}

GemmProblem random_hardware_problem(Dice& dice) {
  const auto extent = [&](std::int64_t most) {
    return dice.between(0, 1) == 0 ? dice.between(1, most) : 64 * dice.between(1, most / 64);
  };
  const std::vector<Pattern> patterns{kDense, {2, 4}, {1, 4}, {1, 8}, {2, 8}, {4, 8}, {1, 16}};
  GemmProblem problem;
  problem.m = extent(384);
  problem.n = extent(384);
  problem.k = dice.between(0, 1) == 0 ? extent(512) : kLongK + extent(256);
  problem.dtype = dice.between(0, 3) == 0 ? DataType::int8 : DataType::fp16;
  problem.a_pattern = patterns[static_cast<std::size_t>(dice.between(0, std::ssize(patterns) - 1))];
  return problem;
}

std::int64_t with_tolerance(std::int64_t cycles) {
  return cycles + std::max<std::int64_t>(64, cycles / 100);
}

std::string describe(const GemmProblem& problem) {
  return fmt::format("{}x{}x{} {} {}", problem.m, problem.n, problem.k, to_string(problem.dtype),
                     problem.a_pattern.to_string());
}

}  // namespace stcsim::test
