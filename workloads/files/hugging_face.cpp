#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "workloads/files/layers.hpp"
#include "workloads/files/model_keys.hpp"
#include "workloads/files/model_sizes.hpp"
#include "workloads/files/readers.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using FamilyKind = ModelFamily::Kind;

/// Tokens of a step where nothing is said.
constexpr std::int64_t kUsualStep = 16384;

/// The family whose classes are called so: "Qwen2ForCausalLM". Of several the longest.
const ModelFamily* family_of_class(const std::string& name) {
  const ModelFamily* best = nullptr;
  for (const ModelFamily& family : model_families()) {
    const std::string_view rest =
        std::string_view(name).substr(std::min(name.size(), family.classes.size()));
    const bool fits = name.starts_with(family.classes) &&
                      (rest.starts_with("For") || rest.starts_with("Model") ||
                       rest.starts_with("LMHead") || rest.starts_with("Encoder"));
    if (fits && (best == nullptr || family.classes.size() > best->classes.size())) best = &family;
  }
  return best;
}

/// What to do with a file that is not read.
constexpr std::string_view kWayOn =
    "write its layers as YAML (docs/workloads.md) or export it to ONNX";

/// The map that has the sizes of the language model: some files nest it.
const ordered_json& language_part(const ordered_json& config) {
  const auto text = config.find("text_config");
  const bool nested = text != config.end() && text->is_object() && !text->empty();
  return nested && !config.contains("hidden_size") ? *text : config;
}

/// Builds the network of one configuration.
class ConfigReader {
 public:
  ConfigReader(const ordered_json& config, const std::string& file, const ImportOptions& options)
      : problems_(file, "Hugging Face config"),
        config_(config),
        keys_(language_part(config), problems_),
        options_(options),
        architecture_(keys_.first_text("architectures")) {
    const ModelKeys whole(config, problems_);
    if (architecture_.empty()) architecture_ = whole.first_text("architectures");
    if (&language_part(config) != &config) {
      read_.left_out.emplace_back("all but the language model of a model of several parts");
    }
  }

  ImportedNetwork read(const std::string& name) {
    choose_family();
    network().name = name;
    network().optimizer = Optimizer::adam;
    sizes_ = SizeReader(keys_, *family_, problems_, read_.assumed).read();
    if (family_->kind == FamilyKind::vision) {
      vision();
    } else {
      family_->kind == FamilyKind::both ? encoder_and_decoder() : language();
    }
    refuse_unread();
    problems_.refuse();
    settle_batch();
    check_layers(network(), problems_);
    describe();
    return std::move(read_);
  }

 private:
  Network& network() { return read_.network; }
  void add(Layer layer) { network().layers.push_back(std::move(layer)); }
  [[nodiscard]] bool has_head(std::string_view head) const {
    return architecture_.find(head) != std::string::npos;
  }

  /// Without a known type or class that of a file that names neither, by its keys; one that names
  /// another is read like it, to say which of its keys are not, and refused.
  void choose_family() {
    const std::string type = keys_.text("model_type", "");
    const auto families = model_families();
    const auto known = std::ranges::find(families, type, &ModelFamily::type);
    if (known != families.end()) return void(family_ = &*known);
    family_ = family_of_class(architecture_);
    if (family_ == nullptr) is_unknown_ = !type.empty() || !architecture_.empty();
    for (const ModelFamily& family : families) {
      if (family_ == nullptr && has_keys_of(family)) family_ = &family;
    }
    const std::string named = type.empty() ? "its model type is not stated"
                                           : fmt::format("model type '{}' is not known", type);
    if (family_ == nullptr) {
      problems_.fail(fmt::format("{}, must be one of {}; {}", named,
                                 fmt::join(hugging_face_types(), ", "), kWayOn));
    }
    read_.assumed.push_back(fmt::format("{}: read as {}", named, family_->type));
  }

  [[nodiscard]] bool has_keys_of(const ModelFamily& family) const {
    return std::ranges::all_of(words_in(family.keys),
                               [&](std::string_view key) { return keys_.has(key); });
  }

