#include "reports/study_losses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"
#include "common/phase.hpp"
#include "workloads/scheme.hpp"

namespace stcsim {
namespace {

constexpr std::size_t kWorstRows = 5;

std::string_view pass_of(const ResultRow& row) {
  return row.phase == kInferenceName ? kInferenceName : kTrainingPass;
}

SparsityLoss loss_of(const ResultRow& row) {
  const Pattern hardware = pattern_from_string(row.hardware_pattern).value_or(kDense);
  SparsityLoss loss{&row, static_cast<double>(hardware.m) / static_cast<double>(hardware.n)};
  const double ideal = static_cast<double>(row.dense_cycles) / loss.ideal_gain;
  loss.lost_cycles =
      std::llround(static_cast<double>(row.repeat) * (static_cast<double>(row.cycles) - ideal));
  return loss;
}

/// The losses of the row's machine, network, pass and scheme, made anew if there are none.
SchemeLosses& losses_of(std::vector<SchemeLosses>& all, const ResultRow& row) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const SchemeLosses& losses) {
    return losses.machine == row.machine && losses.network == row.network &&
           losses.scheme == row.scheme && losses.pass == pass_of(row);
  });
  if (known != all.end()) return *known;
  return all.emplace_back(
      SchemeLosses{row.machine, row.network, row.scheme, std::string(pass_of(row)), 0, {}, {}});
}

void keep_worst(SchemeLosses& losses) {
  std::stable_sort(
      losses.worst.begin(), losses.worst.end(),
      [](const SparsityLoss& a, const SparsityLoss& b) { return a.lost_cycles > b.lost_cycles; });
  losses.worst.resize(std::min(losses.worst.size(), kWorstRows));
  for (SparsityLoss& loss : losses.worst) {
    loss.share = static_cast<double>(loss.lost_cycles) / static_cast<double>(losses.lost_cycles);
  }
}

/// The text as a word of a shell.
std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.,:/+@%=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string word = "'";
  for (const char character : text) {
    word += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return word + "'";
}

/// What of the experiment is not the default: type, batch and how kernels are picked. No kernel
/// runs both sparse and dense GEMMs, so that none is named where something is lost.
void add_settings(const nlohmann::ordered_json& config, const ResultRow& row,
                  std::vector<std::string>& parts) {
  if (config.contains("networks")) {
    for (const auto& network : config["networks"]) {
      if (network.value("name", "") != row.network || !network.contains("batch")) continue;
      parts.push_back(fmt::format("--batch {}", network["batch"].get<std::int64_t>()));
    }
  }
  const std::string dtype = config.value("dtype", "fp16");
  if (dtype != "fp16") parts.push_back("--dtype " + dtype);
  if (config.contains("stack")) {
    parts.push_back("--stack " + shell_word(config["stack"].get<std::string>()));
  }
  if (config.contains("kernel_candidates")) {
    parts.push_back(
        fmt::format("--candidates {}", config["kernel_candidates"].get<std::int64_t>()));
  }
}

std::vector<std::string> explain_of(const nlohmann::ordered_json& config, const ResultRow& row) {
  const bool is_training = pass_of(row) == kTrainingPass;
  std::vector<std::string> parts{
      "stcsim explain", "--arch " + shell_word(row.machine),
      "--layer " + shell_word(row.network + ":" + row.layer),
      fmt::format("--phase {}", is_training ? row.phase : to_string(Phase::forward)),
      "--scheme " + shell_word(row.scheme)};
  if (row.gemm_count > 1) parts.push_back(fmt::format("--part {}", row.longest_part));
  add_settings(config, row, parts);
  return parts;
}

}  // namespace

std::vector<SchemeLosses> study_losses(const StudyResult& study) {
  std::vector<SchemeLosses> all;
  for (const ResultRow& row : study.rows) {
    if (!row.ran_sparse || row.scheme == kBaselineScheme) continue;
    const SparsityLoss loss = loss_of(row);
    if (loss.lost_cycles <= 0) continue;
    SchemeLosses& losses = losses_of(all, row);
    losses.lost_cycles += loss.lost_cycles;
    losses.worst.push_back(loss);
  }
  if (all.empty()) return all;
  const nlohmann::ordered_json config = config_object(study.resolved_config);
  for (SchemeLosses& losses : all) {
    keep_worst(losses);
    losses.explain = explain_of(config, *losses.worst.front().row);
  }
  return all;
}

}  // namespace stcsim
