#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/figures.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/json_text.hpp"
#include "reports/parts/launch_parts.hpp"
#include "reports/run/study_folded.hpp"
#include "reports/run/study_losses.hpp"
#include "reports/run/study_report.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

void add_subject(ordered_json& object, const RowSubject& row) {
  add_figures(object, {{"machine", row.machine},
                       {"network", row.network},
                       {"layer", row.layer},
                       {"phase", row.phase},
                       {"scheme", row.scheme},
                       {"op", row.op},
                       {"kind", row.kind ? to_string(*row.kind) : "gemm"},
                       {"scheme_work", row.scheme_work},
                       {"fused_work", row.fused_work},
                       {"repeat", row.repeat},
                       {"every", row.every}});
}

void add_shape(ordered_json& object, const RowShape& row) {
  add_figures(object, {{"m", row.m},
                       {"n", row.n},
                       {"k", row.k},
                       {"batch_count", row.batch_count},
                       {"gemm_count", row.gemm_count},
                       {"longest_part", row.longest_part}});
}

void add_work(ordered_json& object, const RowWork& row) {
  const std::optional<Tensor>& operand = row.sparse_operand;
  add_figures(object, {{"launches", row.launches},
                       {"macs", row.macs},
                       {"sparse_macs", row.sparse_macs},
                       {"dtype", row.dtype},
                       {"pattern", row.pattern},
                       {"hardware_pattern", row.hardware_pattern},
                       {"sparse_operand", operand ? to_string(*operand) : "none"},
                       {"ran_sparse", row.ran_sparse},
                       {"reason", row.reason}});
}

void add_time(ordered_json& object, const RowTime& row) {
  add_figures(object, {{"cycles", row.cycles},
                       {"dense_cycles", row.dense_cycles},
                       {"time_us", row.time_us},
                       {"dense_time_us", row.dense_time_us},
                       {"speedup", row.speedup},
                       {"utilization", row.utilization},
                       {"bound_by", row.bound_by},
                       {"tile", row.kernel.tile()},
                       {"regret_at_most", row.regret_at_most},
                       {"joules", row.joules},
                       {"dense_joules", row.dense_joules}});
  if (row.sampled) {
    add_figures(object, {{"cycles_low", row.sampled->cycles_low},
                         {"cycles_high", row.sampled->cycles_high},
                         {"simulated_share", row.sampled->simulated_share}});
  }
}

ordered_json row_json(const ResultRow& row) {
  ordered_json object = row_figures(row);
  object["kernel"] = kernel_json(row.kernel);
  write_counters(object, row.counters);
  object["buckets"] = buckets_json(row.units);
  return object;
}

ordered_json part_json(const PhaseTotal& part) {
  return figures({{"cycles", part.cycles},
                  {"time_us", part.time_us},
                  {"dense_time_us", part.dense_time_us},
                  {"speedup", part.speedup},
                  {"failed", part.failed}});
}

ordered_json shares_json(const SparseShares& shares) {
  return figures({{"forward", shares.forward},
                  {"dgrad", shares.dgrad},
                  {"wgrad", shares.wgrad},
                  {"gemms", shares.gemms}});
}

ordered_json memory_json(const StudyTotal& total) {
  const StepMemory& memory = total.memory;
  return figures({{"weights_bytes", memory.weights},
                  {"compressed_bytes", memory.compressed},
                  {"metadata_bytes", memory.metadata},
                  {"masks_bytes", memory.masks},
                  {"gradients_bytes", memory.gradients},
                  {"optimizer_bytes", memory.optimizer},
                  {"activations_bytes", memory.activations},
                  {"working_bytes", memory.working},
                  {"total_bytes", memory.total()},
                  {"capacity_bytes", total.capacity_bytes},
                  {"fits", total.fits()}});
}

ordered_json total_json(const StudyTotal& total) {
  ordered_json object = figures({{"machine", total.machine},
                                 {"network", total.network},
                                 {"scheme", total.scheme},
                                 {"pass", total.pass},
                                 {"stack", total.stack},
                                 {"framework", total.framework},
                                 {"products_only", total.products_only},
                                 {"attention", to_string(total.scores)},
                                 {"clock_mhz", total.clock_mhz},
                                 {"clock_of", total.clock_of},
                                 {"dense_watts", total.dense_watts},
                                 {"joules", total.joules},
                                 {"dense_joules", total.dense_joules},
                                 {"share_of_training", total.share_of_training},
                                 {"complete", total.is_complete()},
                                 {"speedup", total.training.speedup},
                                 {"gemm_speedup", total.gemms.speedup},
                                 {"speedup_interval", interval_json(total.interval)},
                                 {"verdict", total.interval.verdict()},
                                 {"step_interval", interval_json(total.step_interval)},
                                 {"time_interval", interval_json(total.time_interval)},
                                 {"dense_time_interval", interval_json(total.dense_time_interval)},
                                 {"sparse_share", shares_json(total.sparse_share)}});
  for (const auto& [name, part] : kTotalParts) object[std::string(name)] = part_json(total.*part);
  object["beside"] = beside_json(total.beside);
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    object["kinds"][std::string(to_string(static_cast<StreamKind>(kind)))] =
        part_json(total.kinds.at(kind));
  }
  object["memory"] = memory_json(total);
  return object;
}

