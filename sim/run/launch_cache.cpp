#include "sim/run/launch_cache.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/error.hpp"
#include "common/io/field_json.hpp"
#include "common/io/sha256.hpp"

namespace stcsim {
namespace {

/// A text that two different rows of values never share.
class KeyText {
 public:
  void add(std::string_view text) { text_.append(text).push_back('\0'); }
  template <class Value>
  requires std::integral<Value> || std::floating_point<Value>
  void add(Value value) { text_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void add(Cycles cycles) { add(cycles.count()); }
  void add(Millicycles cycles) { add(cycles.count()); }
  template <class Value>
  void add(const std::optional<Value>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  template <class First, class Second, class... Others>
  void add(const First& first, const Second& second, const Others&... others) {
    add(first);
    add(second);
    (add(others), ...);
  }

  // The structured bindings name every field: a new one does not compile until it is part of the
  // key.

  void add(const SamplingEffort& effort) {
    const auto& [exact_events, events_for_tolerance, most_events] = effort;
    add(exact_events, events_for_tolerance, most_events);
  }
  void add(const Pattern& pattern) {
    const auto& [n, m, granule, kept_of_block, block_rows, of_outputs] = pattern;
    add(n, m, granule, kept_of_block, block_rows, of_outputs);
  }
  void add(const MmaInstruction& instruction) {
    const auto& [dtype, pattern, m, n, k, latency, interval, accumulator, metadata] = instruction;
    const auto& [coding, has_power_of_two_fields] = metadata;
    add(to_string(dtype), pattern, m, n, k, latency, to_string(accumulator), to_string(coding),
        has_power_of_two_fields);
    static_cast<void>(interval);  // a measurement, without effect
  }
  void add(const OperandStream& stream) {
    const auto& [strips, rows, edge_rows, row_bytes, edge_row_bytes, distinct_strips,
                 distinct_slices, distinct_per_1024, starts_in_l2, of_tiles, access_bytes] = stream;
    add(strips, rows, edge_rows, row_bytes, edge_row_bytes, distinct_strips, distinct_slices,
        distinct_per_1024, starts_in_l2, of_tiles, access_bytes);
  }
  void add(const FragmentBytes& fragments) {
    const auto& [a, b, metadata] = fragments;
    add(a, b, metadata);
  }
  void add(const WarpPhase& phase) {
    const auto& [groups, instructions, exponentials, fragments, is_vector] = phase;
    add(groups, instructions, exponentials, fragments, is_vector);
  }
  void add(const Staircase& staircase) {
    const auto& [tiles, begins_at_diagonal, window_steps] = staircase;
    add(tiles, begins_at_diagonal, window_steps);
  }
  void add(const WarpProgram& program) {
    const auto& [groups_per_step, instructions_per_group, instruction, fragments, turned_bytes,
                 streams_b, of_cta_pair, fragment_buffers, bubble, phases, phase_count, takes_turns,
                 in_step] = program;
    add(groups_per_step, instructions_per_group, instruction, fragments, turned_bytes, streams_b,
        of_cta_pair, fragment_buffers, bubble, phase_count, takes_turns, in_step);
    for (const WarpPhase& phase : phases) add(phase);
  }
  void add(const EpilogueProgram& program) {
    const auto& [element_bytes, staging_bytes_per_element, source_wait, trips, elements_per_clk,
                 warp_groups, stored_per_1024] = program;
    add(element_bytes, staging_bytes_per_element, source_wait, trips, elements_per_clk, warp_groups,
        stored_per_1024);
  }
  void add(const KernelLaunch& launch) {
    const auto& [tiles_m, tiles_n, splits, batch_count, raster_group, k, tile_k, k_steps,
                 ctas_per_sm, warps, stages, tile_m, tile_n, edge_m, edge_n,
                 thread_copy_bytes_per_clk, zero_bytes, a, b, metadata, column_indices,
                 tiles_per_block, index_wait, metadata_in_registers, persistent,
                 has_spare_accumulators, ctas_per_read_of_a, ctas_per_read_of_b, staircase, warp,
                 epilogue] = launch;
    add(tiles_m, tiles_n, splits, batch_count, raster_group, k, tile_k, k_steps, ctas_per_sm, warps,
        stages, tile_m, tile_n, edge_m, edge_n, thread_copy_bytes_per_clk, zero_bytes, a, b,
        metadata, column_indices, tiles_per_block, index_wait, metadata_in_registers, persistent,
        has_spare_accumulators, ctas_per_read_of_a, ctas_per_read_of_b, staircase, warp, epilogue);
  }

  [[nodiscard]] std::string digest() const { return sha256_hex(text_); }

 private:
  std::string text_;
};

/// Visits all values of statistics, always in the same order. Names are not among them.
template <class Statistics, class Visit>
void for_each_value(Statistics& statistics, const Visit& visit) {
  visit(statistics.cycles);
  visit(statistics.events);
  for (auto& unit : statistics.units) {
    visit(unit.instances);
    for (auto& bucket : unit.buckets) visit(bucket.second);
    for (auto& counter : unit.counters) visit(counter.value);
  }
  if (!statistics.sampled) return;
  visit(statistics.sampled->cycles_low);
  visit(statistics.sampled->cycles_high);
  visit(statistics.sampled->simulated_ctas);
  visit(statistics.sampled->ctas);
}

class Writer {
 public:
  explicit Writer(std::string& bytes) : bytes_(&bytes) {}
  void operator()(std::int64_t value) const {
    bytes_->append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void operator()(Cycles cycles) const { (*this)(cycles.count()); }

 private:
  std::string* bytes_;
};

class Reader {
 public:
  Reader(const std::string& bytes, std::size_t& at) : bytes_(&bytes), at_(&at) {}
  void operator()(std::int64_t& value) const {
    if (*at_ + sizeof value > bytes_->size()) throw SimulationError("a launch of another form");
    std::memcpy(&value, bytes_->data() + *at_, sizeof value);
    *at_ += sizeof value;
  }
  void operator()(Cycles& cycles) const {
    std::int64_t count = 0;
    (*this)(count);
    cycles = Cycles(count);
  }

 private:
  const std::string* bytes_;
  std::size_t* at_;
};

constexpr char kWhole = 'w';
constexpr char kSampled = 's';

}  // namespace

AcceleratorConfig as_seen(const AcceleratorConfig& machine,
                          const std::optional<MmaInstruction>& instruction) {
  AcceleratorConfig seen = machine;
  const StreamingMultiprocessorConfig any;
  seen.dram.capacity_bytes = 0;
  seen.sm.max_ctas = any.max_ctas;
  seen.sm.max_warps = any.max_warps;
  seen.sm.registers = any.registers;
  seen.sm.max_registers_per_thread = any.max_registers_per_thread;
  seen.sm.shared_memory.capacity_bytes = any.shared_memory.capacity_bytes;
  seen.sm.shared_memory.max_bytes_per_cta = any.shared_memory.max_bytes_per_cta;
  seen.sm.shared_memory.reserved_bytes_per_cta = any.shared_memory.reserved_bytes_per_cta;
  seen.sm.tensor_core.instructions.clear();
  OperandSelectorConfig& selector = seen.sm.operand_selector;
  if (!instruction || instruction->pattern.is_dense()) {
    selector = any.operand_selector;
    return seen;
  }
  selector.native_patterns.clear();
  selector.native_patterns_by_type.clear();
  selector.short_groups = any.operand_selector.short_groups;
  // of the multiplexers, only how often a value passes them counts
  selector.lane_inputs = selector.passes(instruction->pattern);
  selector.block_inputs = any.operand_selector.block_inputs;
  selector.lanes = any.operand_selector.lanes;
  return seen;
}

std::string digest_of(const KernelLaunch& launch) {
  KeyText text;
  text.add(launch);
  return text.digest();
}

std::string LaunchKeys::of(const AcceleratorConfig& machine, const RunConditions& conditions,
                           const KernelLaunch& launch) {
  const auto& [clock_mhz, launch_us, fast_forward, sampling] = conditions;
  const auto [seen, is_new] = seen_.try_emplace({clock_mhz, launch_us, launch.warp.instruction});
  if (is_new) {
    seen->second = sha256_hex(to_json(as_seen(machine, launch.warp.instruction)).dump());
  }
  KeyText text;
  text.add(seen->second, fast_forward, sampling, launch);
  return text.digest();
}

std::optional<LaunchStatistics> LaunchCache::find(const std::string& key,
                                                  const LaunchStatistics& blank) {
  const std::optional<std::string> bytes = table_.find(key);
  if (!bytes || bytes->empty()) return std::nullopt;
  LaunchStatistics statistics = blank;
  statistics.sampled.reset();
  if (bytes->front() == kSampled) statistics.sampled.emplace();
  std::size_t at = 1;
  for_each_value(statistics, Reader(*bytes, at));
  if (at != bytes->size()) throw SimulationError("a launch of another form");
  return statistics;
}

void LaunchCache::keep(const std::string& key, const LaunchStatistics& statistics) {
  if (statistics.events < kFewEvents) return;
  std::string bytes(1, statistics.sampled ? kSampled : kWhole);
  for_each_value(statistics, Writer(bytes));
  table_.put(key, bytes);
}

}  // namespace stcsim
