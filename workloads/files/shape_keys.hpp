#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// Whether a key of a `config.json` may change what a model multiplies, by the words that it
/// consists of: layers, sizes, experts, parts of its own. Values that say "none" (null, false, 0,
/// empty) change nothing, nor do rates, names of tokens and what only training or sampling asks.
[[nodiscard]] bool gives_shape(std::string_view key, const nlohmann::ordered_json& value);

}  // namespace stcsim
