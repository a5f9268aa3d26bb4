#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "sim/study/scheme_gemms.hpp"
#include "sim/study/study_plan.hpp"
#include "sim/study/study_rows.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kRowPhases = 6;

/// Where a row adds up: stream kernels after training among what else there is.
RowPhase place_of(const ResultRow& row) {
  return row.phase == RowPhase::inference && !row.is_gemm() ? RowPhase::other : row.phase;
}

/// Something of a step by place_of() its rows.
struct ByPlace {
  std::array<double, kRowPhases> sums{};

  double& of(RowPhase place) { return sums.at(static_cast<std::size_t>(place)); }
  [[nodiscard]] double of(RowPhase place) const { return sums.at(static_cast<std::size_t>(place)); }
  [[nodiscard]] double gemms() const {
    return of(RowPhase::forward) + of(RowPhase::dgrad) + of(RowPhase::wgrad) +
           of(RowPhase::inference);
  }
};

struct StepCycles {
  ByPlace places;
  double sparse_gemms = 0;
  double scheme_work = 0;                    // part of other
  std::array<double, kStreamKinds> kinds{};  // parts of other and optimizer

  [[nodiscard]] double step() const {
    return places.gemms() + places.of(RowPhase::other) + places.of(RowPhase::optimizer);
  }
};

/// Of a step with the scheme, and of the dense one; multiply-accumulates, all and those that ran
/// sparse.
struct StepSums {
  StepCycles with;
  StepCycles dense;
  ByPlace macs;
  ByPlace sparse_macs;
};

/// The part of the total, but gemms and step, that rows of a place belong to; null for GEMMs after
/// training.
PhaseTotal* part_of(StudyTotal& total, RowPhase place) {
  constexpr std::array<PhaseTotal StudyTotal::*, kRowPhases - 1> kParts{
      &StudyTotal::forward, &StudyTotal::dgrad, &StudyTotal::wgrad, &StudyTotal::optimizer,
      &StudyTotal::other};
  return place == RowPhase::inference ? nullptr
                                      : &(total.*kParts.at(static_cast<std::size_t>(place)));
}

/// The total of the row's network, scheme and pass, made anew if there is none.
std::size_t total_of(std::vector<StudyTotal>& totals, const ResultRow& row) {
  const auto known = std::find_if(totals.begin(), totals.end(), [&](const StudyTotal& total) {
    return total.network == row.network && total.scheme == row.scheme && total.pass == row.pass();
  });
  const auto index = static_cast<std::size_t>(known - totals.begin());
  if (known == totals.end()) {
    totals.emplace_back();
    totals.back().machine = row.machine;
    totals.back().network = row.network;
    totals.back().scheme = row.scheme;
    totals.back().pass = row.pass();
  }
  return index;
}

void count_failed(std::vector<StudyTotal>& totals, const ResultRow& row) {
  StudyTotal& total = totals[total_of(totals, row)];
  PhaseTotal* const part = part_of(total, place_of(row));
  if (part != nullptr) ++part->failed;
  if (row.kind) ++total.kinds.at(static_cast<std::size_t>(*row.kind)).failed;
  ++total.step.failed;
  ++total.training.failed;
  if (part != &total.other && part != &total.optimizer) ++total.gemms.failed;
  ++(row.scheme_work ? total.scheme_work : total.step_without_work).failed;
}

PhaseTotal phase_total(double cycles, double dense_cycles, double clock_mhz) {
  return {std::llround(cycles), cycles / clock_mhz, cycles > 0 ? dense_cycles / cycles : 1.0, 0,
          dense_cycles / clock_mhz};
}

void add_to(StepSums& sums, const ResultRow& row) {
  const double repeat = row.per_step();
  const double with = repeat * static_cast<double>(row.cycles);
  const double dense = repeat * static_cast<double>(row.dense_cycles);
  sums.with.places.of(place_of(row)) += with;
  sums.dense.places.of(place_of(row)) += dense;
  sums.macs.of(place_of(row)) += static_cast<double>(row.repeat) * static_cast<double>(row.macs);
  sums.sparse_macs.of(place_of(row)) +=
      static_cast<double>(row.repeat) * static_cast<double>(row.sparse_macs);
  if (row.scheme_work) sums.with.scheme_work += with;
  if (row.fused_work) sums.with.scheme_work += with - dense;
  if (row.ran_sparse) {
    sums.with.sparse_gemms += with;
    sums.dense.sparse_gemms += dense;
  }
  if (!row.kind) return;
  sums.with.kinds.at(static_cast<std::size_t>(*row.kind)) += with;
  sums.dense.kinds.at(static_cast<std::size_t>(*row.kind)) += dense;
}

