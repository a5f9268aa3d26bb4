#include "reports/study_json.hpp"

#include <algorithm>
#include <vector>

#include <nlohmann/json.hpp>

#include "common/io/csv.hpp"
#include "common/io/json_fields.hpp"
#include "reports/launch_parts.hpp"
#include "reports/study_losses.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::array<JsonField<ResultRow>, 37> kRowFields{{
    {"machine", &ResultRow::machine},
    {"network", &ResultRow::network},
    {"layer", &ResultRow::layer},
    {"phase", &ResultRow::phase},
    {"scheme", &ResultRow::scheme},
    {"op", &ResultRow::op},
    {"kind", &ResultRow::kind},
    {"scheme_work", &ResultRow::scheme_work},
    {"fused_work", &ResultRow::fused_work},
    {"repeat", &ResultRow::repeat},
    {"every", &ResultRow::every},
    {"m", &ResultRow::m},
    {"n", &ResultRow::n},
    {"k", &ResultRow::k},
    {"batch_count", &ResultRow::batch_count},
    {"gemm_count", &ResultRow::gemm_count},
    {"longest_part", &ResultRow::longest_part},
    {"launches", &ResultRow::launches},
    {"macs", &ResultRow::macs},
    {"sparse_macs", &ResultRow::sparse_macs},
    {"dtype", &ResultRow::dtype},
    {"pattern", &ResultRow::pattern},
    {"hardware_pattern", &ResultRow::hardware_pattern},
    {"sparse_operand", &ResultRow::sparse_operand},
    {"ran_sparse", &ResultRow::ran_sparse},
    {"reason", &ResultRow::reason},
    {"cycles", &ResultRow::cycles},
    {"dense_cycles", &ResultRow::dense_cycles},
    {"time_us", &ResultRow::time_us},
    {"dense_time_us", &ResultRow::dense_time_us},
    {"speedup", &ResultRow::speedup},
    {"utilization", &ResultRow::utilization},
    {"bound_by", &ResultRow::bound_by},
    {"tile", &ResultRow::tile},
    {"regret_at_most", &ResultRow::regret_at_most},
    {"joules", &ResultRow::joules},
    {"dense_joules", &ResultRow::dense_joules},
}};

/// Of rows that might be sampled only.
constexpr std::array<JsonField<ResultRow>, 3> kBoundFields{{
    {"cycles_low", &ResultRow::cycles_low},
    {"cycles_high", &ResultRow::cycles_high},
    {"simulated_share", &ResultRow::simulated_share},
}};

constexpr std::array<JsonField<StudyTotal>, 12> kTotalFields{{
    {"machine", &StudyTotal::machine},
    {"network", &StudyTotal::network},
    {"scheme", &StudyTotal::scheme},
    {"pass", &StudyTotal::pass},
    {"stack", &StudyTotal::stack},
    {"framework", &StudyTotal::framework},
    {"clock_mhz", &StudyTotal::clock_mhz},
    {"clock_of", &StudyTotal::clock_of},
    {"dense_watts", &StudyTotal::dense_watts},
    {"joules", &StudyTotal::joules},
    {"dense_joules", &StudyTotal::dense_joules},
    {"share_of_training", &StudyTotal::share_of_training},
}};

constexpr std::array<JsonField<PhaseTotal>, 5> kPhaseTotalFields{{
    {"cycles", &PhaseTotal::cycles},
    {"time_us", &PhaseTotal::time_us},
    {"dense_time_us", &PhaseTotal::dense_time_us},
    {"speedup", &PhaseTotal::speedup},
    {"failed", &PhaseTotal::failed},
}};

constexpr std::array<JsonField<SparseShares>, 4> kShareFields{{
    {"forward", &SparseShares::forward},
    {"dgrad", &SparseShares::dgrad},
    {"wgrad", &SparseShares::wgrad},
    {"gemms", &SparseShares::gemms},
}};

constexpr std::array<JsonField<StepMemory>, 8> kMemoryFields{{
    {"weights_bytes", &StepMemory::weights},
    {"compressed_bytes", &StepMemory::compressed},
    {"metadata_bytes", &StepMemory::metadata},
    {"masks_bytes", &StepMemory::masks},
    {"gradients_bytes", &StepMemory::gradients},
    {"optimizer_bytes", &StepMemory::optimizer},
    {"activations_bytes", &StepMemory::activations},
    {"working_bytes", &StepMemory::working},
}};

constexpr std::array<JsonField<StudyTotal>, 1> kCapacityField{{
    {"capacity_bytes", &StudyTotal::capacity_bytes},
}};

constexpr std::array<JsonField<SpeedupInterval>, 3> kIntervalFields{{
    {"low", &SpeedupInterval::low},
    {"high", &SpeedupInterval::high},
    {"assumed", &SpeedupInterval::is_assumed},
}};

struct TotalPart {
  std::string_view key;
  PhaseTotal StudyTotal::*member;
};

constexpr std::array<TotalPart, 12> kTotalParts{{
    {"forward", &StudyTotal::forward},
    {"dgrad", &StudyTotal::dgrad},
    {"wgrad", &StudyTotal::wgrad},
    {"gemms", &StudyTotal::gemms},
    {"sparse_gemms", &StudyTotal::sparse_gemms},
    {"other", &StudyTotal::other},
    {"optimizer", &StudyTotal::optimizer},
    {"scheme_work", &StudyTotal::scheme_work},
    {"step", &StudyTotal::step},
    {"step_without_work", &StudyTotal::step_without_work},
    {"training", &StudyTotal::training},
    {"always", &StudyTotal::always},
}};

