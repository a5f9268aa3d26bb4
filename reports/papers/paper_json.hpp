#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/papers/paper_result.hpp"

namespace stcsim {

/// stcsim.paper/2, docs/configuration.md.
[[nodiscard]] nlohmann::ordered_json paper_to_json(const PaperResult& result);

}  // namespace stcsim
