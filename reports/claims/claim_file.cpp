#include "reports/claims/claim_file.hpp"

#include <array>
#include <utility>

#include "common/io/catalog.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"
#include "sim/kernel/library.hpp"

namespace stcsim {
namespace {

constexpr DoubleRange kFigure{.min = -100, .max = 1000};
constexpr DoubleRange kCycles{.min = 1, .max = 1e12};
constexpr DoubleRange kTolerance{.min = 0, .max = 1};
constexpr std::int64_t kMostExtent = 1'000'000;

std::array<std::pair<std::string_view, ClaimQuantity>, kClaimQuantities> quantities() {
  std::array<std::pair<std::string_view, ClaimQuantity>, kClaimQuantities> names;
  for (std::size_t i = 0; i < kClaimQuantities; ++i) {
    const auto quantity = static_cast<ClaimQuantity>(i);
    names.at(i) = {to_string(quantity), quantity};
  }
  return names;
}

void read_figure(MapReader& map, Claim& claim) {
  const bool is_cycles = claim.quantity == ClaimQuantity::kernel_cycles;
  PublishedFigure& figure = claim.published;
  figure.least = map.get_double("least", is_cycles ? kCycles : kFigure);
  figure.most = map.get_double_or("most", figure.least, is_cycles ? kCycles : kFigure);
}

GemmProblem read_gemm(MapReader map) {
  const GemmProblem problem = read_plain_gemm(map);
  map.finish();
  validate(problem, "a claim's GEMM");
  return problem;
}

/// What it takes to simulate one GEMM.
void read_gemm_comparison(MapReader& map, Claim& claim) {
  GemmClaim& gemm = claim.gemm.emplace();
  gemm.problem = read_gemm(map.get_map("gemm"));
  gemm.machine_file = file_named_by(map, ConfigKind::machine, "machine");
  gemm.stack = read_stack(map, load_machine(gemm.machine_file).config);
  if (map.has("against")) gemm.against = map.get_pattern("against");
  claim.fitted = map.get_string_or("fitted", "");
  gemm.note = map.get_string_or("note", "");
  claim.quantity = map.get_enum("quantity", quantities());
  if (!is_of_gemm(claim.quantity)) {
    map.fail("quantity", "'quantity' must be kernel_gain or kernel_cycles of a 'gemm'");
  }
  read_figure(map, claim);
}

/// What it takes to simulate it.
void read_comparison(MapReader& map, Claim& claim) {
  if (map.has("gemm")) return read_gemm_comparison(map, claim);
  claim.scheme_file = file_named_by(map, ConfigKind::scheme, "scheme");
  if (map.has("pattern")) claim.pattern = map.get_pattern("pattern").to_string();
  if (map.has("dtype")) claim.dtype = to_string(map.get_dtype("dtype"));
  claim.network_file = file_named_by(map, ConfigKind::network, "network");
  claim.quantity = map.get_enum("quantity", quantities());
  if (is_of_gemm(claim.quantity)) {
    map.fail("quantity", "'quantity' is of one GEMM, must have a 'gemm' beside it");
  }
  read_figure(map, claim);
}

Claim read_claim(MapReader& map, const std::string& source) {
  Claim claim;
  claim.source = source;
  claim.says = map.get_string("says");
  claim.obtained = map.get_string_or("obtained", "");
  claim.setting = map.get_string_or("setting", "");
  claim.not_compared = map.get_string_or("not_compared", "");
  if (claim.not_compared.empty()) {
    claim.tolerance = map.get_double_or("tolerance", kUsualTolerance, kTolerance);
    read_comparison(map, claim);
  }
  map.finish();
  if (claim.published.most < claim.published.least) map.fail("most", "'most' is less than 'least'");
  if (claim.gemm) {
    claim.gemm->machine = load_machine(claim.gemm->machine_file).config.name;
  } else if (claim.not_compared.empty()) {
    claim.scheme = load_scheme(claim.scheme_file).name;
    claim.network = load_network(claim.network_file).name;
  }
  return claim;
}

}  // namespace

GemmProblem read_plain_gemm(MapReader& map) {
  GemmProblem problem;
  problem.m = map.get_int("m", {1, kMostExtent});
  problem.n = map.get_int("n", {1, kMostExtent});
  problem.k = map.get_int("k", {1, kMostExtent});
  if (map.has("dtype")) problem.dtype = map.get_dtype("dtype");
  if (map.has("pattern")) problem.a_pattern = map.get_pattern("pattern");
  return problem;
}

std::vector<Claim> load_claims(const std::string& name) {
  const YamlNode node = load_by_name(ConfigKind::claims, name);
  MapReader map(node, "");
  const std::string source = map.get_string("source");
  static_cast<void>(map.get_string_or("description", ""));
  std::vector<Claim> claims;
  for (MapReader& entry : map.get_maps("claims")) claims.push_back(read_claim(entry, source));
  map.finish();
  return claims;
}

}  // namespace stcsim
