#pragma once

#include <string>

#include "common/io/format.hpp"
#include "reports/claims/claim_check.hpp"

namespace stcsim {

/// Every claim in a line that says what was published and what is simulated, from the least to the
/// most; below it a table of its answers. At the end those that are not compared, and why.
[[nodiscard]] std::string claims_text(const CheckedClaims& result, std::size_t width = kAnyWidth);
/// The same in Markdown, from headings of the third level on.
[[nodiscard]] std::string claims_markdown(const CheckedClaims& result);
/// stcsim.claims/2, docs/configuration.md.
[[nodiscard]] std::string claims_to_json(const CheckedClaims& result);

}  // namespace stcsim
