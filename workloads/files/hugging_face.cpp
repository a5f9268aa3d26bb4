#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "common/suggestion.hpp"
#include "workloads/files/layers.hpp"
#include "workloads/files/model_template.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// What to do with a file that is not read.
constexpr std::string_view kWayOn =
    "write its layers as YAML (docs/workloads.md) or export it to ONNX";

/// Builds the network of one configuration.
class ConfigReader {
 public:
  ConfigReader(const ordered_json& config, const std::string& file, const ImportOptions& options)
      : problems_(file, "Hugging Face config"),
        config_(config),
        keys_(config, problems_),
        reading_{options, problems_, read_} {}

  ImportedNetwork read(const std::string& name) {
    const ordered_json& part = choose_part();
    ModelKeys keys(part, problems_);
    std::string architecture = keys.first_text("architectures");
    if (architecture.empty()) architecture = keys_.first_text("architectures");
    const ModelFamily family = choose_family(part, architecture);
    Network& network = read_.network;
    network.name = name;
    network.optimizer = Optimizer::adam;
    ModelTemplate model(family, part, architecture, reading_,
                        &part == &config_ ? "" : "text_config.");
    model.read_keys();
    try {
      if (!problems_.any()) model.add_layers();
    } catch (const ExpressionError& error) {
      problems_.add(error.what());
    }
    model.add_unread();
    refuse_unread(part, family, architecture);
    problems_.refuse();
    number_equal_names(network.layers);
    settle_batch(model);
    check_layers(network, problems_);
    describe(model, family, architecture);
    return std::move(read_);
  }

 private:
  static std::string type_of(const ordered_json& config) {
    const auto type = config.find("model_type");
    return type != config.end() && type->is_string() ? type->get<std::string>() : "";
  }

  /// The map that has the sizes: of several parts, where the whole is no family, the language
  /// model.
  const ordered_json& choose_part() {
    const auto text = config_.find("text_config");
    const bool is_nested = text != config_.end() && text->is_object() && !text->empty() &&
                           !config_.contains("hidden_size") && !family_of_type(type_of(config_));
    if (!is_nested) return config_;
    read_.left_out.emplace_back("all but the language model of a model of several parts");
    return *text;
  }

  /// Without a known type or class that of a file that names neither, by its keys; one that names
  /// another is read like it, to say which of its keys are not, and refused.
  ModelFamily choose_family(const ordered_json& part, const std::string& architecture) {
    const ModelKeys keys(part, problems_);
    if (keys.has("model_type") && !part["model_type"].is_string()) {
      problems_.fail(
          fmt::format("'model_type' is {}, must be a text", as_text(part["model_type"])));
    }
    const std::string type = type_of(part);
    if (std::optional<ModelFamily> known = family_of_type(type)) return *std::move(known);
    std::optional<ModelFamily> family = family_of_class(architecture);
    if (!family) is_unknown_ = !type.empty() || !architecture.empty();
    if (!family) family = family_with_keys(part);
    const std::string named = type.empty() ? "its model type is not stated"
                                           : fmt::format("model type '{}' is not known", type);
    if (!family) {
      std::vector<std::string> types;
      for (const auto& [known, its] : model_families()) types.push_back(known);
      const std::size_t count = types.size();
      problems_.fail(
          fmt::format("{}, must be one of {} that 'stcsim list models' shows, such as {}; {}",
                      named, count, fmt::join(nearest(type, std::move(types), 3), ", "), kWayOn));
    }
    read_.assumed.push_back(fmt::format("{}: read as {}", named, family->type));
    return *std::move(family);
  }

  /// Keys that give a shape and that nothing has read, those beside a nested map, too.
  void add_keys_beside(const ordered_json& part) {
    if (&part == &config_) return;
    for (const auto& [key, value] : config_.items()) {
      const bool is_other = key != "text_config" && !part.contains(key);
      if (is_other && gives_shape(key, value)) reading_.unread.push_back(key);
    }
  }

  /// What a class that is not known does beyond the keys that were read is not known either.
  void refuse_unread(const ordered_json& part, const ModelFamily& family,
                     const std::string& architecture) {
    add_keys_beside(part);
    std::vector<std::string>& unread = reading_.unread;
    const bool is_tied = ModelKeys(part, problems_).has("tie_word_embeddings");
    if (is_unknown_ && !is_tied) {
      unread.emplace_back("tie_word_embeddings (missing: its class decides)");
    }
    const std::string listed = fmt::format("{}", fmt::join(unread, ", "));
    if (is_unknown_) {
      const std::string type = type_of(part);
      problems_.add(fmt::format(
          "model type '{}' is not known; {} has its keys{}{}; {}, or set \"model_type\" to \"{}\" "
          "where its class computes the same",
          type.empty() ? architecture : type, family.type, unread.empty() ? "" : " but ", listed,
          kWayOn, family.type));
    } else if (!unread.empty()) {
      problems_.add(fmt::format("these keys may change its products and are not read: {}; {}",
                                listed, kWayOn));
    }
    if (!unread.empty() && &part != &config_) {
      problems_.add("to read its language model alone, save 'text_config' as a config.json");
    }
    if (reading_.options.tokens && !reading_.asks_tokens && !problems_.any()) {
      problems_.add("tokens follow from 'image_size' and 'patch_size'");
    }
  }

  void settle_batch(ModelTemplate& model) {
    const std::int64_t usual = model.value_of("usual_batch").get<std::int64_t>();
    read_.network.batch = reading_.options.batch.value_or(usual);
    if (!reading_.options.batch) read_.assumed.push_back(fmt::format("batch {}", usual));
  }

  void describe(ModelTemplate& model, const ModelFamily& family, const std::string& architecture) {
    if (!reading_.defaults.empty()) {
      read_.assumed.push_back(fmt::format("the class's {}", fmt::join(reading_.defaults, ", ")));
    }
    const std::string name = architecture.empty() ? family.type : architecture;
    const YamlNode* const says = family.rules.find("says");
    read_.recognised = fmt::format("Hugging Face config, {}: {}{} parameters", name,
                                   says == nullptr ? "" : model.text_with_values(*says) + ", ",
                                   short_count(read_.network.parameters()));
    read_.network.description = name + " as its config.json says";
    const ordered_json tokens = model.value_of("tokens");
    if (reading_.asks_tokens && tokens.is_number()) {
      read_.network.description += fmt::format(", {} tokens", as_text(tokens));
    }
  }

  Problems problems_;
  const ordered_json& config_;
  ModelKeys keys_;
  ImportedNetwork read_;
  ModelReading reading_;
  /// The file names a type or class that no family has.
  bool is_unknown_ = false;
};

}  // namespace

ImportedNetwork read_hugging_face(const ordered_json& config, const std::string& file,
                                  const std::string& name, const ImportOptions& options) {
  return ConfigReader(config, file, options).read(name);
}

bool is_hugging_face(const ordered_json& config) {
  if (!config.is_object() || config.contains("layers")) return false;
  const auto keys = {"model_type", "architectures", "text_config", "hidden_size",
                     "n_embd",     "d_model",       "dim",         "num_attention_heads",
                     "n_head",     "num_heads",     "n_heads"};
  return std::ranges::any_of(keys, [&](const char* key) { return config.contains(key); });
}

}  // namespace stcsim
