#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/io/format.hpp"
#include "workloads/files/layers.hpp"
#include "workloads/files/model_family.hpp"
#include "workloads/files/model_keys.hpp"
#include "workloads/files/readers.hpp"
#include "workloads/files/transformer.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using FamilyKind = ModelFamily::Kind;

/// A size that a configuration of another class calls otherwise.
constexpr std::string_view kHidden = "hidden_size n_embd d_model dim";
constexpr std::string_view kBlocks = "num_hidden_layers n_layer num_layers n_layers";
constexpr std::string_view kHeads = "num_attention_heads n_head num_heads n_heads";
constexpr std::string_view kInner = "intermediate_size n_inner ffn_dim d_ff hidden_dim";
constexpr std::string_view kDropout =
    "hidden_dropout_prob resid_pdrop hidden_dropout dropout_rate dropout";
constexpr std::string_view kAttentionDropout =
    "attention_probs_dropout_prob attn_pdrop attention_dropout dropout_rate";

/// Tokens of a sample and of a step where nothing is said.
constexpr std::int64_t kUsualTokens = 2048;
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

std::vector<std::string_view> missing_keys(const ModelFamily& family, const ModelKeys& keys) {
  std::vector<std::string_view> missing;
  for (const std::string_view key : words_in(family.keys)) {
    if (!keys.has(key)) missing.push_back(key);
  }
  return missing;
}

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
    read_sizes();
    if (family_->kind == FamilyKind::vision) {
      vision();
    } else {
      family_->kind == FamilyKind::both ? encoder_and_decoder() : language();
    }
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

  void choose_family() {
    const std::string type = keys_.text("model_type", "");
    const auto families = model_families();
    const auto known = std::ranges::find(families, type, &ModelFamily::type);
    if (known != families.end()) return void(family_ = &*known);
    family_ = family_of_class(architecture_);
    for (const ModelFamily& family : families) {
      if (family_ == nullptr && missing_keys(family, keys_).empty()) family_ = &family;
    }
    if (family_ == nullptr) refuse_type(type);
    read_.assumed.push_back(
        fmt::format("model type '{}' is not known here: read as {}", type, family_->type));
  }

  [[noreturn]] void refuse_type(const std::string& type) {
    const auto families = model_families();
    const auto nearest = std::ranges::min_element(families, {}, [&](const ModelFamily& family) {
      return missing_keys(family, keys_).size();
    });
    problems_.fail(
        fmt::format("model type '{}' is none of {}, and has not their keys: of {} it lacks {}",
                    type, fmt::join(hugging_face_types(), ", "), nearest->type,
                    fmt::join(missing_keys(*nearest, keys_), ", ")));
  }

  void read_sizes() {
    const ModelFamily& family = *family_;
    blocks_.hidden = keys_.size(kHidden, family.hidden);
    blocks_.blocks = keys_.size(kBlocks, family.blocks, ModelKeys::kMostBlocks);
    blocks_.heads = keys_.size(kHeads, family.heads);
    const std::int64_t four = 4 * std::min(blocks_.hidden, ModelKeys::kMostSize / 4);
    blocks_.inner = keys_.size(kInner, family.inner == 0 ? four : family.inner);
    if (family.kind != FamilyKind::vision) {
      vocabulary_ = keys_.size("vocab_size", family.vocabulary, ModelKeys::kMostRows);
    }
    read_heads();
    read_experts();
    read_words();
  }

  void read_heads() {
    const std::int64_t all = blocks_.heads;
    const std::int64_t usual = family_->kv_heads == 0 ? all : std::min(all, family_->kv_heads);
    blocks_.kv_heads = keys_.stated("num_key_value_heads", usual);
    if (all % blocks_.kv_heads != 0) {
      problems_.add(fmt::format("'num_key_value_heads' is {}, must divide the {} heads",
                                blocks_.kv_heads, all));
      blocks_.kv_heads = all;
    }
    blocks_.head_dim = keys_.stated("head_dim d_kv", family_->head_dim);
    if (blocks_.head_dim != 0) return;
    if (blocks_.hidden % all != 0) {
      problems_.add(
          fmt::format("hidden size {} must be a multiple of the {} heads, where "
                      "'head_dim' is not stated",
                      blocks_.hidden, all));
    }
    blocks_.head_dim = std::max<std::int64_t>(1, blocks_.hidden / all);
  }

  void read_experts() {
    if (!keys_.has("num_local_experts num_experts") && family_->type != "mixtral") return;
    blocks_.experts = keys_.size("num_local_experts num_experts", 8, ModelKeys::kMostBlocks);
    blocks_.experts_per_token = keys_.size("num_experts_per_tok", 2, blocks_.experts);
    blocks_.inner = keys_.stated("moe_intermediate_size", blocks_.inner);
  }

  void read_words() {
    using Family = ModelFamily;
    const Family& family = *family_;
    blocks_.norm = family.has(Family::rms_norm) ? StreamOp::rms_norm : StreamOp::layer_norm;
    blocks_.merged_qkv = family.has(Family::merged_qkv);
    blocks_.merged_gate = family.has(Family::merged);
    blocks_.qk_norm = family.has(Family::qk_norm);
    blocks_.causal = family.kind == FamilyKind::decoder;
    blocks_.rope = blocks_.causal && family.more_rows < 0;
    const bool all_biases = keys_.flag("enable_bias", true);
    const bool other_biases = family.has(Family::other_biases);
    blocks_.qkv_bias = keys_.flag("attention_bias", family.has(Family::qkv_bias)) && all_biases;
    blocks_.qkv_bias = keys_.flag("qkv_bias", blocks_.qkv_bias);
    blocks_.out_bias = keys_.flag("attention_bias", other_biases) && all_biases;
    blocks_.ffn_bias = keys_.flag("mlp_bias", other_biases) && all_biases;
    tied_ = keys_.flag("tie_word_embeddings", family.has(Family::tied));
    read_activation();
    const bool drops = family.has(Family::dropouts);
    blocks_.dropout = keys_.is_above_zero(kDropout, drops);
    blocks_.attention_dropout =
        keys_.is_above_zero(kAttentionDropout, drops && family.type != "opt");
  }

  void read_activation() {
    blocks_.activation = family_->activation;
    blocks_.gated = family_->has(ModelFamily::gated);
    std::string name = keys_.text(
        "hidden_activation hidden_act activation_function activation feed_forward_proj", "");
    if (name.starts_with("gated-")) {
      blocks_.gated = true;
      name = name.substr(name.find('-') + 1);
    }
    if (name.empty()) return;
    const bool is_exact = family_->kind != FamilyKind::both && family_->type != "gemma";
    blocks_.activation = name == "relu"                      ? StreamOp::relu
                         : name == "relu2"                   ? StreamOp::relu_squared
                         : name == "silu" || name == "swish" ? StreamOp::silu
                         : name == "gelu" && is_exact        ? StreamOp::gelu
                                                             : StreamOp::gelu_tanh;
    if (blocks_.activation == StreamOp::gelu_tanh && !name.starts_with("gelu")) {
      read_.assumed.push_back(fmt::format("the activation '{}' costs what gelu_tanh does", name));
    }
  }

  /// Tokens of a sample; those that a table of positions has at most.
  void read_tokens() {
    const std::int64_t positions =
        keys_.size("max_position_embeddings n_positions", family_->positions);
    positions_ = positions + std::max<std::int64_t>(0, family_->more_rows);
    std::int64_t most = positions;
    if (family_->type == "roberta") most = std::max<std::int64_t>(1, positions - 2);
    blocks_.tokens = options_.tokens.value_or(std::min(most, kUsualTokens));
    if (!options_.tokens)
      read_.assumed.push_back(fmt::format("{} tokens a sample", blocks_.tokens));
    if (family_->more_rows >= 0 && blocks_.tokens > most) {
      problems_.add(
          fmt::format("it has positions for {} tokens, {} were asked for", most, blocks_.tokens));
    }
    read_window();
  }

  void read_window() {
    const bool may = family_->type != "qwen2" && family_->type != "qwen3";
    if (!blocks_.causal || !keys_.flag("use_sliding_window", may)) return;
    const bool is_mistral = family_->type == "mistral" && !keys_.says("sliding_window");
    if (!keys_.has("sliding_window") && !is_mistral) return;
    const std::int64_t window = keys_.size("sliding_window", 4096, ModelKeys::kMostRows);
    if (window < blocks_.tokens) blocks_.window = window;
  }

  void language() {
    read_tokens();
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
    add(embedding_layer("embed.word", vocabulary_, word_width_, blocks_.tokens));
    if (family_->more_rows >= 0) {
      add(embedding_layer("embed.position", positions_, width, blocks_.tokens));
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
    head("head.decoder", width, vocabulary_, tokens);
    network().layers.back().tied = tied_;
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
    head("lm_head", width, vocabulary_, blocks_.tokens, false);
    network().layers.back().tied = tied_;
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
    read_tokens();
    const std::int64_t buckets = keys_.size("relative_attention_num_buckets", 32);
    blocks_.prefix = "enc";
    std::vector<StreamOp> after{StreamOp::rms_norm};
    if (blocks_.dropout) after.insert(after.begin(), StreamOp::dropout);
    add(embedding_layer("enc.embed", vocabulary_, blocks_.hidden, blocks_.tokens, after));
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
    Layer words =
        embedding_layer("dec.embed", vocabulary_, blocks_.hidden, decoder.tokens, std::move(after));
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
  ModelKeys keys_;
  const ImportOptions& options_;
  std::string architecture_;
  const ModelFamily* family_ = nullptr;
  TransformerBlocks blocks_;
  std::int64_t vocabulary_ = 0;
  std::int64_t positions_ = 0;
  /// Narrower than the blocks in OPT-350M.
  std::int64_t word_width_ = 0;
  bool tied_ = false;
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
         std::ranges::any_of(words_in(kHidden), has) || std::ranges::any_of(words_in(kHeads), has);
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
