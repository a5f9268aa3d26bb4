#pragma once

#include <map>
#include <string>
#include <vector>

#include "workloads/framework.hpp"
#include "workloads/layer.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {

/// What a scheme changes of the update of a network's parameters.
struct SchemeUpdate {
  /// Shares of weights that there are, by layer; 1 for others.
  std::map<std::string, double> kept;
  /// Done in the kernel that writes the weights, over all layers.
  StreamWork added;
};

/// A kernel of the update, dense and with the scheme.
struct UpdateRow {
  /// The dense one; both run as often as its launches say.
  StreamKernel kernel;
  /// Launches that follow one another.
  std::vector<StreamWork> dense;
  std::vector<StreamWork> own;
};

/// True if one kernel writes the weights of many layers, so that work on all of them can be a part
/// of it.
[[nodiscard]] bool shares_update_of_weights(const Network& network, const Framework& framework);

/// The update, kernel beside kernel. Where the scheme needs fewer launches than the dense step, all
/// of one name are a row.
[[nodiscard]] std::vector<UpdateRow> update_rows(const Network& network, const Framework& framework,
                                                 const SchemeUpdate& update);

}  // namespace stcsim
