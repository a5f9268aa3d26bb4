#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace stcsim::test {

/// A table of golden numbers: a header line, then one line per case. The first `keys` columns name
/// the case, the others are what is compared.
struct GoldenTable {
  using Row = std::vector<std::string>;
  std::size_t keys = 0;
  Row header;
  std::vector<Row> rows;
};

/// Comma-separated values; no cell holds a comma.
void write_table(const std::filesystem::path& path, const GoldenTable& table);
/// Throws std::runtime_error if the file cannot be read or a line has not as many cells as the
/// header.
[[nodiscard]] GoldenTable read_table(const std::filesystem::path& path, std::size_t keys);

/// One line per difference: "case: metric: golden 10, now 12, difference +2". Cases that only one
/// of the tables has are differences too.
[[nodiscard]] std::vector<std::string> differences(const GoldenTable& golden,
                                                   const GoldenTable& now);

}  // namespace stcsim::test
