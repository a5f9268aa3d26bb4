#pragma once

#include <cstdint>
#include <string>

#include "common/io/yaml_reader.hpp"
#include "common/pattern.hpp"
#include "reports/evidence/paper_answer.hpp"

namespace stcsim {

/// What of masks stands beside a publication's figure.
enum class MaskQuantity : std::uint8_t {
  /// Share of the magnitudes that a method keeps of normal numbers, in percent: of all, and of what
  /// the best transposable mask keeps.
  retained,
  of_optimum,
  /// How many times worse than the optimum a greedy method is in the worst block: magnitude that
  /// the optimum keeps / that transposable-greedy keeps; magnitude that
  /// transposable-greedy-published
  /// prunes / the least that has to be pruned. At most 2, as the publication proves.
  guarantee,
  /// Error of a layer's output after pruning its weights, in percent of the output's energy: what
  /// AdaPrune (as above) makes smaller.
  adaprune
};

/// Which numbers guarantee is looked for in.
enum class MaskInput : std::uint8_t {
  normal,
  tight  // a block that the greedy method is worst at
};

/// What of AdaPrune.
enum class AdaPruneStage : std::uint8_t {
  masked,    // the mask alone
  absorbed,  // kept weights have taken up pruned ones
  trained
};

/// A row of a paper about masks: the map `mask` of its file.
struct MaskRow {
  MaskQuantity quantity = MaskQuantity::retained;
  /// A scheme of the pruning library, or "unstructured": the largest magnitudes of the whole
  /// tensor.
  std::string method;
  Pattern pattern{2, 4};
  /// Rows and columns of the tensor.
  std::int64_t size = 0;
  /// The tensors are drawn from seed, seed + 1, ...
  std::int64_t seed = 1;
  std::int64_t seeds = 1;
  /// Of methods that prune twice, what the pruning for dgrad keeps.
  bool is_dgrad = false;
  MaskInput input = MaskInput::normal;
  /// AdaPrune: share of the weights, the smallest, that are zero before.
  double zeros = 0;
  AdaPruneStage stage = AdaPruneStage::trained;
};

/// Reads all keys of the map. docs/evidence.md lists them by quantity.
/// @throws ConfigError with file:line:column
[[nodiscard]] MaskRow read_mask_row(MapReader& map);

/// "magnitude kept"
[[nodiscard]] PaperQuantity quantity_of(const MaskRow& row);
/// The column "computed".
[[nodiscard]] PaperAnswer answer_of(const MaskRow& row);

}  // namespace stcsim
