#include <charconv>
#include <set>

#include <fmt/format.h>

#include "common/error.hpp"
#include "pruning/npy.hpp"

namespace stcsim::pruning {
namespace {

/// Reads the literals of Python that NumPy writes.
class Parser {
 public:
  Parser(std::string_view text, const std::filesystem::path& file) : text_(text), file_(file) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = text_literal();
      if (!seen.insert(key).second) fail("the key '" + key + "' is there twice");
      expect(':');
      read_value(key, header);
      if (accept('}')) break;
      expect(',');
    }
    skip_blanks();
    if (at_ != text_.size()) fail("something follows the closing brace");
    for (const char* const key : {"descr", "fortran_order", "shape"}) {
      if (!seen.contains(key)) fail(fmt::format("the key '{}' is missing", key));
    }
    return header;
  }

 private:
  void read_value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      header.type = text_literal();
    } else if (key == "fortran_order") {
      header.fortran_order = boolean();
    } else if (key == "shape") {
      header.shape = tuple();
    } else {
      fail("unknown key '" + key + "'; there may be 'descr', 'fortran_order' and 'shape'");
    }
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' is missing", wanted));
  }

  std::string text_literal() {
    skip_blanks();
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'' && !accept('\'')) fail("a quoted text is missing");
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail("a quoted text does not end");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("'fortran_order' is neither True nor False");
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> extents;
    expect('(');
    while (!accept(')')) {
      extents.push_back(whole_number());
      if (accept(')')) break;
      expect(',');
    }
    return extents;
  }

  std::int64_t whole_number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) fail("'shape' has something that is no extent");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(
        {file_.string()},
        fmt::format("the NumPy header is damaged at its character {}: {}", at_, what));
  }

  std::string_view text_;
  const std::filesystem::path& file_;
  std::size_t at_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::filesystem::path& file) {
  return Parser(text, file).parse();
}

}  // namespace stcsim::pruning
