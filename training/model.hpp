#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include <ATen/ATen.h>

#include "training/gemm_layer.hpp"
#include "training/tasks/task.hpp"
#include "training/timeline.hpp"
#include "workloads/network_graph.hpp"
#include "workloads/scheme.hpp"

namespace stcsim::training {

/// A network that states its input, with weights, that is run forward and backward.
class Model {
 public:
  /// Weights are drawn by He et al. ("Delving Deep into Rectifiers", ICCV 2015): normal, with
  /// variance 2 / fan-in before a relu, else 1 / fan-in; embeddings normal, biases 0.
  Model(const Network& network, const Scheme& scheme, const Timeline& timeline, std::uint64_t seed);

  /// Logits, the outputs of the last layer before its softmax: samples (x tokens) x classes.
  /// @param training normalise with the statistics of these samples, and learn them
  [[nodiscard]] at::Tensor forward(const Examples& examples, bool training);

  void prepare(std::int64_t step);
  void refresh(std::int64_t step);

  /// GemmLayer::cast_products of all layers.
  void cast_products();
  /// From now on, layers remember the gradients of their outputs (GemmLayer::output_gradient).
  void keep_output_gradients();

  /// Adds what a scheme does to the gradients of pruned weights: decay, masks.
  void change_gradients();
  /// Where only kept weights are updated: zeroes the others.
  void mask_weights();

  /// Parameters that decay, and those that do not.
  [[nodiscard]] std::vector<at::Tensor> weights() const;
  [[nodiscard]] const std::vector<at::Tensor>& others() const { return others_; }
  [[nodiscard]] const std::deque<GemmLayer>& gemms() const { return gemms_; }

 private:
  /// Values that the operations after a layer have learnt; undefined where it has no such
  /// operation.
  struct Learnt {
    at::Tensor bias;
    at::Tensor scale, shift;    // normalisation
    at::Tensor mean, variance;  // batch normalisation, for evaluation
    GemmLayer* gemm = nullptr;
  };

  Learnt make_learnt(const std::vector<StreamOp>& operations, std::int64_t channels);
  at::Tensor other(at::Tensor start);
  at::Tensor embed(const Examples& examples);
  at::Tensor input_of(const Examples& examples);
  at::Tensor product(std::size_t index);
  at::Tensor attention(const Layer& layer, const LayerEdges& edges);
  at::Tensor apply(StreamOp operation, std::size_t index, const at::Tensor& x, bool training);
  void run_operations(int index, at::Tensor x, bool training);
  void note(Place place, const at::Tensor& value);
  [[nodiscard]] const at::Tensor& at_place(Place place) const { return values_.at(place); }

  Network network_;
  Scheme scheme_;
  std::vector<LayerEdges> edges_;
  std::deque<GemmLayer> gemms_;
  std::vector<Learnt> learnt_;
  Learnt input_learnt_;
  at::Tensor token_embedding_, position_embedding_;
  std::vector<at::Tensor> others_;
  /// Values that layers to come take, by the place they were noted at.
  std::map<Place, at::Tensor> values_;
  std::map<Place, bool> wanted_;
};

}  // namespace stcsim::training
