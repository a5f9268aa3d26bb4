#include "workloads/files/model_family.hpp"

#include <array>

namespace stcsim {
namespace {

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
      {"gpt2", "GPT2", decoder, 768, 12, 12, 0, 0, 0, 50257, 1024, 0, kTanh, kEncoder | merged_qkv,
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

}  // namespace stcsim
