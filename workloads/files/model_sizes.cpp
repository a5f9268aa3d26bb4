#include "workloads/files/model_sizes.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace stcsim {
namespace {

/// A size that a configuration of another class calls otherwise.
constexpr std::string_view kBlocks = "num_hidden_layers n_layer num_layers n_layers";
constexpr std::string_view kInner = "intermediate_size n_inner ffn_dim d_ff hidden_dim";
constexpr std::string_view kDropout =
    "hidden_dropout_prob resid_pdrop hidden_dropout dropout_rate dropout";
constexpr std::string_view kAttentionDropout =
    "attention_probs_dropout_prob attn_pdrop attention_dropout dropout_rate";

/// Tokens of a sample where nothing is said.
constexpr std::int64_t kUsualTokens = 2048;

constexpr std::string_view kBertKeys =
    "hidden_size num_hidden_layers num_attention_heads intermediate_size vocab_size "
    "type_vocab_size";
constexpr std::string_view kElectraKeys =
    "embedding_size hidden_size num_hidden_layers num_attention_heads intermediate_size";
constexpr std::string_view kNeoxKeys =
    "hidden_size num_hidden_layers num_attention_heads intermediate_size rotary_pct";
constexpr std::string_view kOptKeys = "hidden_size num_hidden_layers num_attention_heads ffn_dim";
constexpr std::string_view kLlamaKeys =
    "hidden_size num_hidden_layers num_attention_heads intermediate_size vocab_size rms_norm_eps";
constexpr std::string_view kMixtralKeys =
    "hidden_size num_hidden_layers num_attention_heads intermediate_size num_experts_per_tok "
    "num_local_experts";
constexpr std::string_view kVitKeys =
    "hidden_size num_hidden_layers num_attention_heads intermediate_size patch_size";

/// Those with the most particular keys first: a type that is not known is read as the first whose
/// keys are all there.
struct FamilyTable {
  using enum ModelFamily::Kind;
  using enum ModelFamily::Trait;
  static constexpr StreamOp kSilu = StreamOp::silu;
  static constexpr StreamOp kTanh = StreamOp::gelu_tanh;
  static constexpr StreamOp kNew = StreamOp::gelu_new;
  static constexpr StreamOp kGelu = StreamOp::gelu;
  static constexpr StreamOp kRelu = StreamOp::relu;
  static constexpr unsigned kLlama = rms_norm | gated;
  static constexpr unsigned kBiased = qkv_bias | other_biases;
  static constexpr unsigned kEncoder = kBiased | tied | dropouts;

  static constexpr std::array<ModelFamily, 18> kRows{{
      // type, classes, kind, hidden, blocks, heads, kv_heads, head_dim, inner, vocabulary,
      // positions, more_rows
      {"mixtral", "Mixtral", decoder, 4096, 32, 32, 8, 0, 14336, 32000, 131072, -1, kSilu, kLlama,
       kMixtralKeys},
      {"qwen3_moe", "Qwen3Moe", decoder, 2048, 24, 32, 4, 0, 6144, 151936, 32768, -1, kSilu,
       kLlama | qk_norm, kMixtralKeys},
      {"electra", "Electra", encoder, 256, 12, 4, 0, 0, 1024, 30522, 512, 0, kGelu,
       kEncoder | segments, kElectraKeys},
      {"distilbert", "DistilBert", encoder, 768, 6, 12, 0, 0, 3072, 30522, 512, 0, kGelu, kEncoder,
       "dim n_layers n_heads hidden_dim"},
      {"t5", "T5", both, 512, 6, 8, 0, 64, 2048, 32128, 512, -1, kRelu, rms_norm | tied | dropouts,
       "d_model d_kv d_ff num_layers num_heads"},
      {"vit", "ViT", vision, 768, 12, 12, 0, 0, 3072, 0, 512, -1, kGelu, kBiased | pooler,
       kVitKeys},
      {"deit", "DeiT", vision, 768, 12, 12, 0, 0, 3072, 0, 512, -1, kGelu, kBiased | pooler,
       kVitKeys},
      {"gpt_neox", "GPTNeoX", decoder, 6144, 44, 64, 0, 0, 24576, 50432, 2048, -1, kGelu,
       kBiased | merged_qkv, kNeoxKeys},
      {"gpt2", "GPT2", decoder, 768, 12, 12, 0, 0, 0, 50257, 1024, 0, kNew, kEncoder | merged_qkv,
       "n_embd n_layer n_head"},
      {"opt", "OPT", decoder, 768, 12, 12, 0, 0, 3072, 50272, 2048, 2, kRelu, kEncoder, kOptKeys},
      {"llama", "Llama", decoder, 4096, 32, 32, 0, 0, 11008, 32000, 2048, -1, kSilu, kLlama,
       kLlamaKeys},
      {"mistral", "Mistral", decoder, 4096, 32, 32, 8, 0, 14336, 32000, 131072, -1, kSilu, kLlama,
       kLlamaKeys},
      {"qwen2", "Qwen2", decoder, 4096, 32, 32, 32, 0, 22016, 151936, 32768, -1, kSilu,
       kLlama | qkv_bias, kLlamaKeys},
      {"qwen3", "Qwen3", decoder, 4096, 32, 32, 32, 128, 22016, 151936, 32768, -1, kSilu,
       kLlama | qk_norm, kLlamaKeys},
      {"gemma", "Gemma", decoder, 3072, 28, 16, 16, 256, 24576, 256000, 8192, -1, kTanh,
       kLlama | tied, kLlamaKeys},
      {"phi3", "Phi3", decoder, 3072, 32, 32, 0, 0, 8192, 32064, 4096, -1, kSilu, kLlama | merged,
       kLlamaKeys},
      {"bert", "Bert", encoder, 768, 12, 12, 0, 0, 3072, 30522, 512, 0, kGelu,
       kEncoder | segments | pooler, kBertKeys},
      {"roberta", "Roberta", encoder, 768, 12, 12, 0, 0, 3072, 50265, 512, 0, kGelu,
       kEncoder | segments | pooler, kBertKeys},
  }};
};

}  // namespace

