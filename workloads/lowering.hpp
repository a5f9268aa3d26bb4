#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/attention.hpp"
#include "common/gemm.hpp"
#include "common/phase.hpp"
#include "workloads/framework.hpp"
#include "workloads/layer.hpp"

namespace stcsim {

/// The tensors of a training step a GEMM multiplies.
enum class Tensor : std::uint8_t { weight, activation, output_gradient };

/// Left and right tensor of a phase's GEMM: forward W*X, dgrad W^T*dY, wgrad dY*X^T.
/// A bmm multiplies two activations, A in the place of the weight: X, of the values' product the
/// scores, and dY, of the scores' product their gradients, are what a scheme prunes.
struct PhaseOperands {
  Tensor left;
  Tensor right;
};
[[nodiscard]] PhaseOperands operands_of(Phase phase);

/// The dense GEMMs of one repeat of `layer` in `phase` for `batch` samples; dtype is left at its
/// default. Usually one. A strided convolution's dgrad gives one GEMM per distinct class of input
/// pixels (those reached by the same number of filter taps), most taps first, so that no
/// multiplication by an inserted zero is counted. Empty where the phase does not exist (dgrad of
/// the first layer).
///
/// Shapes (linear and conv, per group, batch_count = groups):
///   forward  M=C_out  N=batch*H_out*W_out        K=C_in*kh*kw
///   dgrad    M=C_in   N=batch*pixels of a class  K=C_out*taps of that class
///   wgrad    M=C_out  N=C_in*kh*kw               K=batch*H_out*W_out
/// A linear layer of E experts: batch_count = E, batch*tokens*experts_per_token/E tokens each.
/// bmm (batch_count = batch*count; where `shared_by` s matrices share one A: n*s and count/s; of
/// causal attention whose blocks are skipped the keys that a query meets, Layer::keys_met()):
///   forward  C = A*B      M=m  N=n  K=k
///   dgrad    dB = A^T*dC  M=k  N=n  K=m
///   wgrad    dA = dC*B^T  M=m  N=k  K=n
/// dgrad has exactly forward's MACs if H = stride*H_out and W = stride*W_out; otherwise it has
/// those of the pixels there really are (taps that reach outside the output are multiplied, as
/// forward multiplies its padding).
///
/// Distinct data of an implicit-im2col operand, per convolution group (0 where it is all of it):
///   forward B  unique_k    = C_in*s, s = min(stride, kh)*min(stride, kw): each output pixel adds s
///                            input pixels to those its neighbours read
///   dgrad B    unique_k    = C_out: each of a pixel's taps is read by other pixels too
///              unique_rows = batch*H_out*W_out: all classes read the same output pixels
///   wgrad B    unique_rows = C_in*s
/// Layouts are those of channels-last tensors and weights stored [C_out][kh][kw][C_in].
[[nodiscard]] std::vector<GemmProblem> lower(const Layer& layer, Phase phase, std::int64_t batch);

/// Input pixels per sample that a strided convolution's dgrad reaches with no filter tap: their
/// gradient is zero, written by a stream kernel.
[[nodiscard]] std::int64_t untouched_pixels(const Layer& layer);

/// The layer as `framework` multiplies it: of causal attention whose scores stay on chip, blocks
/// that nothing sees are left out.
[[nodiscard]] Layer with_skipped_blocks(Layer layer, const Framework& framework);
/// The same of all layers: whatever simulates a network with a framework starts with it.
void skip_blocks(Network& network, const Framework& framework);

/// Attention that one kernel of `framework` computes, from the scores to the layer that mixes
/// values, if the scores of `layer` stay on chip and the framework names that kernel; nothing else.
/// @param dtype  of the network's GEMMs
[[nodiscard]] std::optional<AttentionShape> attention_of(const Network& network, const Layer& layer,
                                                         DataType dtype,
                                                         const Framework& framework);
/// Whether `layer` mixes values in the kernel of the scores before it.
[[nodiscard]] bool is_in_attention(const Network& network, const Layer& layer, DataType dtype,
                                   const Framework& framework);
/// Whether the framework has a kernel that computes attention of these scores.
[[nodiscard]] bool has_attention_kernel(const Layer& scores, DataType dtype,
                                        const Framework& framework);

/// The same product stated as C^T = B^T * A^T, so that the right operand becomes the left one.
/// Throws std::invalid_argument if A is sparse: only the left operand can be.
[[nodiscard]] GemmProblem transposed(const GemmProblem& problem);

/// The scores' layer as the operations after it see it where only so many scores are there: rows of
/// the kept ones.
[[nodiscard]] Layer with_kept_scores(Layer scores, Pattern kept);

/// One memory-bound kernel of the training step.
struct StreamKernel {
  std::string name;  // e.g. "batch_norm forward"
  StreamWork work;   // of one repeat, whole batch
  /// Belongs to the backward pass (dgrad and wgrad) or to the update after it.
  bool backward = false;
  StreamKind kind = StreamKind::pruning;
  /// So many kernels like it run, one after the other.
  std::int64_t launches = 1;
  /// The gradient of its layer's output, or the weights as products read them, if it writes that.
  std::optional<Tensor> writes = std::nullopt;
};

/// Forward and backward stream kernels of one repeat of `layer` that `framework` launches, in a
/// network whose GEMMs have operands of `dtype`. Tensors have the type that GEMMs write
/// (output_of()) unless the recipe says another; of int4 only what comes from a GEMM has, and what
/// is written for the next one is int4. Kernels that move nothing and casts between equal types are
/// left out. Recipes: docs/workloads.md.
[[nodiscard]] std::vector<StreamKernel> stream_kernels(const Layer& layer, std::int64_t batch,
                                                       DataType dtype, const Framework& framework);

/// Those of them that run for the operations after the layer.
[[nodiscard]] std::vector<StreamKernel> operation_kernels(const Layer& layer, std::int64_t batch,
                                                          DataType dtype,
                                                          const Framework& framework);

/// What `framework` launches beside those where the layer's product of a phase multiplies a packed
/// weight (Directions::packed_forward of forward, packed_backward of dgrad).
[[nodiscard]] std::vector<StreamKernel> packed_kernels(const Layer& layer, Phase phase,
                                                       std::int64_t batch, DataType dtype,
                                                       const Framework& framework);

/// The layer whose product left the dense operand of this one's: the layer before in forward, the
/// layer after in dgrad, if the operations between keep the order in memory; null if there is none.
/// Where that product multiplied a packed weight, the operand is transposed.
/// @param layer of `network`
[[nodiscard]] const Layer* layer_that_hands_on(const Network& network, const Layer& layer,
                                               Phase phase);

/// What `framework` launches for a product of a phase whose kernel has more CTAs than the machine
/// runs at a time.
[[nodiscard]] std::vector<StreamKernel> wave_kernels(const Layer& layer, Phase phase,
                                                     std::int64_t batch, DataType dtype,
                                                     const Framework& framework);

/// What a training step does with the weights of one repeat of `layer` besides multiplying them:
/// casts, accumulation. Empty for layers without weights of their own.
/// @param kept share of the weights that there are
[[nodiscard]] std::vector<StreamKernel> weight_kernels(const Layer& layer, DataType dtype,
                                                       const Framework& framework,
                                                       double kept = 1.0);

/// The optimizer's update of all of the network's parameters. Which share a launch: the recipe's
/// tensors_per_launch; launches are taken to be equal unless it is one per tensor.
/// @param kept share of the weights that there are, by layer; 1 for others
[[nodiscard]] std::vector<StreamKernel> optimizer_kernels(
    const Network& network, const Framework& framework,
    const std::map<std::string, double>& kept = {});

}  // namespace stcsim