constexpr std::array<JsonField<StackGain>, 3> kStackGainFields{{
    {"stack", &StackGain::stack},
    {"time_us", &StackGain::time_us},
    {"speedup", &StackGain::speedup},
}};

ResultRow read_row(const JsonReader& object) {
  ResultRow row;
  read_fields(object, row, kRowFields);
  if (object.has(kBoundFields.front().key)) read_fields(object, row, kBoundFields);
  row.kernel = read_kernel(object.object("kernel"));
  row.counters = read_counters(object);
  row.units = read_buckets(object.object("buckets"));
  return row;
}

StudyTotal read_total(const JsonReader& object) {
  StudyTotal total;
  read_fields(object, total, kTotalFields);
  read_fields(object.object("sparse_share"), total.sparse_share, kShareFields);
  for (const TotalPart& part : kTotalParts) {
    read_fields(object.object(part.key), total.*part.member, kPhaseTotalFields);
  }
  read_fields(object.object("speedup_interval"), total.interval, kIntervalFields);
  for (const JsonReader& one : object.array("beside")) {
    read_fields(one, total.beside.emplace_back(), kStackGainFields);
  }
  read_fields(object.object("step_interval"), total.step_interval, kIntervalFields);
  read_fields(object.object("memory"), total.memory, kMemoryFields);
  read_fields(object.object("memory"), total, kCapacityField);
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    read_fields(object.object("kinds").object(to_string(static_cast<StreamKind>(kind))),
                total.kinds.at(kind), kPhaseTotalFields);
  }
  return total;
}

}  // namespace

ordered_json row_json(const ResultRow& row) {
  ordered_json object = ordered_json::object();
  write_fields(object, row, kRowFields);
  if (row.simulated_share > 0) write_fields(object, row, kBoundFields);
  object["kernel"] = kernel_json(row.kernel);
  write_counters(object, row.counters);
  object["buckets"] = buckets_json(row.units);
  return object;
}

ordered_json total_json(const StudyTotal& total) {
  ordered_json object = ordered_json::object();
  write_fields(object, total, kTotalFields);
  object["complete"] = total.is_complete();
  object["speedup"] = total.training.speedup;
  object["gemm_speedup"] = total.gemms.speedup;
  write_fields(object["speedup_interval"], total.interval, kIntervalFields);
  object["verdict"] = total.interval.verdict();
  write_fields(object["step_interval"], total.step_interval, kIntervalFields);
  write_fields(object["sparse_share"], total.sparse_share, kShareFields);
  for (const TotalPart& part : kTotalParts) {
    write_fields(object[std::string(part.key)], total.*part.member, kPhaseTotalFields);
  }
  ordered_json& beside = object["beside"] = ordered_json::array();
  for (const StackGain& one : total.beside) {
    write_fields(beside.emplace_back(ordered_json::object()), one, kStackGainFields);
  }
  for (std::size_t kind = 0; kind < kStreamKinds; ++kind) {
    write_fields(object["kinds"][std::string(to_string(static_cast<StreamKind>(kind)))],
                 total.kinds.at(kind), kPhaseTotalFields);
  }
  ordered_json& memory = object["memory"];
  write_fields(memory, total.memory, kMemoryFields);
  memory["total_bytes"] = total.memory.total();
  write_fields(memory, total, kCapacityField);
  memory["fits"] = total.fits();
  return object;
}

std::string study_to_json(const StudyResult& study) {
  ordered_json document = document_head(kStudySchema, study.config_hash);
  document["config"] = config_object(study.resolved_config);
  ordered_json& results = document["results"] = ordered_json::array();
  for (const ResultRow& row : study.rows) results.push_back(row_json(row));
  ordered_json& totals = document["totals"] = ordered_json::array();
  for (const StudyTotal& total : study.totals) totals.push_back(total_json(total));
  document["losses"] = losses_json(study);
  if (study.checked_gemms > 0) document["checked_gemms"] = study.checked_gemms;
  document["complete"] = study.failures.empty();
  document["failures"] = study.failures;
  return document_text(document);
}

StudyResult study_from_json(std::string_view text, const std::string& file) {
  const ordered_json parsed = parse_json(text, file);
  const JsonReader document(parsed, file);
  document.require_schema(kStudySchema);
  StudyResult study;
  document.read("config_hash", study.config_hash);
  study.resolved_config = document.object("config").compact_text();
  for (const JsonReader& row : document.array("results")) study.rows.push_back(read_row(row));
  for (const JsonReader& total : document.array("totals")) {
    study.totals.push_back(read_total(total));
  }
  study.failures = document.texts("failures");
  return study;
}

std::string results_to_csv(const StudyResult& study) {
  std::vector<nlohmann::ordered_json> rows;
  for (const ResultRow& row : study.rows) rows.push_back(row_json(row));
  ResultRow shape;
  shape.counters = all_counters(study.rows);
  for (const ResultRow& row : study.rows) {
    shape.simulated_share = std::max(shape.simulated_share, row.simulated_share);
  }
  return to_csv(row_json(shape), rows);
}

std::string totals_to_csv(const StudyResult& study) {
  std::vector<nlohmann::ordered_json> rows;
  const auto row_of = [](const StudyTotal& total) {
    nlohmann::ordered_json row = total_json(total);
    row.erase("beside");  // how many there are differs
    return row;
  };
  for (const StudyTotal& total : study.totals) rows.push_back(row_of(total));
  return to_csv(row_of(StudyTotal{}), rows);
}

}  // namespace stcsim
