#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "reports/papers/paper_result.hpp"

namespace stcsim {

/// The paper's page in Markdown: its result, then every figure with what was published beside what
/// was simulated in every column, and what could not be obtained.
[[nodiscard]] std::string paper_markdown(const PaperResult& result);

/// Every figure as a table in so many columns, below its title and an empty line.
[[nodiscard]] std::string paper_tables(const PaperResult& result, std::size_t width);

/// stcsim.paper/2, docs/configuration.md.
[[nodiscard]] nlohmann::ordered_json paper_to_json(const PaperResult& result);

/// A line for each kind of verdict and column, after a mark: "- against measured, A100: 2
/// reproduced, 9 direction only".
[[nodiscard]] std::string tally_text(const PaperResult& result, std::string_view mark);

}  // namespace stcsim
