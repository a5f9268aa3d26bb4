#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "common/pattern.hpp"
#include "common/phase.hpp"
#include "reports/page/page_document.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

struct LostGemm {
  WorstGemm gemm;
  double lost_cycles = 0;
};

double lost_cycles_of(const ordered_json& result) {
  const Pattern hardware =
      pattern_from_string(result["hardware_pattern"].get<std::string>()).value_or(kDense);
  const double ideal = result["dense_cycles"].get<double>() * static_cast<double>(hardware.n) /
                       static_cast<double>(hardware.m);
  return (result["cycles"].get<double>() - ideal) * result["repeat"].get<double>() /
         std::max(1.0, result["every"].get<double>());
}

/// The clock of the result's machine, network and pass; 0 if no total has it.
double clock_of(const ordered_json& study, const ordered_json& result) {
  const bool is_inference = result["phase"] == std::string(kInferenceName);
  for (const ordered_json& total : study["totals"]) {
    if (total["machine"] == result["machine"] && total["network"] == result["network"] &&
        total["scheme"] == result["scheme"] &&
        (total["pass"] == std::string(kInferenceName)) == is_inference) {
      return total["clock_mhz"].get<double>();
    }
  }
  return 0;
}

/// What makes a problem the same one, as JSON text.
std::string question_of(const ordered_json& result) {
  return ordered_json{result["machine"],     result["m"],     result["n"],      result["k"],
                      result["batch_count"], result["dtype"], result["pattern"]}
      .dump();
}

}  // namespace

std::vector<WorstGemm> worst_gemms(const ordered_json& study, std::size_t count) {
  std::map<std::string, LostGemm> by_question;
  for (const ordered_json& result : study["results"]) {
    if (!result.value("ran_sparse", false)) continue;
    LostGemm& lost = by_question[question_of(result)];
    lost.lost_cycles += lost_cycles_of(result);
    if (!lost.gemm.machine.empty()) continue;
    lost.gemm = {result["machine"],      result["network"], result["layer"],
                 result["phase"],        result["scheme"],  result.value("longest_part", 1UL) - 1,
                 clock_of(study, result)};
  }
  std::vector<LostGemm> sorted;
  for (const auto& [question, lost] : by_question) sorted.push_back(lost);
  std::stable_sort(sorted.begin(), sorted.end(), [](const LostGemm& a, const LostGemm& b) {
    return a.lost_cycles > b.lost_cycles;
  });
  sorted.resize(std::min(sorted.size(), count));
  std::vector<WorstGemm> worst;
  for (LostGemm& lost : sorted) worst.push_back(std::move(lost.gemm));
  return worst;
}

}  // namespace stcsim