  /// Keys that give a shape and that nothing has read, those beside a nested map, too.
  [[nodiscard]] std::vector<std::string> unread_keys() const {
    std::vector<std::string> unread = keys_.unread(!options_.is_typed);
    const ordered_json& part = language_part(config_);
    if (&part == &config_) return unread;
    for (std::string& key : unread) key = "text_config." + key;
    for (const auto& [key, value] : config_.items()) {
      const bool is_other = key != "text_config" && !part.contains(key);
      if (is_other && gives_shape(key, value)) unread.push_back(key);
    }
    return unread;
  }

  /// What a class that is not known does beyond the keys that were read is not known either.
  void refuse_unread() {
    std::vector<std::string> unread = unread_keys();
    if (is_unknown_ && !keys_.has("tie_word_embeddings")) {
      unread.emplace_back("tie_word_embeddings (missing: its class decides)");
    }
    const std::string listed = fmt::format("{}", fmt::join(unread, ", "));
    if (is_unknown_) {
      problems_.add(fmt::format(
          "model type '{}' is not known; {} has its keys{}{}; {}, or set \"model_type\" to \"{}\" "
          "where its class computes the same",
          keys_.text("model_type", architecture_), family_->type, unread.empty() ? "" : " but ",
          listed, kWayOn, family_->type));
    } else if (!unread.empty()) {
      problems_.add(fmt::format("these keys may change its products and are not read: {}; {}",
                                listed, kWayOn));
    }
    if (config_.contains("vision_config") && config_.contains("text_config")) {
      problems_.add("to read its language model alone, save 'text_config' as a config.json");
    }
  }

  void language() {
    SizeReader(keys_, *family_, problems_, read_.assumed).read_tokens(sizes_, options_);
    const bool is_encoder = family_->kind == FamilyKind::encoder;
    std::int64_t width = blocks_.hidden;
    if (family_->type == "electra") width = keys_.size("embedding_size", 128);
    word_width_ = family_->type == "opt" ? keys_.stated("word_embed_proj_dim", width) : width;
    embeddings(width);
    if (word_width_ != width) project("embed.project_in", word_width_, width);
    if (width != blocks_.hidden) project("embed.project", width, blocks_.hidden);
    if (is_encoder || keys_.flag("do_layer_norm_before", true)) {
      network().other_parameters += norm_parameters(blocks_.norm, width);
    }
    add_blocks(network(), blocks_);
    is_encoder ? encoder_head(width) : decoder_head();
  }

  void project(const char* name, std::int64_t in, std::int64_t out) {
    const bool bias = family_->type == "electra";
    add(linear_layer(name, LayerRole::body, in, out, blocks_.tokens, bias));
  }

  /// Tables of words, positions and segments; the last one has what follows the sum.
  void embeddings(std::int64_t width) {
    add(embedding_layer("embed.word", sizes_.vocabulary, word_width_, blocks_.tokens));
    if (family_->more_rows >= 0) {
      add(embedding_layer("embed.position", sizes_.positions, width, blocks_.tokens));
      // Others count the tokens of each sample that are no padding.
      network().layers.back().same_rows = family_->type != "roberta" && family_->type != "opt";
    }
    if (family_->has(ModelFamily::segments)) {
      const std::int64_t segments = keys_.size("type_vocab_size", 2);
      add(embedding_layer("embed.segment", segments, width, blocks_.tokens));
    }
    std::vector<StreamOp>& after = network().layers.back().after;
    if (blocks_.dropout) after.push_back(StreamOp::dropout);
    const bool norm_first = family_->kind == FamilyKind::encoder;
    after.insert(norm_first ? after.begin() : after.end(), blocks_.norm);
  }

  [[nodiscard]] std::int64_t labels() {
    if (const auto count = keys_.entries("id2label")) return std::max<std::int64_t>(1, *count);
    return keys_.size("num_labels", 2);
  }

  void head(const char* name, std::int64_t in, std::int64_t out, std::int64_t tokens,
            bool bias = true, std::vector<StreamOp> after = {StreamOp::softmax}) {
    add(linear_layer(name, LayerRole::classifier, in, out, tokens, bias, std::move(after)));
  }
  void pooler_layer() { head("pooler", blocks_.hidden, blocks_.hidden, 1, true, {}); }
  void classifier(const char* name, std::int64_t out, std::int64_t tokens = 1, bool bias = true) {
    head(name, blocks_.hidden, out, tokens, bias);
  }
  void leave_out_pooler() {
    leave_out("the pooler's product", blocks_.hidden * blocks_.hidden + blocks_.hidden);
  }
  [[nodiscard]] std::int64_t stated(const char* size, std::int64_t fallback) const {
    const auto found = options_.sizes.find(size);
    return found == options_.sizes.end() ? fallback : found->second;
  }
  void leave_out(const std::string& what, std::int64_t parameters) {
    network().other_parameters += parameters;
    read_.left_out.push_back(what);
  }

