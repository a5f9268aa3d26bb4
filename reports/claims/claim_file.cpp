#include "reports/claims/claim_file.hpp"

#include <array>
#include <utility>

#include "common/io/catalog.hpp"
#include "common/io/yaml_reader.hpp"
#include "sim/config/experiment_config.hpp"
#include "sim/config/experiment_entry.hpp"

namespace stcsim {
namespace {

constexpr DoubleRange kFigure{.min = -100, .max = 1000};

std::array<std::pair<std::string_view, ClaimQuantity>, kClaimQuantities> quantities() {
  std::array<std::pair<std::string_view, ClaimQuantity>, kClaimQuantities> names;
  for (std::size_t i = 0; i < kClaimQuantities; ++i) {
    const auto quantity = static_cast<ClaimQuantity>(i);
    names.at(i) = {to_string(quantity), quantity};
  }
  return names;
}

/// The file that a key of the claims file means.
std::string file_of(MapReader& map, ConfigKind kind, std::string_view key) {
  const std::string name = map.get_string(key);
  const SourceLocation where = map.location_of(key);
  return name.empty() ? name : resolve_config(kind, name, base_directory(where), where).string();
}

/// What it takes to simulate it.
void read_comparison(MapReader& map, Claim& claim) {
  claim.scheme_file = file_of(map, ConfigKind::scheme, "scheme");
  if (map.has("pattern")) claim.pattern = map.get_pattern("pattern").to_string();
  if (map.has("dtype")) claim.dtype = to_string(map.get_dtype("dtype"));
  claim.network_file = file_of(map, ConfigKind::network, "network");
  claim.quantity = map.get_enum("quantity", quantities());
  claim.least = map.get_double("least", kFigure);
  claim.most = map.get_double_or("most", claim.least, kFigure);
}

Claim read_claim(MapReader& map, const std::string& source) {
  Claim claim;
  claim.source = source;
  claim.says = map.get_string("says");
  claim.obtained = map.get_string_or("obtained", "");
  claim.setting = map.get_string_or("setting", "");
  claim.not_compared = map.get_string_or("not_compared", "");
  if (claim.not_compared.empty()) read_comparison(map, claim);
  map.finish();
  if (claim.most < claim.least) map.fail("most", "'most' is less than 'least'");
  if (claim.not_compared.empty()) {
    claim.scheme = load_scheme(claim.scheme_file).name;
    claim.network = load_network(claim.network_file).name;
  }
  return claim;
}

}  // namespace

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