std::span<const ModelFamily> model_families() {
  return FamilyTable::kRows;
}

ModelSizes SizeReader::read() {
  const ModelFamily& family = family_;
  ModelSizes sizes;
  TransformerBlocks& blocks = sizes.blocks;
  blocks.hidden = keys_.size(kHiddenKeys, family.hidden);
  blocks.blocks = keys_.size(kBlocks, family.blocks, ModelKeys::kMostBlocks);
  blocks.heads = keys_.size(kHeadsKeys, family.heads);
  const std::int64_t four = 4 * std::min(blocks.hidden, ModelKeys::kMostSize / 4);
  blocks.inner = keys_.size(kInner, family.inner == 0 ? four : family.inner);
  if (family.kind != ModelFamily::Kind::vision) {
    sizes.vocabulary = keys_.size("vocab_size", family.vocabulary, ModelKeys::kMostRows);
  }
  read_heads(blocks);
  read_experts(blocks);
  read_words(sizes);
  return sizes;
}

void SizeReader::read_heads(TransformerBlocks& blocks) {
  const std::int64_t all = blocks.heads;
  const std::int64_t usual = family_.kv_heads == 0 ? all : std::min(all, family_.kv_heads);
  blocks.kv_heads = keys_.stated("num_key_value_heads", usual);
  if (all % blocks.kv_heads != 0) {
    problems_.add(
        fmt::format("'num_key_value_heads' is {}, must divide the {} heads", blocks.kv_heads, all));
    blocks.kv_heads = all;
  }
  blocks.head_dim = keys_.stated("head_dim d_kv", family_.head_dim);
  if (blocks.head_dim != 0) return;
  if (blocks.hidden % all != 0) {
    problems_.add(
        fmt::format("hidden size {} must be a multiple of the {} heads, where "
                    "'head_dim' is not stated",
                    blocks.hidden, all));
  }
  blocks.head_dim = std::max<std::int64_t>(1, blocks.hidden / all);
}

void SizeReader::read_experts(TransformerBlocks& blocks) {
  const bool is_qwen = family_.type == "qwen3_moe";
  const bool has_experts = is_qwen || family_.type == "mixtral";
  if (!has_experts && !keys_.has("num_local_experts num_experts")) return;
  blocks.experts =
      keys_.size("num_local_experts num_experts", is_qwen ? 128 : 8, ModelKeys::kMostBlocks);
  blocks.experts_per_token =
      keys_.size("num_experts_per_tok experts_per_token", is_qwen ? 8 : 2, blocks.experts);
  blocks.inner = keys_.stated("moe_intermediate_size", is_qwen ? 768 : blocks.inner);
  if (keys_.stated("decoder_sparse_step", 1) != 1) {
    problems_.add("'decoder_sparse_step' must be 1: blocks with and without experts are not read");
  }
}

