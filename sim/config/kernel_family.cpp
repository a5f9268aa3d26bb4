#include "sim/config/kernel_family.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "common/io/field_reader.hpp"
#include "common/io/field_schema.hpp"
#include "common/io/yaml_merge.hpp"
#include "common/io/yaml_value.hpp"
#include "sim/config/machine.hpp"

namespace stcsim {
namespace {

constexpr const char* kTiles = "tiles";

/// Rows, columns, depth, and stages, as they are written.
using TileText = std::array<std::string, 4>;

/// The parts of "64x128x32_s6"; nothing of what is not so.
std::optional<TileText> parts_of_tile(std::string_view text) {
  constexpr std::array<std::string_view, 3> kBetween{"x", "x", "_s"};
  TileText parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t end = i < kBetween.size() ? text.find(kBetween.at(i)) : text.size();
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const std::string_view part = text.substr(0, end);
    if (part.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    parts.at(i) = part;
    text.remove_prefix(i < kBetween.size() ? end + kBetween.at(i).size() : end);
  }
  return parts;
}

YamlNode scalar(std::string text, const SourceLocation& where) {
  YamlNode node;
  node.kind = YamlKind::scalar;
  node.text = std::move(text);
  node.location = where;
  return node;
}

/// A family, taken apart.
class KernelFamily {
 public:
  explicit KernelFamily(const YamlNode& family) : family_(family) {
    for (const char* const key : {"tile", "stages"}) {
      if (const YamlNode* const own = family.find(key)) {
        throw ConfigError(own->location, fmt::format("'{}' has no place beside 'tiles', which say "
                                                     "it: must be left out",
                                                     key));
      }
    }
    const YamlNode* const name = family.find("name");
    const std::string text = name == nullptr ? "" : name->text;
    if (text.find('*') == std::string::npos || text.find('*') != text.rfind('*')) {
      throw ConfigError(name == nullptr ? family.location : name->location,
                        "'name' must have a '*' where each of the 'tiles' stands");
    }
  }

  void add_to(std::vector<YamlNode>& kernels) const {
    const YamlNode& tiles = *family_.find(kTiles);
    if (tiles.items.empty() && tiles.entries.empty()) {
      throw ConfigError(tiles.location, fmt::format("'tiles' is {}, must be a list of tiles, or a "
                                                    "map of tiles to warps",
                                                    tiles.describe()));
    }
    for (const YamlNode& tile : tiles.items) kernels.push_back(kernel(tile, nullptr));
    for (const YamlEntry& tile : tiles.entries) {
      kernels.push_back(kernel(scalar(tile.key, tile.key_location), &tile.value));
    }
  }

 private:
  [[nodiscard]] YamlNode kernel(const YamlNode& tile, const YamlNode* warps) const {
    const std::optional<TileText> parts = parts_of_tile(tile.text);
    if (!parts) {
      throw ConfigError(tile.location, fmt::format("{} is no tile, must be its extents along m, n "
                                                   "and k, and the stages: 128x64x32_s6",
                                                   tile.describe()));
    }
    YamlNode kernel = family_;
    for (auto entry = kernel.entries.begin(); entry != kernel.entries.end(); ++entry) {
      if (entry->key == "name") {
        entry->value.text.replace(entry->value.text.find('*'), 1, tile.text);
      }
      if (entry->key == kTiles) entry = with_tile(kernel.entries, entry, *parts, warps);
    }
    return kernel;
  }

  /// `tile`, `stages`, and the warps that the tile has of its own, in place of `tiles`.
  [[nodiscard]] static std::vector<YamlEntry>::iterator with_tile(
      std::vector<YamlEntry>& entries, std::vector<YamlEntry>::iterator tiles,
      const TileText& parts, const YamlNode* warps) {
    const SourceLocation where = tiles->key_location;
    YamlNode extents;
    extents.kind = YamlKind::list;
    extents.location = where;
    for (std::size_t i = 0; i < 3; ++i) extents.items.push_back(scalar(parts.at(i), where));
    *tiles = {"tile", where, std::move(extents)};
    tiles = entries.insert(std::next(tiles), {"stages", where, scalar(parts[3], where)});
    if (warps != nullptr) tiles = entries.insert(std::next(tiles), {"warps", where, *warps});
    return tiles;
  }

