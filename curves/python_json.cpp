#include "curves/python_json.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace stcsim::curves {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{{
    {"NaN", "\"\" "},
    {"-Infinity", "\"-inf\"   "},
    {"Infinity", "\"inf\"   "},
}};

}  // namespace

std::string without_bare_nan(std::string_view text) {
  std::string out(text);
  bool inside_text = false;
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (out[at] == '"') inside_text = !inside_text;
    if (inside_text && out[at] == '\\') ++at;
    if (inside_text || (out[at] != 'N' && out[at] != 'I' && out[at] != '-')) continue;
    for (const auto& [word, instead] : kWords) {
      if (!text.substr(at).starts_with(word)) continue;
      std::copy(instead.begin(), instead.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
      at += word.size() - 1;
      break;
    }
  }
  return out;
}

}  // namespace stcsim::curves
