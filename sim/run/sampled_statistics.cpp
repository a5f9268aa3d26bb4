#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

#include "models/base/resident_ctas.hpp"
#include "sim/run/sampling.hpp"

namespace stcsim {
namespace {

/// What CTAs do that does not depend on time.
struct CtaWork {
  std::int64_t ctas = 0;
  std::int64_t steps = 0;
  std::int64_t loaded_bytes = 0;
  std::int64_t metadata_bytes = 0;  // of these
  std::int64_t stored_bytes = 0;
};

std::int64_t row_bytes(const OperandStream& stream, std::int64_t steps, bool has_edge) {
  if (stream.of_tiles) return stream.row_bytes;
  return (steps - 1) * stream.row_bytes + (has_edge ? stream.edge_row_bytes : stream.row_bytes);
}

CtaWork work_of_all(const KernelLaunch& launch) {
  CtaWork work{launch.ctas(),
               launch.tiles_m * launch.tiles_n * launch.batch_count * launch.k_steps};
  for (const Operand operand : launch.operands()) {
    const OperandStream& stream = launch.stream(operand);
    const std::int64_t others = operand == Operand::b ? launch.tiles_m : launch.tiles_n;
    const std::int64_t readers = stream.of_tiles ? launch.splits : others;
    const std::int64_t rows = (stream.strips - 1) * stream.rows + stream.edge_rows;
    const std::int64_t bytes =
        launch.batch_count * readers * rows * row_bytes(stream, launch.k_steps, true);
    work.loaded_bytes += bytes;
    if (operand == Operand::metadata) work.metadata_bytes += bytes;
  }
  work.stored_bytes = launch.stored_bytes();
  return work;
}

void add(CtaWork& work, const KernelLaunch& launch, std::int64_t number) {
  const ResidentCta cta(launch, number);
  const bool has_edge = cta.is_edge(launch, cta.steps - 1);
  ++work.ctas;
  work.steps += cta.steps;
  work.stored_bytes += cta.store_bytes;
  for (const Operand operand : launch.operands()) {
    const std::int64_t bytes =
        cta.rows[index_of(operand)] * row_bytes(launch.stream(operand), cta.steps, has_edge);
    work.loaded_bytes += bytes;
    if (operand == Operand::metadata) work.metadata_bytes += bytes;
  }
}

CtaWork work_without(const KernelLaunch& launch, const std::vector<LeftOut>& left_out) {
  CtaWork work;
  std::int64_t cta = 0;
  for (const LeftOut& part : left_out) {
    for (; cta < part.first; ++cta) add(work, launch, cta);
    cta += part.ctas;
  }
  for (; cta < launch.ctas(); ++cta) add(work, launch, cta);
  return work;
}

/// To the nearest whole number; exact where the result is one.
std::int64_t scaled(std::int64_t value, std::int64_t all, std::int64_t part) {
  if (part == 0) return value;
  return std::llround(static_cast<long double>(value) * static_cast<long double>(all) /
                      static_cast<long double>(part));
}

double sum_of(const std::vector<LeftOut>& left_out, double LeftOut::*figure) {
  return std::accumulate(left_out.begin(), left_out.end(), 0.0,
                         [&](double sum, const LeftOut& part) { return sum + part.*figure; });
}

class Completion {
 public:
  Completion(const DramConfig& dram, const KernelLaunch& launch,
             const std::vector<LeftOut>& left_out)
      : left_out_(left_out),
        all_(work_of_all(launch)),
        part_(work_without(launch, left_out)),
        staged_bytes_(launch.output_bytes() / launch.epilogue.element_bytes *
                      launch.epilogue.staging_bytes_per_element),
        dram_write_bytes_(dram.whole_bursts(launch.stored_bytes())) {}

  void complete_counter(Counter& counter) const {
    const std::string_view name = counter.name;
    const auto scale = [&](std::int64_t CtaWork::*work) {
      counter.value = scaled(counter.value, all_.*work, part_.*work);
    };
    /// By steps what is more than so much of every CTA.
    const auto scale_beside = [&](std::int64_t of_cta) {
      counter.value -= of_cta * part_.ctas;
      scale(&CtaWork::steps);
      counter.value += of_cta * all_.ctas;
    };
    const auto add_up = [&](double LeftOut::*figure) {
      counter.value += std::llround(sum_of(left_out_, figure));
    };
    if (name == "l2_hit_bytes") return add_up(&LeftOut::l2_hit_bytes);
    if (name == "dram_read_bytes") return add_up(&LeftOut::dram_read_bytes);
    if (name == "l2_read_bytes") return scale(&CtaWork::loaded_bytes);
    if (name == "metadata_bytes") return scale(&CtaWork::metadata_bytes);
    if (name == "l2_write_bytes") return scale(&CtaWork::stored_bytes);
    if (name == "dram_write_bytes") {
      counter.value = dram_write_bytes_;
      return;
    }
    if (name == "shared_memory_read_bytes") return scale_beside(staged_bytes_ / 2);
    if (name == "shared_memory_write_bytes") return scale_beside(staged_bytes_ - staged_bytes_ / 2);
    scale(&CtaWork::steps);
  }
  [[nodiscard]] std::int64_t simulated_ctas() const { return part_.ctas; }

 private:
  const std::vector<LeftOut>& left_out_;
  CtaWork all_;
  CtaWork part_;
  std::int64_t staged_bytes_;  // of a CTA's tile of C, through shared memory and back
  std::int64_t dram_write_bytes_;
};

/// They sum to `cycles` of every instance.
void complete_buckets(UnitTotals& unit, Cycles cycles, Cycles simulated) {
  std::int64_t left = unit.instances * cycles.count();
  Cycles* most = nullptr;
  for (auto& [name, in] : unit.buckets) {
    in = Cycles(scaled(in.count(), cycles.count(), simulated.count()));
    left -= in.count();
    if (most == nullptr || in > *most) most = &in;
  }
  if (most != nullptr) *most = Cycles(most->count() + left);
}

}  // namespace

LaunchStatistics with_left_out(const DramConfig& dram, const KernelLaunch& launch,
                               const std::vector<LeftOut>& left_out, Cycles least,
                               LaunchStatistics simulated) {
  const Completion completion(dram, launch, left_out);
  const Cycles part = simulated.cycles;
  const double cycles = static_cast<double>(part.count()) + sum_of(left_out, &LeftOut::cycles);
  const double error = sum_of(left_out, &LeftOut::error);
  const auto low = std::max(static_cast<std::int64_t>(std::floor(cycles - error)), least.count());
  const std::int64_t estimate = std::max<std::int64_t>(std::llround(cycles), low);
  const auto high = std::max(static_cast<std::int64_t>(std::ceil(cycles + error)), estimate);
  simulated.cycles = Cycles(estimate);
  simulated.sampled = {low, high, completion.simulated_ctas(), launch.ctas()};
  for (UnitTotals& unit : simulated.units) {
    complete_buckets(unit, simulated.cycles, part);
    for (Counter& counter : unit.counters) completion.complete_counter(counter);
  }
  return simulated;
}

}  // namespace stcsim