  void encoder_head(std::int64_t width) {
    const bool pretrains = has_head("ForPreTraining");
    if (has_head("ForSequenceClassification")) {
      pooler_layer();
      classifier("classifier", labels());
    } else if (has_head("ForTokenClassification")) {
      classifier("classifier", labels(), blocks_.tokens);
    } else if (has_head("ForQuestionAnswering")) {
      leave_out("the product that finds an answer's ends", 2 * blocks_.hidden + 2);
    } else if (pretrains && family_->type == "electra") {
      head("head.dense", blocks_.hidden, blocks_.hidden, blocks_.tokens, true, {StreamOp::gelu});
      leave_out("the product that finds replaced words", blocks_.hidden + 1);
    } else if (has_head("ForMaskedLM") || pretrains) {
      masked_head(width, pretrains && family_->has(ModelFamily::pooler));
    } else if (family_->has(ModelFamily::pooler)) {
      leave_out_pooler();
    }
  }

  void masked_head(std::int64_t width, bool next_sentence) {
    const std::int64_t tokens = stated("masked", blocks_.tokens);
    if (next_sentence) pooler_layer();
    head("head.transform", blocks_.hidden, width, tokens, true,
         {StreamOp::gelu, StreamOp::layer_norm});
    network().other_parameters += norm_parameters(StreamOp::layer_norm, width);
    head("head.decoder", width, sizes_.vocabulary, tokens);
    network().layers.back().tied = sizes_.tied;
    if (next_sentence) classifier("head.next_sentence", 2);
  }

  void decoder_head() {
    if (has_head("ForSequenceClassification")) {
      classifier("score", labels(), 1, false);
    } else if (architecture_.empty() || has_head("LM") || has_head("ForConditional")) {
      word_head(word_width_);
    }
  }

  void word_head(std::int64_t width) {
    if (width != blocks_.hidden) project("head.project_out", blocks_.hidden, width);
    const bool has_fp32_loss = family_->kind != FamilyKind::both;
    head("lm_head", width, sizes_.vocabulary, blocks_.tokens, false,
         {has_fp32_loss ? StreamOp::softmax_fp32 : StreamOp::softmax});
    network().layers.back().tied = sizes_.tied;
  }

  void vision() {
    if (options_.tokens) problems_.add("tokens follow from 'image_size' and 'patch_size'");
    const auto [height, width] = keys_.pixels("image_size", 224);
    const auto [patch_height, patch_width] = keys_.pixels("patch_size", 16);
    Layer patches;
    patches.name = "patch_embed";
    patches.role = LayerRole::stem;
    patches.in_channels = keys_.size("num_channels", 3);
    patches.out_channels = blocks_.hidden;
    patches.height = height;
    patches.width = width;
    patches.kernel_height = patches.stride = patch_height;
    patches.kernel_width = patch_width;
    if (patch_width != patch_height) patches.stride_columns = patch_width;
    patches.bias = true;
    patches.needs_dgrad = false;
    patches.after = {StreamOp::bias, StreamOp::layer_norm};
    const std::int64_t own = family_->type == "deit" ? 2 : 1;
    blocks_.tokens = height / patch_height * (width / patch_width) + own;
    network().other_parameters += (own + blocks_.tokens) * blocks_.hidden;
    network().other_parameters += norm_parameters(blocks_.norm, blocks_.hidden);
    add(std::move(patches));
    add_blocks(network(), blocks_);
    vision_head();
  }

  void vision_head() {
    if (!has_head("ForImageClassification") && !(architecture_.empty() && keys_.has("id2label"))) {
      return leave_out_pooler();
    }
    classifier("head", labels());
    if (has_head("WithTeacher")) classifier("head.distilled", labels());
  }

