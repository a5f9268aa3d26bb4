#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// A field by RFC 4180: quoted where it has commas, quotes or line breaks.
[[nodiscard]] std::string csv_field(const std::string& text);

/// JSON objects as CSV by RFC 4180: fields with commas, quotes or line breaks are quoted, quotes
/// doubled, lines end in CR LF.
///
/// Nested objects become columns "key.subkey"; a 'buckets' object drops its own name and becomes
/// "unit.instances" and "unit.bucket". Columns: those of `shape` in its order, then the
/// bucket columns of the shape and of all rows, sorted. A value a row lacks, and null, is an empty
/// field; numbers print as in JSON.
///
/// @param shape an object with every key a row may have, so that the header does not depend on the
///   rows
[[nodiscard]] std::string to_csv(const nlohmann::ordered_json& shape,
                                 const std::vector<nlohmann::ordered_json>& rows);

}  // namespace stcsim
