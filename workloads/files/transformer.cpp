#include "workloads/files/transformer.hpp"

#include <utility>
#include <vector>

#include "workloads/files/layers.hpp"

namespace stcsim {
namespace {

/// Adds the layers of one stack.
class BlockWriter {
 public:
  BlockWriter(Network& network, const TransformerBlocks& blocks)
      : network_(network), blocks_(blocks) {}

  void write() {
    projections();
    attention("", blocks_.tokens, blocks_.causal);
    output("");
    if (blocks_.cross_tokens > 0) cross_attention();
    if (blocks_.experts > 0) {
      add(linear_layer("router", LayerRole::ffn, blocks_.hidden, blocks_.experts, blocks_.tokens,
                       false, {StreamOp::softmax}));
    }
    blocks_.gated ? gated() : plain();
    parameters();
  }

 private:
  void add(Layer layer, std::int64_t each = 1) {
    layer.name = blocks_.prefix + "." + layer.name;
    layer.repeat = each * blocks_.blocks;
    network_.layers.push_back(std::move(layer));
  }

  [[nodiscard]] Layer attention_linear(const char* name, std::int64_t out, std::int64_t tokens,
                                       bool rotates) const {
    std::vector<StreamOp> after;
    if (rotates && blocks_.rope) after.push_back(StreamOp::rope);
    return linear_layer(name, LayerRole::attention, blocks_.hidden, out, tokens, blocks_.qkv_bias,
                        std::move(after));
  }

  void projections() {
    const std::int64_t queries = blocks_.heads * blocks_.head_dim;
    const std::int64_t keys = blocks_.kv_heads * blocks_.head_dim;
    if (blocks_.merged_qkv) {
      return add(attention_linear("qkv", queries + 2 * keys, blocks_.tokens, true));
    }
    if (queries == keys && !blocks_.rope) {
      return add(attention_linear("qkv_each", queries, blocks_.tokens, false), 3);
    }
    add(attention_linear("q", queries, blocks_.tokens, true));
    add(attention_linear("k", keys, blocks_.tokens, true));
    add(attention_linear("v", keys, blocks_.tokens, false));
  }

  void attention(const std::string& prefix, std::int64_t keys, bool causal) {
    Layer scores =
        product_layer(LayerRole::attention, blocks_.heads, keys, blocks_.tokens, blocks_.head_dim);
    scores.name = prefix + "attn_qk";
    scores.shared_by = blocks_.heads / blocks_.kv_heads;
    scores.causal = causal;
    scores.padded = blocks_.padded;
    scores.window = causal && blocks_.window < keys ? blocks_.window : 0;
    Layer values = scores;
    values.name = prefix + "attn_av";
    std::swap(values.bmm_m, values.bmm_k);
    scores.after.push_back(StreamOp::softmax);
    if (blocks_.attention_dropout) scores.after.push_back(StreamOp::dropout);
    add(std::move(scores));
    add(std::move(values));
  }

  /// Dropout, the sum with the residual stream, and the norm of what comes next.
  [[nodiscard]] std::vector<StreamOp> after_half() const {
    std::vector<StreamOp> after;
    if (blocks_.dropout) after.push_back(StreamOp::dropout);
    after.insert(after.end(), {StreamOp::residual_add, blocks_.norm});
    return after;
  }

  void output(const std::string& prefix) {
    add(linear_layer(prefix + "attn_out", LayerRole::attention, blocks_.heads * blocks_.head_dim,
                     blocks_.hidden, blocks_.tokens, blocks_.out_bias, after_half()));
  }

  void cross_attention() {
    const std::int64_t width = blocks_.heads * blocks_.head_dim;
    add(attention_linear("cross.q", width, blocks_.tokens, false));
    add(attention_linear("cross.kv_each", width, blocks_.cross_tokens, false), 2);
    attention("cross.", blocks_.cross_tokens, false);
    output("cross.");
  }

  [[nodiscard]] Layer ffn(const char* name, std::int64_t in, std::int64_t out,
                          std::vector<StreamOp> after) const {
    Layer layer = linear_layer(name, LayerRole::ffn, in, out, blocks_.tokens, blocks_.ffn_bias,
                               std::move(after));
    if (blocks_.experts > 0) {
      layer.experts = blocks_.experts;
      layer.experts_per_token = blocks_.experts_per_token;
    }
    return layer;
  }

  [[nodiscard]] std::vector<StreamOp> after_ffn() const {
    std::vector<StreamOp> after = after_half();
    if (blocks_.experts > 0) after.insert(after.begin(), StreamOp::combine);
    return after;
  }

  void gated() {
    if (blocks_.merged_gate) {
      const StreamOp both =
          blocks_.activation == StreamOp::silu ? StreamOp::swiglu : StreamOp::geglu;
      add(ffn("gate_up", blocks_.hidden, 2 * blocks_.inner, {both}));
    } else {
      add(ffn("gate", blocks_.hidden, blocks_.inner, {blocks_.activation}));
      add(ffn("up", blocks_.hidden, blocks_.inner, {StreamOp::mul}));
    }
    add(ffn("down", blocks_.inner, blocks_.hidden, after_ffn()));
  }

  void plain() {
    add(ffn("ff1", blocks_.hidden, blocks_.inner, {blocks_.activation}));
    add(ffn("ff2", blocks_.inner, blocks_.hidden, after_ffn()));
  }

  void parameters() {
    const std::int64_t norms = blocks_.cross_tokens > 0 ? 3 : 2;
    std::int64_t each = norms * norm_parameters(blocks_.norm, blocks_.hidden);
    if (blocks_.qk_norm) each += 2 * norm_parameters(blocks_.norm, blocks_.head_dim);
    network_.other_parameters += blocks_.blocks * each;
  }

  Network& network_;
  const TransformerBlocks& blocks_;
};

}  // namespace

void add_blocks(Network& network, const TransformerBlocks& blocks) {
  BlockWriter(network, blocks).write();
}

std::int64_t norm_parameters(StreamOp norm, std::int64_t features) {
  return operation_of(norm).parameters * features;
}

}  // namespace stcsim
