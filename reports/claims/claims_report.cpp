#include "reports/claims/claims_report.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/json_text.hpp"
#include "common/io/table.hpp"
#include "reports/evidence/verdict_tally.hpp"

namespace stcsim {
namespace {

PaperUnit unit_of(const Claim& claim) {
  return figure_of(claim.quantity).unit;
}

std::string published_text(const Claim& claim) {
  return format_range(unit_of(claim), claim.published.least, claim.published.most);
}

/// "against estimated: direction only"
std::string verdict_text(const ClaimAnswer& answer) {
  return answer.kind ? fmt::format("{}: {}", to_string(*answer.kind), answer.verdict) : "-";
}

/// "sdgp-2:4: saved of training time (resnet50)"
std::string heading(const Claim& claim) {
  return fmt::format("{}: {} ({})", claim.scheme_name(), claim.says, claim.network);
}

std::string place_of(const ClaimAnswer& answer) {
  return fmt::format("{} with {}", answer.machine, answer.framework);
}

/// What was published and what comes out, in one sentence.
std::string verdict_line(const CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  std::string line = fmt::format("Published: {}{}{}", published_text(claim),
                                 claim.obtained.empty() ? "" : ", " + claim.obtained,
                                 claim.setting.empty() ? "" : " (" + claim.setting + ")");
  if (checked.answers.empty()) return line + ". Not simulated.";
  const auto [least, most] = std::minmax_element(
      checked.answers.begin(), checked.answers.end(),
      [](const ClaimAnswer& left, const ClaimAnswer& right) { return left.value < right.value; });
  const std::string first = format_figure(unit_of(claim), least->value);
  const std::string last = format_figure(unit_of(claim), most->value);
  if (first == last) return fmt::format("{}. Simulated: {}.", line, first);
  return fmt::format("{}. Simulated: {} on {}, {} on {}.", line, first, place_of(*least), last,
                     place_of(*most));
}

Table answers_table(const CheckedClaim& checked) {
  const PaperQuantity quantity = figure_of(checked.claim.quantity);
  Table table({{"machine"},
               {"framework"},
               {quantity.title, Align::right},
               {"between", Align::right, 1},
               {"verdict", Align::left, 0, true},
               {"because", Align::left, 0, true}});
  for (const ClaimAnswer& answer : checked.answers) {
    const bool is_range = answer.low != answer.high;
    table.add_row({answer.machine, answer.framework, format_figure(quantity.unit, answer.value),
                   is_range ? format_range(quantity.unit, answer.low, answer.high) : "-",
                   verdict_text(answer), answer.because.empty() ? "-" : answer.because});
  }
  return table;
}

std::string gemm_text(const GemmProblem& problem) {
  return fmt::format("{}x{}x{} {} {}", problem.m, problem.n, problem.k, to_string(problem.dtype),
                     problem.a_pattern.to_string());
}

/// Of all claims of one publication about one GEMM each.
Table gemm_table(const std::vector<CheckedClaim>& checked, std::string_view source) {
  Table table({{"claim", Align::left, 0, true},
               {"machine"},
               {"GEMM", Align::left, 0, true},
               {"published", Align::right},
               {"simulated", Align::right},
               {"deviation", Align::right},
               {"verdict", Align::left, 0, true},
               {"because", Align::left, 0, true}});
  for (const auto& [claim, answers] : checked) {
    if (!claim.gemm || claim.source != source) continue;
    for (const ClaimAnswer& answer : answers) {
      table.add_row({claim.says, answer.machine, gemm_text(claim.gemm->problem),
                     published_text(claim), format_figure(unit_of(claim), answer.value),
                     deviation_text(claim.published, unit_of(claim), answer.value),
                     verdict_text(answer), answer.because});
    }
  }
  return table;
}

VerdictTally tally_of(const std::vector<CheckedClaim>& checked) {
  VerdictTally tally;
  for (const auto& [claim, answers] : checked) {
    for (const ClaimAnswer& answer : answers) {
      const std::string place = claim.gemm ? answer.machine : place_of(answer);
      if (answer.kind) tally.add(*answer.kind, place, answer.verdict);
    }
  }
  return tally;
}

/// "" if nothing was judged.
std::string tally_lines(const std::vector<CheckedClaim>& checked) {
  std::string lines;
  for (const std::string& line : tally_of(checked).lines()) lines += "- " + line + "\n";
  return lines.empty() ? "" : "Verdicts:\n\n" + lines + "\n";
}

std::string not_compared(const std::vector<CheckedClaim>& checked) {
  std::string lines;
  for (const auto& [claim, answers] : checked) {
    if (claim.not_compared.empty()) continue;
    lines += fmt::format("- {} ({}): {}\n", claim.says, claim.source, claim.not_compared);
  }
  return lines.empty() ? "" : "Not compared:\n\n" + lines;
}

std::string page(const std::vector<CheckedClaim>& checked, std::string_view mark,
                 const std::function<std::string(const Table&)>& print) {
  std::string text;
  std::string_view source;
  bool has_gemm_table = false;
  for (const CheckedClaim& one : checked) {
    if (!one.claim.not_compared.empty()) continue;
    if (one.claim.source != source) {
      source = one.claim.source;
      has_gemm_table = false;
      text += fmt::format("{}{}\n\n", mark, source);
    }
    if (one.claim.gemm) {
      if (!has_gemm_table) text += print(gemm_table(checked, source)) + "\n";
      has_gemm_table = true;
      continue;
    }
    text += fmt::format("{}{}\n\n{}\n\n", mark.empty() ? "" : "#" + std::string(mark),
                        heading(one.claim), verdict_line(one));
    if (!one.answers.empty()) text += print(answers_table(one)) + "\n";
  }
  return text + tally_lines(checked) + not_compared(checked);
}

nlohmann::ordered_json answer_json(const Claim& claim, const ClaimAnswer& answer) {
  return {{"machine", answer.machine},
          {"framework", answer.framework},
          {"value", json_number(answer.value, "value")},
          {"low", json_number(answer.low, "low")},
          {"high", json_number(answer.high, "high")},
          {"deviation",
           json_number(deviation_of(claim.published, unit_of(claim), answer.value), "deviation")},
          {"kind", answer.kind ? to_string(*answer.kind) : ""},
          {"verdict", answer.verdict},
          {"because", answer.because}};
}

/// What is simulated for it.
nlohmann::ordered_json subject_json(const Claim& claim) {
  if (!claim.gemm) return {{"scheme", claim.scheme_name()}, {"network", claim.network}};
  const GemmProblem& problem = claim.gemm->problem;
  return {{"gemm",
           {{"m", problem.m},
            {"n", problem.n},
            {"k", problem.k},
            {"dtype", to_string(problem.dtype)},
            {"pattern", problem.a_pattern.to_string()}}},
          {"machine", claim.gemm->machine},
          {"against", claim.gemm->against.to_string()}};
}

nlohmann::ordered_json claim_json(const CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  nlohmann::ordered_json json{{"source", claim.source},
                              {"says", claim.says},
                              {"obtained", claim.obtained},
                              {"setting", claim.setting}};
  if (!claim.not_compared.empty()) {
    json["not_compared"] = claim.not_compared;
  } else {
    json.update(subject_json(claim));
    json.update({{"quantity", to_string(claim.quantity)},
                 {"unit", to_string(unit_of(claim))},
                 {"least", json_number(claim.published.least, "least")},
                 {"most", json_number(claim.published.most, "most")},
                 {"tolerance", json_number(claim.tolerance, "tolerance")},
                 {"fitted", claim.fitted}});
  }
  json["answers"] = nlohmann::ordered_json::array();
  for (const ClaimAnswer& answer : checked.answers) {
    json["answers"].push_back(answer_json(claim, answer));
  }
  return json;
}

}  // namespace

std::string claims_text(const CheckedClaims& result, std::size_t width) {
  return page(result.claims, "", [width](const Table& table) { return table.to_string(width); });
}

std::string claims_markdown(const CheckedClaims& result) {
  return page(result.claims, "### ", [](const Table& table) { return table.to_markdown(); });
}

std::string claims_to_json(const CheckedClaims& result) {
  nlohmann::ordered_json json = document_head("stcsim.claims/2", result.config_hash);
  json["tally"] = tally_of(result.claims).to_json();
  json["claims"] = nlohmann::ordered_json::array();
  for (const CheckedClaim& checked : result.claims) json["claims"].push_back(claim_json(checked));
  return document_text(json);
}

}  // namespace stcsim
