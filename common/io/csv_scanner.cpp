#include "common/io/csv_scanner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace stcsim {
namespace {

constexpr std::size_t kMostColumns = 10'000;

std::string_view name_of(char separator) {
  if (separator == ',') return "a comma";
  return separator == ';' ? "a semicolon" : "a tab";
}

}  // namespace

CsvScanner::CsvScanner(std::string_view text, std::string origin, char separator)
    : text_(text),
      origin_(std::move(origin)),
      separator_(separator),
      blank_(separator == '\t' ? " " : " \t") {}

void CsvScanner::skip_empty_lines() {
  while (!at_end()) {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view line = text_.substr(at_, end - at_);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos && line.front() != '#') return;
    while (at_ < end) take();
    if (!at_end()) take();
  }
}

void CsvScanner::skip_rest_of_line() {
  while (column_ > 1 && !at_end()) take();
}

CsvScanner::Record CsvScanner::record() {
  Record record;
  do {
    if (record.size() == kMostColumns) {
      throw ConfigError(where(), fmt::format("a row has more than {} fields", kMostColumns));
    }
    skip_blank();
    record.push_back(peek() == '"' ? quoted() : plain());
    skip_blank();
  } while (take_if(separator_));
  take_if('\r');
  if (!at_end() && !take_if('\n')) {
    throw ConfigError(where(),
                      fmt::format("text after a closing quote, must be {} or the line's end",
                                  name_of(separator_)));
  }
  return record;
}

char CsvScanner::take() {
  const char character = text_[at_++];
  if (character == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
  return character;
}

bool CsvScanner::take_if(char character) {
  if (at_end() || peek() != character) return false;
  take();
  return true;
}

void CsvScanner::skip_blank() {
  while (!at_end() && blank_.find(peek()) != std::string_view::npos) take();
}

CsvField CsvScanner::plain() {
  CsvField field{"", where()};
  while (!at_end() && peek() != separator_ && peek() != '\n' && peek() != '\r') {
    field.text += take();
  }
  field.text.erase(field.text.find_last_not_of(blank_) + 1);
  return field;
}

CsvField CsvScanner::quoted() {
  CsvField field{"", where()};
  take();
  for (;;) {
    if (at_end()) throw ConfigError(field.where, "this quote is never closed");
    const char character = take();
    if (character != '"') {
      field.text += character;
    } else if (take_if('"')) {
      field.text += '"';
    } else {
      return field;
    }
  }
}

}  // namespace stcsim