  const YamlNode& family_;
};

void expand_list(YamlNode* list) {
  if (list == nullptr || !list->is_list()) return;
  std::vector<YamlNode> kernels;
  for (YamlNode& kernel : list->items) {
    if (kernel.find(kTiles) == nullptr) {
      kernels.push_back(std::move(kernel));
    } else {
      KernelFamily(kernel).add_to(kernels);
    }
  }
  list->items = std::move(kernels);
}

void relocate(YamlNode& node, const SourceLocation& where) {
  node.location = where;
  for (YamlNode& item : node.items) relocate(item, where);
  for (YamlEntry& entry : node.entries) relocate(entry.value, where);
}

/// What the file that is named has in a list. That a stack's libraries are missing is an error of
/// who names the stack.
std::vector<YamlNode> list_of_file(const YamlNode& name, const std::string& key) {
  const std::string text = read_string(name, key);
  YamlNode file =
      load_config(ConfigKind::library, resolve_config(ConfigKind::library, text,
                                                      base_directory(name.location), name.location))
          .root;
  expand_kernel_families(file);
  MapReader map(file, "");
  static_cast<void>(read_fields<LibraryFile>(map));
  YamlNode* const list = file.find(key);
  if (list != nullptr && key == "stacks") relocate(*list, name.location);
  if (list != nullptr) return std::move(list->items);
  throw ConfigError(name.location, fmt::format("library '{}' has no '{}', must be one that has "
                                               "('stcsim list libraries' shows all)",
                                               text, key));
}

}  // namespace

void KernelConfig::complete_schema(nlohmann::ordered_json& kernel) {
  using schema::OrderedJson;
  OrderedJson& tiles = kernel["properties"]["tiles"];
  const OrderedJson warps = kernel["properties"]["warps"];
  tiles = {{"anyOf",
            {schema::list_of({{"type", "string"}, {"pattern", "^[0-9]+x[0-9]+x[0-9]+_s[0-9]+$"}}),
             {{"type", "object"}, {"additionalProperties", warps}}}},
           {"description", "in place of tile and stages, as a map also of warps: a family"}};
  OrderedJson required = OrderedJson::array();
  for (const OrderedJson& key : kernel["required"]) {
    if (key != "tile" && key != "stages" && key != "warps") required.push_back(key);
  }
  kernel["required"] = std::move(required);
}

void expand_software(YamlNode& machine) {
  for (const char* const key : {"kernels", "libraries", "stacks"}) {
    YamlNode* const list = machine.find(key);
    if (list == nullptr || !list->is_list()) continue;
    std::vector<YamlNode> items;
    const bool is_alone = list->items.size() == 1;
    for (YamlNode& item : list->items) {
      if (item.is_scalar() && item.text == kMapped && key == std::string_view("kernels")) {
        if (is_alone) continue;
        throw ConfigError(item.location,
                          "'mapped' stands in where no other kernel fits, whether "
                          "it is named or not: must stand alone");
      }
      std::vector<YamlNode> more{std::move(item)};
      if (more.front().is_scalar()) more = list_of_file(more.front(), key);
      std::move(more.begin(), more.end(), std::back_inserter(items));
    }
    list->items = std::move(items);
  }
  expand_kernel_families(machine);
}

void expand_kernel_families(YamlNode& machine) {
  expand_list(machine.find("kernels"));
  expand_list(machine.find("more_kernels"));
  YamlNode* const libraries = machine.find("libraries");
  if (libraries == nullptr) return;
  for (YamlNode& library : libraries->items) expand_list(library.find("kernels"));
}

}  // namespace stcsim