SparseShares sparse_shares(const StepSums& sums) {
  const auto share = [](double sparse, double all) { return all > 0 ? sparse / all : 0; };
  const auto of = [&](RowPhase place) {
    return share(sums.sparse_macs.of(place), sums.macs.of(place));
  };
  return {of(RowPhase::forward), of(RowPhase::dgrad), of(RowPhase::wgrad),
          share(sums.sparse_macs.gemms(), sums.macs.gemms())};
}

/// All parts; its share of training is known.
void fill_in(const StepSums& sums, double clock_mhz, StudyTotal& total) {
  const StepCycles& with = sums.with;
  const StepCycles& dense = sums.dense;
  const auto part = [&](double cycles, double dense_cycles) {
    return phase_total(cycles, dense_cycles, clock_mhz);
  };
  for (const RowPhase place : {RowPhase::forward, RowPhase::dgrad, RowPhase::wgrad, RowPhase::other,
                               RowPhase::optimizer}) {
    *part_of(total, place) = part(with.places.of(place), dense.places.of(place));
  }
  total.gemms = part(with.places.gemms(), dense.places.gemms());
  total.sparse_gemms = part(with.sparse_gemms, dense.sparse_gemms);
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    total.kinds.at(kind) = part(with.kinds.at(kind), dense.kinds.at(kind));
  }
  const auto [launches, calls] = std::pair(total.kinds.rbegin()[1], total.kinds.back());
  total.waits_us = launches.time_us + calls.time_us;
  total.kernels_us = with.step() / clock_mhz - total.waits_us;
  total.dense_kernels_us = dense.step() / clock_mhz - launches.dense_time_us;
  if (total.kernels_us > 0) total.kernels_speedup = total.dense_kernels_us / total.kernels_us;
  total.scheme_work = part(with.scheme_work, dense.scheme_work);
  total.step = part(with.step(), dense.step());
  total.step_without_work = part(with.step() - with.scheme_work, dense.step());
  const double share = total.share_of_training;
  total.training = part(share * with.step() + (1.0 - share) * dense.step(), dense.step());
  total.sparse_share = sparse_shares(sums);
}

template <class Named>
const Named& named(const std::vector<Named>& all, const std::string& name) {
  return *std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
}

}  // namespace

std::vector<StudyTotal> sum_totals(const std::vector<ResultRow>& rows,
                                   const std::vector<double>& shares, double clock_mhz,
                                   const std::vector<ResultRow>& failed) {
  std::vector<StudyTotal> totals;
  std::vector<StepSums> sums;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const ResultRow& row = rows[at];
    const std::size_t index = total_of(totals, row);
    sums.resize(totals.size());
    add_to(sums[index], row);
    StudyTotal& total = totals[index];
    total.share_of_training = std::min(total.share_of_training, shares[at]);
    total.joules += row.per_step() * row.joules;
    total.dense_joules += row.per_step() * row.dense_joules;
  }
  for (std::size_t at = 0; at < totals.size(); ++at) fill_in(sums[at], clock_mhz, totals[at]);
  for (const ResultRow& row : failed) count_failed(totals, row);
  return totals;
}

void add_memory(StudyTotal& total, const Experiment& experiment, const MachineSpec& machine,
                const DenseChoices& choices) {
  total.capacity_bytes = machine.config.accelerator.dram.capacity_bytes;
  const Network& network = named(experiment.networks, total.network);
  total.products_only = network.products_only;
  if (experiment.runs_streams_of(network)) {
    total.framework = experiment.framework.name;
    total.scores = score_place(network, experiment.framework);
  }
  if (total.pass != StudyPass::training || network.products_only) return;
  const Scheme& scheme = named(experiment.schemes, total.scheme);
  const auto packed_as = [&](const Layer& layer, Phase phase) -> std::optional<PackedTensor> {
    const Scheme here = choices.apply(scheme, layer, false);
    const SchemeGemms gemms = scheme_gemms(machine, here, layer, phase, network.batch,
                                           experiment.dtype, policy_of(experiment, machine.config));
    const bool is_kept = here.updates_kept && gemms.request.tensor == Tensor::weight;
    const bool as_stored = is_kept || gemms.support.is_in_windows(gemms.request.pattern);
    const Pattern packed = as_stored ? gemms.storable : gemms.support.hardware();
    if (packed.is_dense()) return std::nullopt;
    return PackedTensor{gemms.request.tensor, packed, gemms.gemms.front().dtype,
                        gemms.request.dense_share};
  };
  total.memory = step_memory(network, experiment.dtype, experiment.framework, scheme, packed_as);
}

}  // namespace stcsim
