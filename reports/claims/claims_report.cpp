#include "reports/claims/claims_report.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "common/io/format.hpp"
#include "common/io/json_text.hpp"
#include "common/io/table.hpp"
#include "reports/claims/gemm_claims.hpp"

namespace stcsim {
namespace {

std::string range(ClaimQuantity quantity, double low, double high) {
  const std::string first = format_quantity(quantity, low);
  const std::string last = format_quantity(quantity, high);
  return first == last ? first : first + " to " + last;
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
  std::string line =
      fmt::format("Published: {}{}{}", range(claim.quantity, claim.least, claim.most),
                  claim.obtained.empty() ? "" : ", " + claim.obtained,
                  claim.setting.empty() ? "" : " (" + claim.setting + ")");
  if (checked.answers.empty()) return line + ". Not simulated.";
  const auto [least, most] = std::minmax_element(
      checked.answers.begin(), checked.answers.end(),
      [](const ClaimAnswer& left, const ClaimAnswer& right) { return left.value < right.value; });
  const std::string first = format_quantity(claim.quantity, least->value);
  const std::string last = format_quantity(claim.quantity, most->value);
  if (first == last) return fmt::format("{}. Simulated: {}.", line, first);
  return fmt::format("{}. Simulated: {} on {}, {} on {}.", line, first, place_of(*least), last,
                     place_of(*most));
}

Table answers_table(const CheckedClaim& checked) {
  const ClaimQuantity quantity = checked.claim.quantity;
  Table table({{"machine"},
               {"framework"},
               {std::string(title_of(quantity)), Align::right},
               {"between", Align::right, 1},
               {"verdict"},
               {"because", Align::left, 0, true}});
  for (const ClaimAnswer& answer : checked.answers) {
    const bool is_range = answer.low != answer.high;
    table.add_row({answer.machine, answer.framework, format_quantity(quantity, answer.value),
                   is_range ? range(quantity, answer.low, answer.high) : "-", answer.verdict,
                   answer.because.empty() ? "-" : answer.because});
  }
  return table;
}

std::string gemm_text(const GemmProblem& problem) {
  return fmt::format("{}x{}x{} {} {}", problem.m, problem.n, problem.k, to_string(problem.dtype),
                     problem.a_pattern.to_string());
}

std::string deviation_text(const Claim& claim, double value) {
  return fmt::format("{:+.1f} %", 100 * deviation_of(claim, value));
}

/// Of all claims of one publication about one GEMM each.
Table gemm_table(const std::vector<CheckedClaim>& checked, std::string_view source) {
  Table table({{"claim", Align::left, 0, true},
               {"machine"},
               {"GEMM", Align::left, 0, true},
               {"published", Align::right},
               {"simulated", Align::right},
               {"deviation", Align::right},
               {"verdict"},
               {"because", Align::left, 0, true}});
  for (const auto& [claim, answers] : checked) {
    if (!claim.gemm || claim.source != source) continue;
    for (const ClaimAnswer& answer : answers) {
      table.add_row({claim.says, answer.machine, gemm_text(claim.gemm->problem),
                     range(claim.quantity, claim.least, claim.most),
                     format_quantity(claim.quantity, answer.value),
                     deviation_text(claim, answer.value), answer.verdict, answer.because});
    }
  }
  return table;
}

/// How many of the claims about one GEMM each came out how; "" if there are none.
std::string gemm_tally(const std::vector<CheckedClaim>& checked) {
  std::int64_t all = 0;
  std::map<std::string, std::int64_t> count;
  for (const auto& [claim, answers] : checked) {
    if (!claim.gemm) continue;
    for (const ClaimAnswer& answer : answers) {
      ++all;
      ++count[answer.verdict];
    }
  }
  if (all == 0) return "";
  return fmt::format(
      "Of {} claims about one GEMM, {} are reproduced, {} in direction only, {} not.\n\n", all,
      count["reproduced"], count["direction only"], count["not reproduced"]);
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
  return text + gemm_tally(checked) + not_compared(checked);
}

nlohmann::ordered_json answer_json(const ClaimAnswer& answer) {
  return {{"machine", answer.machine},
          {"framework", answer.framework},
          {"value", json_number(answer.value, "value")},
          {"low", json_number(answer.low, "low")},
          {"high", json_number(answer.high, "high")},
          {"verdict", answer.verdict},
          {"because", answer.because}};
}

nlohmann::ordered_json gemm_answer_json(const Claim& claim, const ClaimAnswer& answer) {
  return {{"machine", answer.machine},
          {"value", json_number(answer.value, "value")},
          {"deviation", json_number(deviation_of(claim, answer.value), "deviation")},
          {"verdict", answer.verdict},
          {"because", answer.because}};
}

nlohmann::ordered_json gemm_claim_json(const CheckedClaim& checked) {
  const Claim& claim = checked.claim;
  const GemmProblem& problem = claim.gemm->problem;
  nlohmann::ordered_json entry{
      {"gemm",
       {{"m", problem.m},
        {"n", problem.n},
        {"k", problem.k},
        {"dtype", to_string(problem.dtype)},
        {"pattern", problem.a_pattern.to_string()}}},
      {"machine", claim.gemm->machine},
      {"against", claim.gemm->against.to_string()},
      {"quantity", to_string(claim.quantity)},
      {"unit", claim.quantity == ClaimQuantity::kernel_cycles ? "cycles" : "ratio"},
      {"least", json_number(claim.least, "least")},
      {"most", json_number(claim.most, "most")},
      {"tolerance", json_number(claim.gemm->tolerance, "tolerance")}};
  entry["answers"] = nlohmann::ordered_json::array();
  for (const ClaimAnswer& answer : checked.answers) {
    entry["answers"].push_back(gemm_answer_json(claim, answer));
  }
  return entry;
}

}  // namespace

std::string claims_text(const CheckedClaims& result, std::size_t width) {
  return page(result.claims, "", [width](const Table& table) { return table.to_string(width); });
}

std::string claims_markdown(const CheckedClaims& result) {
  return page(result.claims, "### ", [](const Table& table) { return table.to_markdown(); });
}

std::string claims_to_json(const CheckedClaims& result) {
  nlohmann::ordered_json json = document_head("stcsim.claims/1", result.config_hash);
  json["claims"] = nlohmann::ordered_json::array();
  for (const auto& [claim, answers] : result.claims) {
    nlohmann::ordered_json entry{{"source", claim.source}, {"says", claim.says}};
    entry["obtained"] = claim.obtained;
    entry["setting"] = claim.setting;
    if (claim.gemm) {
      entry.update(gemm_claim_json({claim, answers}));
      json["claims"].push_back(std::move(entry));
      continue;
    }
    if (!claim.not_compared.empty()) {
      entry["not_compared"] = claim.not_compared;
    } else {
      entry.update({{"scheme", claim.scheme_name()},
                    {"network", claim.network},
                    {"quantity", to_string(claim.quantity)},
                    {"unit", is_percent(claim.quantity) ? "percent" : "ratio"},
                    {"least", json_number(claim.least, "least")},
                    {"most", json_number(claim.most, "most")}});
    }
    entry["answers"] = nlohmann::ordered_json::array();
    for (const ClaimAnswer& answer : answers) entry["answers"].push_back(answer_json(answer));
    json["claims"].push_back(std::move(entry));
  }
  return document_text(json);
}

}  // namespace stcsim