  void encoder_and_decoder() {
    SizeReader(keys_, *family_, problems_, read_.assumed).read_tokens(sizes_, options_);
    const std::int64_t buckets = keys_.size("relative_attention_num_buckets", 32);
    blocks_.prefix = "enc";
    std::vector<StreamOp> after{StreamOp::rms_norm};
    if (blocks_.dropout) after.insert(after.begin(), StreamOp::dropout);
    add(embedding_layer("enc.embed", sizes_.vocabulary, blocks_.hidden, blocks_.tokens, after));
    add_blocks(network(), blocks_);
    const std::int64_t both = blocks_.hidden + buckets * blocks_.heads;
    network().other_parameters += both;
    if (has_head("EncoderModel")) return;
    TransformerBlocks decoder = blocks_;
    decoder.prefix = "dec";
    decoder.cross_tokens = blocks_.tokens;
    decoder.causal = true;
    decoder.tokens = stated("target", blocks_.tokens);
    decoder.blocks = keys_.stated("num_decoder_layers", blocks_.blocks, ModelKeys::kMostBlocks);
    Layer words = embedding_layer("dec.embed", sizes_.vocabulary, blocks_.hidden, decoder.tokens,
                                  std::move(after));
    words.tied = true;
    add(std::move(words));
    add_blocks(network(), decoder);
    network().other_parameters += both;
    blocks_.tokens = decoder.tokens;
    if (!architecture_.ends_with("T5Model")) word_head(blocks_.hidden);
  }

  void settle_batch() {
    const std::int64_t usual = std::max<std::int64_t>(1, kUsualStep / blocks_.tokens);
    network().batch = options_.batch.value_or(usual);
    if (!options_.batch) read_.assumed.push_back(fmt::format("batch {}", usual));
  }

  void describe() {
    if (!keys_.defaults().empty()) {
      read_.assumed.push_back(fmt::format("the class's {}", fmt::join(keys_.defaults(), ", ")));
    }
    const std::string model = architecture_.empty() ? std::string(family_->type) : architecture_;
    const std::string experts =
        blocks_.experts == 0
            ? ""
            : fmt::format(" of {} experts, {} a token", blocks_.experts, blocks_.experts_per_token);
    const std::string groups = blocks_.kv_heads == blocks_.heads
                                   ? ""
                                   : fmt::format(" ({} of keys and values)", blocks_.kv_heads);
    read_.recognised = fmt::format(
        "Hugging Face config, {}: {} blocks of width {}, {} heads{} and {} FFN of {}{}, {} "
        "parameters",
        model, blocks_.blocks, blocks_.hidden, blocks_.heads, groups,
        blocks_.gated ? "a gated" : "an", blocks_.inner, experts,
        short_count(network().parameters()));
    network().description =
        fmt::format("{} as its config.json says, {} tokens", model, blocks_.tokens);
  }

  Problems problems_;
  const ordered_json& config_;
  ModelKeys keys_;
  const ImportOptions& options_;
  std::string architecture_;
  const ModelFamily* family_ = nullptr;
  /// The file names a type or class that no family has.
  bool is_unknown_ = false;
  ModelSizes sizes_;
  TransformerBlocks& blocks_ = sizes_.blocks;
  /// Narrower than the blocks in OPT-350M.
  std::int64_t word_width_ = 0;
  ImportedNetwork read_;
};

}  // namespace

ImportedNetwork read_hugging_face(const ordered_json& config, const std::string& file,
                                  const std::string& name, const ImportOptions& options) {
  return ConfigReader(config, file, options).read(name);
}

bool is_hugging_face(const ordered_json& config) {
  if (!config.is_object() || config.contains("layers")) return false;
  const auto has = [&](std::string_view key) { return config.contains(std::string(key)); };
  return has("model_type") || has("architectures") || has("text_config") ||
         std::ranges::any_of(words_in(kHiddenKeys), has) ||
         std::ranges::any_of(words_in(kHeadsKeys), has);
}

const std::vector<std::string_view>& hugging_face_types() {
  static const std::vector<std::string_view> types = [] {
    std::vector<std::string_view> names;
    for (const ModelFamily& family : model_families()) names.push_back(family.type);
    std::ranges::sort(names);
    return names;
  }();
  return types;
}

}  // namespace stcsim
