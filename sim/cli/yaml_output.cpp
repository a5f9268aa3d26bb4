#include "sim/cli/yaml_output.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <nlohmann/json.hpp>

namespace stcsim {
namespace {

using nlohmann::ordered_json;

/// Letters, digits, '_', '.', '-' and inner spaces, beginning with a letter, and no word YAML takes
/// for a boolean or null: such a text means itself without quotes.
bool is_plain(std::string_view text) {
  constexpr std::string_view kSpecial[] = {"true", "false", "yes", "no", "on",
                                           "off",  "null",  "y",   "n"};
  const auto is_letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  const auto is_inner = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-' || c == ' ';
  };
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return !text.empty() && is_letter(static_cast<unsigned char>(text.front())) &&
         text.back() != ' ' && std::all_of(text.begin(), text.end(), is_inner) &&
         std::find(std::begin(kSpecial), std::end(kSpecial), lower) == std::end(kSpecial);
}

/// JSON's quoted texts are YAML's too.
std::string scalar(const ordered_json& value) {
  if (value.is_string() && is_plain(value.get_ref<const std::string&>())) return value;
  return value.dump();
}

bool is_flat(const ordered_json& value) {
  return std::none_of(value.begin(), value.end(),
                      [](const ordered_json& element) { return element.is_structured(); });
}

/// On one line; maps of plain values inside lists are too.
bool fits_on_line(const ordered_json& value) {
  return !value.is_structured() ||
         std::all_of(value.begin(), value.end(), [](const ordered_json& element) {
           return !element.is_structured() || is_flat(element);
         });
}

std::string on_line(const ordered_json& value) {
  if (!value.is_structured()) return scalar(value);
  std::string text;
  for (const auto& [key, element] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += scalar(key) + ": ";
    text += on_line(element);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

void append_block(std::string& text, const ordered_json& value, std::size_t indent);

/// After "key:" or "-": on the same line if short, else below it.
void append_value(std::string& text, const ordered_json& value, std::size_t indent) {
  if (!value.is_structured() || value.empty() || is_flat(value)) {
    text += " " + on_line(value) + "\n";
    return;
  }
  text += "\n";
  append_block(text, value, indent);
}

/// "- " and the element, whose first line moves up beside the dash.
void append_item(std::string& text, const ordered_json& element, std::size_t indent) {
  if (fits_on_line(element)) {
    text += "- " + on_line(element) + "\n";
    return;
  }
  std::string block;
  append_block(block, element, indent + 2);
  text += "- " + block.substr(indent + 2);
}

void append_block(std::string& text, const ordered_json& value, std::size_t indent) {
  for (const auto& [key, element] : value.items()) {
    text.append(indent, ' ');
    if (value.is_object()) {
      text += scalar(key) + ":";
      append_value(text, element, indent + 2);
    } else {
      append_item(text, element, indent);
    }
  }
}

}  // namespace

std::string to_yaml(const ordered_json& object) {
  std::string text;
  append_block(text, object, 0);
  return text;
}

}  // namespace stcsim