void SizeReader::read_words(ModelSizes& sizes) {
  using Family = ModelFamily;
  const Family& family = family_;
  TransformerBlocks& blocks = sizes.blocks;
  blocks.norm = family.has(Family::rms_norm) ? StreamOp::rms_norm : StreamOp::layer_norm;
  blocks.merged_qkv = family.has(Family::merged_qkv);
  blocks.merged_gate = family.has(Family::merged);
  blocks.qk_norm = family.has(Family::qk_norm);
  blocks.causal = family.kind == ModelFamily::Kind::decoder;
  blocks.padded = family.kind == ModelFamily::Kind::encoder;
  blocks.rope = blocks.causal && family.more_rows < 0;
  const bool all_biases = keys_.flag("enable_bias", true);
  const bool other_biases = family.has(Family::other_biases);
  blocks.qkv_bias = keys_.flag("attention_bias", family.has(Family::qkv_bias)) && all_biases;
  blocks.qkv_bias = keys_.flag("qkv_bias", blocks.qkv_bias);
  blocks.out_bias = keys_.flag("attention_bias", other_biases) && all_biases;
  blocks.ffn_bias = keys_.flag("mlp_bias", other_biases) && all_biases;
  sizes.tied = keys_.flag("tie_word_embeddings", family.has(Family::tied));
  read_activation(blocks);
  const bool drops = family.has(Family::dropouts);
  blocks.dropout = keys_.is_above_zero(kDropout, drops);
  blocks.attention_dropout = keys_.is_above_zero(kAttentionDropout, drops && family.type != "opt");
}

void SizeReader::read_activation(TransformerBlocks& blocks) {
  blocks.activation = family_.activation;
  blocks.gated = family_.has(ModelFamily::gated);
  std::string name = keys_.text(
      "hidden_activation hidden_act activation_function activation feed_forward_proj", "");
  if (name.starts_with("gated-")) {
    blocks.gated = true;
    name = name.substr(name.find('-') + 1);
  }
  if (name.empty()) return;
  const bool is_exact = family_.kind != ModelFamily::Kind::both && family_.type != "gemma";
  const Operation* const named = find_operation(&Operation::hugging_face, name);
  const bool is_other = named == nullptr || (named->op == StreamOp::gelu && !is_exact);
  blocks.activation = is_other ? StreamOp::gelu_tanh : named->op;
  if (blocks.activation == StreamOp::gelu_tanh && !name.starts_with("gelu")) {
    assumed_.push_back(fmt::format("the activation '{}' costs what gelu_tanh does", name));
  }
}

void SizeReader::read_tokens(ModelSizes& sizes, const ImportOptions& options) {
  TransformerBlocks& blocks = sizes.blocks;
  const std::int64_t positions =
      keys_.size("max_position_embeddings n_positions max_sequence_length", family_.positions);
  sizes.positions = positions + std::max<std::int64_t>(0, family_.more_rows);
  std::int64_t most = positions;
  if (family_.type == "roberta") most = std::max<std::int64_t>(1, positions - 2);
  blocks.tokens = options.tokens.value_or(std::min(most, kUsualTokens));
  if (!options.tokens) assumed_.push_back(fmt::format("{} tokens a sample", blocks.tokens));
  if (family_.more_rows >= 0 && blocks.tokens > most) {
    problems_.add(
        fmt::format("it has positions for {} tokens, {} were asked for", most, blocks.tokens));
  }
  read_window(blocks);
}

/// Keys of a window; a layer that has none when others have one is not read.
void SizeReader::read_window(TransformerBlocks& blocks) {
  const bool may = !family_.type.starts_with("qwen");
  if (!blocks.causal) return;
  keys_.take("sliding_window");
  keys_.take("max_window_layers");
  const std::vector<std::string> kinds = keys_.texts("layer_types");
  for (const std::string& kind : kinds) {
    if (kind == "full_attention" || kind == "sliding_attention") continue;
    problems_.add(fmt::format("'layer_types' has '{}', must be full or sliding attention", kind));
  }
  const auto full = std::ranges::count(kinds, "full_attention");
  const bool is_said = !kinds.empty() && full < std::ssize(kinds);
  if (!keys_.flag("use_sliding_window", may || is_said)) return;
  const bool is_mistral = family_.type == "mistral" && !keys_.says("sliding_window");
  if (!keys_.has("sliding_window") && !is_mistral) return;
  const std::int64_t window = keys_.size("sliding_window", 4096, ModelKeys::kMostRows);
  if (window >= blocks.tokens || (!kinds.empty() && !is_said)) return;
  blocks.window = window;
  const std::int64_t without = may ? 0 : keys_.stated("max_window_layers", 28);
  const bool is_mixed = kinds.empty() ? without > 0 && without < blocks.blocks : full > 0;
  if (kinds.empty() && without >= blocks.blocks) blocks.window = 0;
  if (is_mixed) {
    problems_.add(fmt::format(
        "by '{}' some layers have the window of {} tokens and some have none, which is not read "
        "(--tokens {} is)",
        kinds.empty() ? "max_window_layers" : "layer_types", window, window));
  }
}

}  // namespace stcsim
