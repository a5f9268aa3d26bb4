#include "sim/config/workload_json.hpp"

#include <string>

namespace stcsim {
namespace {

using Json = nlohmann::json;

template <class Value>
Json names_of(const std::vector<Value>& values) {
  Json names = Json::array();
  for (const Value value : values) names.push_back(to_string(value));
  return names;
}

Json conv_shape(const Layer& layer) {
  return {{"in_channels", layer.in_channels},
          {"out_channels", layer.out_channels},
          {"input", {layer.height, layer.width}},
          {"kernel", {layer.kernel_height, layer.kernel_width}},
          {"stride", layer.stride},
          {"pad", layer.pad},
          {"groups", layer.groups}};
}

Json linear_shape(const Layer& layer) {
  return {{"in_features", layer.in_channels},
          {"out_features", layer.out_channels},
          {"tokens", layer.height}};
}

Json bmm_shape(const Layer& layer) {
  return {{"m", layer.bmm_m}, {"n", layer.bmm_n}, {"k", layer.bmm_k}, {"count", layer.count}};
}

Json embedding_shape(const Layer& layer) {
  return {{"vocabulary", layer.in_channels},
          {"features", layer.out_channels},
          {"tokens", layer.height}};
}

Json shape_of(const Layer& layer) {
  if (layer.kind == LayerKind::conv) return conv_shape(layer);
  if (layer.kind == LayerKind::embedding) return embedding_shape(layer);
  return layer.kind == LayerKind::linear ? linear_shape(layer) : bmm_shape(layer);
}

void put_edges(Json& object, const Layer& layer) {
  if (!layer.inputs.empty()) object["inputs"] = layer.inputs;
  if (!layer.shortcut.empty()) object["shortcut"] = layer.shortcut;
  if (layer.attention) object["attention"] = to_string(*layer.attention);
  if (layer.causal) object["causal"] = true;
}

Json input_to_json(const NetworkInput& input) {
  if (!input.is_tokens()) {
    return {{"channels", input.channels}, {"pixels", {input.height, input.width}}};
  }
  return {{"vocabulary", input.vocabulary},
          {"tokens", input.height},
          {"features", input.channels},
          {"after", names_of(input.after)}};
}

Json layer_to_json(const Layer& layer) {
  Json object = shape_of(layer);
  object["name"] = layer.name;
  object["type"] = to_string(layer.kind);
  object["role"] = to_string(layer.role);
  object["repeat"] = layer.repeat;
  if (layer.has_product()) object["dgrad"] = layer.needs_dgrad;
  object["after"] = names_of(layer.after);
  put_edges(object, layer);
  if (layer.kind == LayerKind::bmm) return object;
  object["tied"] = layer.tied;
  if (!layer.has_product()) return object;
  object["bias"] = layer.bias;
  if (layer.weight_pattern) object["weight_pattern"] = layer.weight_pattern->to_string();
  return object;
}

Json rule_to_json(const PhaseRule& rule) {
  Json object = Json::object();
  if (rule.sparsity) {
    object["tensor"] = to_string(rule.sparsity->tensor);
    object["axis"] = to_string(rule.sparsity->axis);
    object["pattern"] = rule.sparsity->pattern.to_string();
    object["prune"] = rule.sparsity->prune;
    if (rule.sparsity->mask_every != 1) object["mask_every"] = rule.sparsity->mask_every;
  }
  if (rule.dtype) object["dtype"] = to_string(*rule.dtype);
  return object;
}

Json filter_to_json(const LayerFilter& filter) {
  Json object{{"types", names_of(filter.kinds)},
              {"roles", names_of(filter.roles)},
              {"min_in_channels", filter.min_in_channels},
              {"rows_multiple_of", filter.rows_multiple_of},
              {"reduction_multiple_of", filter.reduction_multiple_of}};
  if (filter.narrowing) object["narrowing"] = true;
  return object;
}

void put_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

}  // namespace

Json to_json(const Network& network) {
  Json object{{"name", network.name},
              {"batch", network.batch},
              {"optimizer", to_string(network.optimizer)},
              {"other_parameters", network.other_parameters}};
  if (network.accumulation > 1) object["accumulation"] = network.accumulation;
  put_text(object, "description", network.description);
  put_text(object, "note", network.note);
  for (const Layer& layer : network.layers) object["layers"].push_back(layer_to_json(layer));
  if (network.input) object["input"] = input_to_json(*network.input);
  return object;
}

namespace {

Json work_to_json(const SchemeWork& work) {
  return {{"name", work.name},
          {"phase", to_string(work.phase)},
          {"tensor", to_string(work.tensor)},
          {"reads", work.reads},
          {"writes", work.writes},
          {"compressed_reads", work.compressed_reads},
          {"compressed_writes", work.compressed_writes},
          {"ops", work.ops},
          {"every", work.every}};
}

Json training_to_json(const SchemeTraining& training) {
  Json object{{"freeze_variance", training.freezes_variance},
              {"decay_strength", training.decay_strength}};
  if (training.scale) object["scale"] = *training.scale;
  return object;
}

}  // namespace

Json to_json(const Scheme& scheme) {
  Json object{{"name", scheme.name},
              {"layers", filter_to_json(scheme.layers)},
              {"share_of_training", scheme.share_of_training}};
  put_text(object, "description", scheme.description);
  put_text(object, "source", scheme.source);
  for (const Phase phase : kPhases) {
    object[std::string(to_string(phase))] = rule_to_json(scheme.rule(phase));
  }
  if (scheme.decay) object["decay"] = true;
  if (scheme.masks_gradients) object["mask_gradients"] = true;
  for (const SchemeWork& work : scheme.work) object["work"].push_back(work_to_json(work));
  if (scheme.updates_kept) object["updates_kept"] = true;
  if (scheme.mask_bits > 0) object["mask_bits"] = scheme.mask_bits;
  if (scheme.dense_steps != DenseSteps::last) {
    object["dense_steps"] = to_string(scheme.dense_steps);
  }
  if (scheme.where) object["where"] = to_string(*scheme.where);
  if (scheme.training != SchemeTraining{}) object["training"] = training_to_json(scheme.training);
  return object;
}

}  // namespace stcsim
