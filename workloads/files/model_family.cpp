#include "workloads/files/model_family.hpp"

#include <array>

namespace stcsim {
namespace {

constexpr std::array<std::string_view, 6> kBertKeys{"hidden_size",         "num_hidden_layers",
                                                    "num_attention_heads", "intermediate_size",
                                                    "vocab_size",          "type_vocab_size"};
constexpr std::array<std::string_view, 5> kElectraKeys{"embedding_size", "hidden_size",
                                                       "num_hidden_layers", "num_attention_heads",
                                                       "intermediate_size"};
constexpr std::array<std::string_view, 4> kDistilKeys{"dim", "n_layers", "n_heads", "hidden_dim"};
constexpr std::array<std::string_view, 3> kGptKeys{"n_embd", "n_layer", "n_head"};
constexpr std::array<std::string_view, 5> kNeoxKeys{
    "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "rotary_pct"};
constexpr std::array<std::string_view, 4> kOptKeys{"hidden_size", "num_hidden_layers",
                                                   "num_attention_heads", "ffn_dim"};
constexpr std::array<std::string_view, 6> kLlamaKeys{"hidden_size",         "num_hidden_layers",
                                                     "num_attention_heads", "intermediate_size",
                                                     "vocab_size",          "rms_norm_eps"};
constexpr std::array<std::string_view, 6> kMixtralKeys{"hidden_size",         "num_hidden_layers",
                                                       "num_attention_heads", "intermediate_size",
                                                       "num_experts_per_tok", "num_local_experts"};
constexpr std::array<std::string_view, 5> kVitKeys{
    "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "patch_size"};
constexpr std::array<std::string_view, 5> kT5Keys{"d_model", "d_kv", "d_ff", "num_layers",
                                                  "num_heads"};

/// A model like LLaMA: root mean squares, rotation, a gate, no biases.
constexpr ModelFamily like_llama(std::string_view type, std::string_view classes) {
  ModelFamily family;
  family.type = type;
  family.classes = classes;
  family.hidden = 4096;
  family.blocks = 32;
  family.heads = 32;
  family.inner = 14336;
  family.vocabulary = 32000;
  family.positions = 131072;
  family.norm = StreamOp::rms_norm;
  family.activation = StreamOp::silu;
  family.gated = true;
  family.qkv_bias = family.out_bias = family.ffn_bias = false;
  family.keys = kLlamaKeys;
  return family;
}

constexpr ModelFamily llama() {
  ModelFamily family = like_llama("llama", "Llama");
  family.inner = 11008;
  family.positions = 2048;
  return family;
}
constexpr ModelFamily mistral() {
  ModelFamily family = like_llama("mistral", "Mistral");
  family.kv_heads = 8;
  return family;
}
constexpr ModelFamily mixtral() {
  ModelFamily family = like_llama("mixtral", "Mixtral");
  family.kv_heads = 8;
  family.keys = kMixtralKeys;
  return family;
}
constexpr ModelFamily qwen(std::string_view type, std::string_view classes) {
  ModelFamily family = like_llama(type, classes);
  family.inner = 22016;
  family.vocabulary = 151936;
  family.positions = 32768;
  family.kv_heads = 32;
  return family;
}
constexpr ModelFamily qwen2() {
  ModelFamily family = qwen("qwen2", "Qwen2");
  family.qkv_bias = true;
  return family;
}
constexpr ModelFamily qwen3() {
  ModelFamily family = qwen("qwen3", "Qwen3");
  family.head_dim = 128;
  family.qk_norm = true;
  return family;
}
constexpr ModelFamily gemma() {
  ModelFamily family = like_llama("gemma", "Gemma");
  family.hidden = 3072;
  family.blocks = 28;
  family.heads = family.kv_heads = 16;
  family.head_dim = 256;
  family.inner = 24576;
  family.vocabulary = 256000;
  family.positions = 8192;
  family.activation = StreamOp::gelu_tanh;
  family.tied = true;
  return family;
}
constexpr ModelFamily phi3() {
  ModelFamily family = like_llama("phi3", "Phi3");
  family.hidden = 3072;
  family.inner = 8192;
  family.vocabulary = 32064;
  family.positions = 4096;
  family.merged_qkv = family.merged_gate = true;
  return family;
}

constexpr ModelFamily encoder(std::string_view type, std::string_view classes,
                              std::int64_t vocabulary) {
  ModelFamily family;
  family.type = type;
  family.classes = classes;
  family.kind = ModelFamily::Kind::encoder;
  family.inner = 3072;
  family.vocabulary = vocabulary;
  family.more_rows = 0;
  family.segments = 2;
  family.tied = family.dropout = true;
  family.keys = kBertKeys;
  return family;
}
constexpr ModelFamily bert() {
  ModelFamily family = encoder("bert", "Bert", 30522);
  family.pooler = true;
  return family;
}
constexpr ModelFamily roberta() {
  ModelFamily family = encoder("roberta", "Roberta", 50265);
  family.pooler = true;
  return family;
}
constexpr ModelFamily distilbert() {
  ModelFamily family = encoder("distilbert", "DistilBert", 30522);
  family.blocks = 6;
  family.segments = 0;
  family.keys = kDistilKeys;
  return family;
}
constexpr ModelFamily electra() {
  ModelFamily family = encoder("electra", "Electra", 30522);
  family.hidden = 256;
  family.heads = 4;
  family.inner = 1024;
  family.keys = kElectraKeys;
  return family;
}

constexpr ModelFamily gpt2() {
  ModelFamily family;
  family.type = "gpt2";
  family.classes = "GPT2";
  family.vocabulary = 50257;
  family.positions = 1024;
  family.more_rows = 0;
  family.tied = family.dropout = family.merged_qkv = true;
  family.activation = StreamOp::gelu_tanh;
  family.keys = kGptKeys;
  return family;
}
constexpr ModelFamily gpt_neox() {
  ModelFamily family;
  family.type = "gpt_neox";
  family.classes = "GPTNeoX";
  family.hidden = 6144;
  family.blocks = 44;
  family.heads = 64;
  family.inner = 24576;
  family.vocabulary = 50432;
  family.positions = 2048;
  family.merged_qkv = true;
  family.keys = kNeoxKeys;
  return family;
}
constexpr ModelFamily opt() {
  ModelFamily family;
  family.type = "opt";
  family.classes = "OPT";
  family.inner = 3072;
  family.vocabulary = 50272;
  family.positions = 2048;
  family.more_rows = 2;
  family.tied = family.dropout = true;
  family.activation = StreamOp::relu;
  family.keys = kOptKeys;
  return family;
}

constexpr ModelFamily vision(std::string_view type, std::string_view classes) {
  ModelFamily family;
  family.type = type;
  family.classes = classes;
  family.kind = ModelFamily::Kind::vision;
  family.inner = 3072;
  family.pooler = true;
  family.keys = kVitKeys;
  return family;
}
constexpr ModelFamily t5() {
  ModelFamily family;
  family.type = "t5";
  family.classes = "T5";
  family.kind = ModelFamily::Kind::both;
  family.hidden = 512;
  family.blocks = 6;
  family.heads = 8;
  family.head_dim = 64;
  family.inner = 2048;
  family.vocabulary = 32128;
  family.tied = family.dropout = true;
  family.norm = StreamOp::rms_norm;
  family.activation = StreamOp::relu;
  family.qkv_bias = family.out_bias = family.ffn_bias = false;
  family.keys = kT5Keys;
  return family;
}

}  // namespace

std::span<const ModelFamily> model_families() {
  // Those with the most particular keys first: a type that is not known is read as the first whose
  // keys are all there.
  static const std::array<ModelFamily, 17> families{mixtral(),
                                                    electra(),
                                                    distilbert(),
                                                    t5(),
                                                    vision("vit", "ViT"),
                                                    vision("deit", "DeiT"),
                                                    gpt_neox(),
                                                    gpt2(),
                                                    opt(),
                                                    llama(),
                                                    mistral(),
                                                    qwen2(),
                                                    qwen3(),
                                                    gemma(),
                                                    phi3(),
                                                    bert(),
                                                    roberta()};
  return families;
}

}  // namespace stcsim
