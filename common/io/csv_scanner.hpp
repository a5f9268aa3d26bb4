#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/error.hpp"

namespace stcsim {

/// One field of a CSV file, with the place it was written at.
struct CsvField {
  std::string text;
  SourceLocation where;
};

/// Reads a CSV text by RFC 4180 record by record, and keeps track of the place. Blanks around
/// unquoted fields are dropped; a record has at most 10,000 fields. The text must outlive it.
class CsvScanner {
 public:
  using Record = std::vector<CsvField>;

  /// @param origin stands for the file in messages
  /// @param separator what stands between fields: a comma, a semicolon or a tab
  CsvScanner(std::string_view text, std::string origin, char separator = ',');

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] SourceLocation where() const { return {origin_, line_, column_}; }

  /// Skips lines without a record: those that are empty or begin with '#'.
  void skip_empty_lines();
  /// @throws ConfigError with the place of what is malformed
  Record record();
  /// Of a record that could not be read; nothing if it was, and is over.
  void skip_rest_of_line();

 private:
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take();
  bool take_if(char character);
  void skip_blank();
  CsvField plain();
  CsvField quoted();

  std::string_view text_;
  std::string origin_;
  char separator_;
  std::string_view blank_;
  std::size_t at_ = 0;
  int line_ = 1;
  int column_ = 1;
};

}  // namespace stcsim
