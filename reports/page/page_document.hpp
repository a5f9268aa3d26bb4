#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// A document of the program as the page embeds it: `file`, then its keys, with arrays of objects
/// by columns (columns_of) and a study's results as page_result() makes them.
/// @param file as the user named it
/// @throws ConfigError with file and key if it is no document of the program, or lacks what the
///   page shows
[[nodiscard]] nlohmann::ordered_json page_document(const std::string& file,
                                                   const nlohmann::ordered_json& document);

/// An array of objects by columns, a tenth of its size: {"rows": count, "columns": {key: column}}.
/// Keys of nested objects are joined by dots ("kernel.name"), arrays stay values. A column is an
/// array with a value per row, {"all": value} where all are the same, or, where few differ,
/// {"values": [...], "index": [...]}. null stands for a key that a row lacks.
[[nodiscard]] nlohmann::ordered_json columns_of(const nlohmann::ordered_json& rows);

/// A study's result as the page needs it: without what follows from other keys (`time_us`,
/// `speedup`, `tile`, the kernel's tile), `utilization` and `kernel.waves` with six significant
/// digits, and instead of `buckets` an object `waits` with each bucket's share of its unit in
/// thousandths, rounded.
[[nodiscard]] nlohmann::ordered_json page_result(const nlohmann::ordered_json& result);

/// The page's shell, which the build makes of page/: ../share/stcsim/page/report.html seen from the
/// program's folder (installed), else page/report.html in that folder (built).
/// @throws ConfigError if neither is a file
[[nodiscard]] std::filesystem::path page_shell_file();

/// What the page reads: the documents as JSON, in which '<' is written as \u003c.
/// @param documents an array of what page_document() returns
[[nodiscard]] std::string page_data(const nlohmann::ordered_json& documents);

/// The shell with title and data filled in. Whatever the texts in the data are, they stay data:
/// they are page_data().
/// @param shell has @TITLE@ and, behind it, @DATA@
/// @param documents an array of what page_document() returns
/// @throws ConfigError if the shell lacks one of them
[[nodiscard]] std::string page_html(std::string_view shell, const std::string& title,
                                    const nlohmann::ordered_json& documents);

/// A GEMM of a study that ran sparse, by the names of its result.
struct WorstGemm {
  std::string machine;
  std::string network;
  std::string layer;
  std::string phase;
  std::string scheme;
  /// Of several GEMMs the longest, from 0.
  std::size_t part = 0;
  /// Clock that the study ran it at.
  double clock_mhz = 0;
};

/// The `count` GEMMs of a document of stcsim.study/2 that lose most cycles of a step against the
/// ideal, dense cycles · n/m, the largest loss first; the same problem on the same machine once,
/// with the losses of all its results.
/// @param study  as page_document() accepts it
[[nodiscard]] std::vector<WorstGemm> worst_gemms(const nlohmann::ordered_json& study,
                                                 std::size_t count);

}  // namespace stcsim
