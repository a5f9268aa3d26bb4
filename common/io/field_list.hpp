#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/config_field.hpp"
#include "common/io/field_json.hpp"

namespace stcsim {

/// A key of a kind of file and where it stands.
struct ListedField {
  /// The map it is in, as --set names it, `*` for an index: "accelerator.sm.tensor_core.
  /// instructions.*"; "" for the file's top level.
  std::string parent;
  Field field;
  /// The default as a file would say it, or in words; "required".
  std::string fallback;
  /// The names that an enumeration has.
  std::vector<std::string> names;
  /// Only these have it; "" for all.
  std::string of;
  bool is_number = false;

  [[nodiscard]] std::string path() const;
  /// What the documentation says of it.
  [[nodiscard]] std::string meaning() const;
};

/// Every key of a kind of file, in the order of the documentation: a map before its keys.
template <HasFields Config>
[[nodiscard]] std::vector<ListedField> list_fields();

/// One table of all keys. What several maps have alike stands there once, at the first of them.
[[nodiscard]] std::string fields_markdown(const std::vector<ListedField>& all);

/// Visitor of a struct's fields, and of those of the structs in it, that lists them.
class FieldLister {
 public:
  FieldLister(std::vector<ListedField>& listed, std::string parent)
      : listed_(listed), parent_(std::move(parent)) {}

  template <class Value>
  void field(const Field& field, const Value& value) {
    add(field, value, field.is_required ? "required" : text_of(field, value));
  }
  template <class Value>
  void field(const Field& field, const Value& value, const std::type_identity_t<Value>& fallback) {
    add(field, value, text_of(field, fallback));
  }
  void only(bool /*applies*/, std::string_view of, auto visit) {
    const std::string before = std::exchange(of_, of);
    visit();
    of_ = before;
  }
  void text(const Field& field, const auto& /*value*/, auto /*codec*/) {
    this->field(field, std::string());
  }
  template <class Group>
  void together(const std::optional<Group>& /*group*/) {
    const Group group;
    Group::visit_fields(group, *this);
  }

 private:
  template <class Value>
  struct Kind {
    using Entry = Value;
    static constexpr bool kIsList = false;
  };
  template <class Value>
  struct Kind<std::vector<Value>> {
    using Entry = Value;
    static constexpr bool kIsList = true;
  };
  template <class Value>
  struct Kind<std::optional<Value>> : Kind<Value> {};

  template <class Value>
  static std::string text_of(const Field& field, const Value& fallback) {
    if (!field.default_text.empty()) return std::string(field.default_text);
    if constexpr (kHasDefault<Value> && !std::is_same_v<Value, std::string>) {
      const nlohmann::json json = value_to_json(fallback);
      return json.is_string() ? json.get<std::string>() : json.dump();
    } else {
      return "none";
    }
  }
  template <class Value>
  void add(const Field& field, const Value& /*value*/, std::string fallback) {
    using Entry = typename Kind<Value>::Entry;
    constexpr bool kIsNumber = std::is_same_v<Value, std::int64_t> ||
                               std::is_same_v<Value, double> || std::is_same_v<Value, Millicycles>;
    listed_.push_back({parent_, field, std::move(fallback), {}, of_, kIsNumber});
    if constexpr (std::is_enum_v<Entry> && !std::is_same_v<Entry, DataType>) {
      for (const auto& [name, named] : names_until(static_cast<Entry>(field.most))) {
        listed_.back().names.emplace_back(name);
      }
    }
    if constexpr (HasFields<Entry>) {
      list<Entry>(listed_.back().path() + (Kind<Value>::kIsList ? ".*" : ""));
    }
  }
  template <HasFields Config>
  void list(const std::string& parent) {
    FieldLister inner(listed_, parent);
    const Config config;
    Config::visit_fields(config, inner);
  }

  std::vector<ListedField>& listed_;
  std::string parent_;
  std::string of_;
};

template <HasFields Config>
std::vector<ListedField> list_fields() {
  std::vector<ListedField> listed;
  FieldLister lister(listed, "");
  const Config config;
  Config::visit_fields(config, lister);
  return listed;
}

}  // namespace stcsim
