#include "reports/golden_json.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/sha256.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr std::array<JsonField<Golden>, 3> kHeadFields{{
    {"version", &Golden::version},
    {"config_hash", &Golden::config_hash},
    {"experiment", &Golden::experiment},
}};

constexpr std::array<JsonField<GoldenKey>, 7> kKeyFields{{
    {"machine", &GoldenKey::machine},
    {"network", &GoldenKey::network},
    {"layer", &GoldenKey::layer},
    {"phase", &GoldenKey::phase},
    {"scheme", &GoldenKey::scheme},
    {"op", &GoldenKey::op},
    {"metric", &GoldenKey::metric},
}};

bool key_precedes(const GoldenEntry& a, const GoldenEntry& b) {
  return a.key < b.key;
}

}  // namespace

std::string golden_to_json(const Golden& golden) {
  ordered_json document{{"schema", kGoldenSchema}};
  write_fields(document, golden, kHeadFields);
  if (!golden.source.question.empty()) {
    document["source"] = {{"question", golden.source.question}, {"set", golden.source.overrides}};
  } else if (!golden.source.experiment.empty()) {
    document["source"] = {{"experiment", golden.source.experiment},
                          {"set", golden.source.overrides}};
  }
  ordered_json& entries = document["entries"] = ordered_json::array();
  for (const GoldenEntry& entry : golden.entries) {
    ordered_json& object = entries.emplace_back(ordered_json::object());
    write_fields(object, entry.key, kKeyFields);
    object["value"] = entry.value;
  }
  return document_text(document);
}

Golden golden_from_json(std::string_view text, const std::string& file) {
  const ordered_json parsed = parse_json(text, file);
  const JsonReader document(parsed, file);
  document.require_schema(kGoldenSchema);
  Golden golden;
  read_fields(document, golden, kHeadFields);
  if (const std::string hash = sha256_hex(golden.experiment); hash != golden.config_hash) {
    throw ConfigError(SourceLocation{file}, "'config_hash' is '" + golden.config_hash +
                                                "', must be the SHA-256 of 'experiment', " + hash);
  }
  if (document.has("source")) {
    const JsonReader source = document.object("source");
    const bool is_question = source.has("question");
    source.read(is_question ? "question" : "experiment",
                is_question ? golden.source.question : golden.source.experiment);
    golden.source.overrides = source.texts("set");
  }
  for (const JsonReader& object : document.array("entries")) {
    GoldenEntry entry;
    read_fields(object, entry.key, kKeyFields);
    entry.value = object.count("value");
    golden.entries.push_back(std::move(entry));
  }
  if (golden.entries.empty()) {
    throw ConfigError(SourceLocation{file}, "'entries' is empty, must have at least one entry");
  }
  std::stable_sort(golden.entries.begin(), golden.entries.end(), key_precedes);
  return golden;
}

}  // namespace stcsim