ordered_json times_json(const NamedTimes& times) {
  ordered_json object = ordered_json::object();
  for (const auto& [name, us] : times) object[name + "_us"] = json_number(us, name);
  return object;
}

/// [what, begin, end] of each, in us.
ordered_json spans_json(const std::vector<StreamSpan>& spans) {
  ordered_json list = ordered_json::array();
  for (const StreamSpan& span : spans) {
    list.push_back(
        {span.what, json_number(span.begin_us, span.what), json_number(span.end_us, span.what)});
  }
  return list;
}

ordered_json parallel_json(const ParallelTotal& total) {
  ordered_json object = parallel_figures(total);
  object["exposed"] = times_json(total.times.exposed);
  object["collectives"] = times_json(total.times.collectives);
  object["streams"] = {{"kernels", spans_json(total.times.kernel_spans)},
                       {"collectives", spans_json(total.times.collective_spans)}};
  return object;
}

ordered_json study_document(const StudyResult& study) {
  ordered_json document = document_head(kStudySchema, study.config_hash);
  document["config"] = config_object(study.resolved_config);
  document["results"] = figures_of_each(study.rows, &row_json);
  document["totals"] = figures_of_each(study.totals, &total_json);
  if (!study.parallel.empty()) {
    document["parallel"] = figures_of_each(study.parallel, &parallel_json);
  }
  document["losses"] = losses_json(study);
  if (study.checked_gemms > 0) document["checked_gemms"] = study.checked_gemms;
  document["complete"] = study.failures.empty();
  document["failures"] = study.failures;
  return document;
}

/// A row with every key that one of the study may have.
ordered_json row_shape(const StudyResult& study) {
  ResultRow shape;
  shape.counters = all_counters(study.rows);
  if (std::ranges::any_of(study.rows,
                          [](const ResultRow& row) { return row.sampled.has_value(); })) {
    shape.sampled.emplace();
  }
  return row_json(shape);
}

}  // namespace

ordered_json row_figures(const ResultRow& row) {
  ordered_json object;
  add_subject(object, row);
  add_shape(object, row);
  add_work(object, row);
  add_time(object, row);
  return object;
}

ordered_json parallel_figures(const ParallelTotal& total) {
  return figures({{"machine", total.machine},
                  {"network", total.network},
                  {"scheme", total.scheme},
                  {"gpus", total.gpus},
                  {"nodes", total.nodes},
                  {"kind", "predicted"},
                  {"time_us", total.times.us},
                  {"dense_time_us", total.dense_us},
                  {"speedup", total.speedup},
                  {"speedup_interval", interval_json(total.likely)},
                  {"kernels_speedup", total.kernels_speedup},
                  {"efficiency", total.efficiency},
                  {"slowed_us", total.times.slowed_us},
                  {"memory_bytes", total.memory_bytes},
                  {"capacity_bytes", total.capacity_bytes},
                  {"fits", total.fits()},
                  {"gains_nothing_from", total.gains_nothing_from}});
}

std::string study_to_json(const StudyResult& study) {
  return document_text(study_document(study));
}

std::string study_to_folded_json(const StudyResult& study) {
  return document_text(folded_study(study_document(study)));
}

std::string results_to_csv(const StudyResult& study) {
  return to_csv(row_shape(study), figures_of_each(study.rows, &row_json));
}

std::string results_to_folded_csv(const StudyResult& study) {
  const auto row_of = [](const FoldedRow& folded) {
    ordered_json row = row_json(*folded.row);
    row["scheme"] = folded.scheme_names();
    return row;
  };
  return to_csv(row_shape(study), figures_of_each(folded_rows(study.rows), row_of));
}

std::string totals_to_csv(const StudyResult& study) {
  const auto row_of = [](const StudyTotal& total) {
    ordered_json row = total_json(total);
    row.erase("beside");  // how many there are differs
    return row;
  };
  return to_csv(row_of(StudyTotal{}), figures_of_each(study.totals, row_of));
}

}  // namespace stcsim
