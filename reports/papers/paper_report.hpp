#pragma once

#include <string>

#include "reports/papers/paper_result.hpp"

namespace stcsim {

/// The paper's page in Markdown: its result, then every figure with what was published beside what
/// was simulated in every column, and what could not be obtained.
[[nodiscard]] std::string paper_markdown(const PaperResult& result);

/// "23 published figures: 17 reproduced, 3 direction only, 1 cannot be told apart, 2 not
/// reproduced"
[[nodiscard]] std::string tally_text(const PaperResult& result);

}  // namespace stcsim
