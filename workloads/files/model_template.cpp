#include "workloads/files/model_template.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "common/io/field_reader.hpp"
#include "workloads/files/layers.hpp"

namespace stcsim {
namespace {

using Value = ExpressionScope::Value;

/// Keys of a layer whose values are words.
constexpr std::array<std::string_view, 4> kWords{"name", "type", "role", "attention"};

YamlEntry entry_of(std::string key, const std::string& text, const SourceLocation& where) {
  YamlNode node;
  node.kind = YamlKind::scalar;
  node.text = text;
  node.location = where;
  return {std::move(key), where, std::move(node)};
}

/// Puts a name before those of layers.
void put_before(std::vector<Layer>& layers, const std::string& name) {
  if (name.empty()) return;
  for (Layer& layer : layers) layer.name = name + "." + layer.name;
}

}  // namespace

ModelTemplate::ModelTemplate(const ModelFamily& family, const Value& config,
                             std::string architecture, ModelReading& reading, std::string prefix)
    : family_(family),
      reading_(reading),
      config_(config),
      keys_(config_, reading.problems, std::move(prefix)),
      architecture_(std::move(architecture)) {}

void ModelTemplate::read_keys() {
  keys_.take({"model_type", "architectures"});
  if (const YamlNode* const ignored = family_.rules.find("ignore")) {
    for (const YamlEntry& group : ignored->entries) keys_.take(words_in(group.value.text));
  }
  for (std::size_t kind = 0; kind < kKeyKinds; ++kind) {
    const YamlNode* const section = family_.rules.find(section_of(static_cast<KeyKind>(kind)));
    if (section == nullptr) continue;
    for (const YamlEntry& key : section->entries) static_cast<void>(remembered(key.key));
  }
  if (const YamlNode* const items = family_.rules.find("layers")) {
    for (const YamlNode& item : items->items) {
      // A part's own reading says which of its keys are not read.
      if (const YamlNode* const part = item.find("model")) keys_.take({part->text});
    }
  }
  if (const YamlNode* const checks = family_.rules.find("checks")) {
    for (const YamlEntry& check : checks->entries) {
      if (!is_true(evaluate(need(check.value, "if")))) continue;
      reading_.problems.add(text_with_values(need(check.value, "say")));
    }
  }
}

void ModelTemplate::add_layers(const std::string& name) {
  Built built;
  if (const YamlNode* const items = family_.rules.find("layers")) add_items(*items, built);
  put_before(built.layers, name);
  Network& network = reading_.read.network;
  network.other_parameters += built.parameters;
  network.layers.insert(network.layers.end(), built.layers.begin(), built.layers.end());
}

void ModelTemplate::add_unread() {
  const std::vector<std::string> unread = keys_.unread(!reading_.options.is_typed);
  reading_.unread.insert(reading_.unread.end(), unread.begin(), unread.end());
  for (const auto& [key, said] : defaults_) {
    if (used_.contains(key)) reading_.defaults.push_back(said);
  }
}

Value ModelTemplate::evaluate(const YamlNode& node) {
  try {
    if (!node.is_list()) return evaluate_expression(node.text, *this);
    Value list = Value::array();
    for (const YamlNode& item : node.items) list.push_back(evaluate(item));
    return list;
  } catch (const ExpressionError& error) {
    const std::string what = error.what();
    if (what.ends_with(")") && what.find(".yaml:") != std::string::npos) throw;
    const std::filesystem::path file = node.location.file;
    throw ExpressionError(fmt::format("{}, of '{}' ({}:{})", what, node.text,
                                      file.filename().string(), node.location.line));
  }
}

std::string ModelTemplate::text_with_values(const YamlNode& node) {
  std::string text;
  for (std::size_t at = 0; at < node.text.size();) {
    const std::size_t open = std::min(node.text.find('{', at), node.text.size());
    text += node.text.substr(at, open - at);
    if (open == node.text.size()) break;
    const std::size_t close = std::min(node.text.find('}', open), node.text.size());
    YamlNode inner = node;
    inner.text = node.text.substr(open + 1, close - open - 1);
    text += as_text(evaluate(inner));
    at = close + 1;
  }
  return text;
}

Value ModelTemplate::value_of(const std::string& name) {
  const auto local = std::find_if(locals_.rbegin(), locals_.rend(),
                                  [&](const auto& one) { return one.first == name; });
  if (local != locals_.rend()) return local->second;
  used_.insert(name);
  return remembered(name);
}

Value ModelTemplate::remembered(const std::string& name) {
  if (const auto known = known_.find(name); known != known_.end()) return known->second;
  if (!open_.insert(name).second) throw ExpressionError(fmt::format("'{}' needs itself", name));
  // Values of the whole model do not depend on where they are asked for.
  Locals locals;
  locals.swap(locals_);
  Value value = global(name);
  locals.swap(locals_);
  open_.erase(name);
  return known_.emplace(name, std::move(value)).first->second;
}

Value ModelTemplate::global(const std::string& name) {
  if (name == "type") return family_.type;
  if (name == "architecture") return architecture_;
  for (std::size_t kind = 0; kind < kKeyKinds; ++kind) {
    const YamlNode* const rule = family_.find(section_of(static_cast<KeyKind>(kind)), name);
    if (rule == nullptr) continue;
    const KeyRule parsed = KeyRule::parse(rule->text);
    return keys_.read(static_cast<KeyKind>(kind), parsed, [&] {
      YamlNode fallback = *rule;
      fallback.text = parsed.fallback;
      Value value = evaluate(fallback);
      if (parsed.is_said) {
        defaults_.emplace_back(name, keys_.name_of(parsed) + " " + as_text(value));
      }
      return value;
    });
  }
  if (const YamlNode* const value = family_.find("values", name)) return evaluate(*value);
  throw ExpressionError(fmt::format("'{}' is not defined", name));
}

Value ModelTemplate::call(const std::string& function, const std::vector<Value>& arguments) {
  const auto text = [&](std::size_t at) { return as_text(arguments.at(at)); };
  if (function == "asked" && arguments.size() == 2) return asked(text(0), arguments[1]);
  if (arguments.size() != 1) throw ExpressionError(fmt::format("{}() is not known", function));
  if (function == "has") return keys_.has(text(0));
  if (function == "says") return keys_.says(text(0));
  if (function == "is_class") return architecture_.find(text(0)) != std::string::npos;
  if (function == "operation") return operation(text(0));
  throw ExpressionError(fmt::format("{}() is not known", function));
}

/// A size that a user may state; said if none did.
Value ModelTemplate::asked(const std::string& name, const Value& fallback) {
  const ImportOptions& options = reading_.options;
  if (name == "tokens") {
    reading_.asks_tokens = true;
    if (options.tokens) return *options.tokens;
    assume(fmt::format("{} tokens a sample", as_text(fallback)));
    return fallback;
  }
  const auto stated = options.size(name);
  return stated ? Value(*stated) : fallback;
}

/// The operation that a configuration calls so; of another activation what costs as much.
Value ModelTemplate::operation(const std::string& name) {
  const Operation* const known = find_operation(&Operation::hugging_face, name);
  if (known != nullptr) return std::string(known->name);
  if (!name.starts_with("gelu")) {
    assume(fmt::format("the activation '{}' costs what gelu_tanh does", name));
  }
  return "gelu_tanh";
}

/// Says it once.
void ModelTemplate::assume(std::string what) {
  std::vector<std::string>& all = reading_.read.assumed;
  if (std::ranges::find(all, what) == all.end()) all.push_back(std::move(what));
}

const YamlNode& ModelTemplate::need(const YamlNode& item, std::string_view key) const {
  if (const YamlNode* const value = item.find(key)) return *value;
  throw ConfigError(item.location, fmt::format("'{}' is missing", key));
}

void ModelTemplate::define(const YamlNode* values) {
  if (values == nullptr) return;
  for (const YamlEntry& entry : values->entries) {
    Value value = evaluate(entry.value);
    locals_.emplace_back(entry.key, std::move(value));
  }
}

void ModelTemplate::add_items(const YamlNode& items, Built& built) {
  for (const YamlNode& item : items.items) {
    const YamlNode* const condition = item.find("if");
    if (condition != nullptr && !is_true(evaluate(*condition))) continue;
    const std::size_t outside = locals_.size();
    define(item.find("set"));
    add_item(item, built);
    locals_.resize(outside);
  }
}

void ModelTemplate::add_item(const YamlNode& item, Built& built) {
  if (const YamlNode* const part = item.find("use")) {
    const YamlNode* const items = family_.find("parts", part->text);
    if (items == nullptr) {
      throw ConfigError(part->location, fmt::format("there is no part '{}'", part->text));
    }
    Built inner;
    add_items(*items, inner);
    const YamlNode* const name = item.find("name");
    put_before(inner.layers, name == nullptr ? "" : text_with_values(*name));
    built.parameters += inner.parameters;
    built.layers.insert(built.layers.end(), inner.layers.begin(), inner.layers.end());
  } else if (item.find("each") != nullptr) {
    add_each(item, built);
  } else if (item.find("model") != nullptr) {
    add_model(item);
  } else if (const YamlNode* const parameters = item.find("parameters")) {
    built.parameters += evaluate(*parameters).get<std::int64_t>();
    const YamlNode* const what = item.find("left_out");
    if (what != nullptr) reading_.read.left_out.push_back(text_with_values(*what));
  } else if (const YamlNode* const assumption = item.find("assume")) {
    assume(text_with_values(*assumption));
  } else {
    built.layers.push_back(layer(item));
  }
}

/// Equal blocks are stated once; those of one name that differ are numbered.
void ModelTemplate::add_each(const YamlNode& item, Built& built) {
  struct Group {
    std::string name;
    std::vector<Layer> layers;
    std::int64_t count = 1;
  };
  std::vector<Group> groups;
  const YamlNode* const name = item.find("name");
  const YamlNode* const index = item.find("as");
  const auto count = evaluate(need(item, "each")).get<std::int64_t>();
  for (std::int64_t at = 0; at < count; ++at) {
    const std::size_t outside = locals_.size();
    locals_.emplace_back(index == nullptr ? "i" : index->text, at);
    define(item.find("with"));
    Built inner;
    add_items(need(item, "layers"), inner);
    const std::string called = name == nullptr ? "" : text_with_values(*name);
    locals_.resize(outside);
    built.parameters += inner.parameters;
    const auto same = std::ranges::find_if(groups, [&](const Group& group) {
      return group.name == called && group.layers == inner.layers;
    });
    if (same != groups.end()) {
      ++same->count;
    } else {
      groups.push_back({called, std::move(inner.layers)});
    }
  }
  std::map<std::string, int> numbers;
  for (Group& group : groups) {
    const int number = ++numbers[group.name];
    for (Layer& layer : group.layers) layer.repeat *= group.count;
    put_before(group.layers, number == 1 ? group.name : group.name + std::to_string(number));
    built.layers.insert(built.layers.end(), group.layers.begin(), group.layers.end());
  }
}

/// A part of a model that has a configuration of its own, or ("") keys beside the other's; `with`
/// are values of it that its configuration does not say.
void ModelTemplate::add_model(const YamlNode& item) {
  const std::string key = text_with_values(need(item, "model"));
  const std::string type = as_text(evaluate(need(item, "type")));
  const YamlNode* const head = item.find("class");
  const std::optional<ModelFamily> family = family_of_type(type);
  if (!family) {
    throw ExpressionError(fmt::format("model type '{}' of '{}' is not known", type, key));
  }
  const bool is_whole = key.empty();
  ModelTemplate part(*family, is_whole ? config_ : keys_.part(key),
                     head == nullptr ? "" : head->text, reading_, is_whole ? "" : key + ".");
  if (const YamlNode* const given = item.find("with")) {
    for (const YamlEntry& entry : given->entries) part.known_[entry.key] = evaluate(entry.value);
  }
  part.read_keys();
  reading_.problems.refuse();
  const YamlNode* const name = item.find("name");
  part.add_layers(name == nullptr ? "" : name->text);
  if (is_whole) {
    keys_.take_as(part.keys_);
  } else {
    part.add_unread();
  }
}

/// An entry of a layer with its values in place of expressions.
YamlNode ModelTemplate::with_values(const YamlNode& node) {
  YamlNode result = node;
  result.quoted = false;
  if (node.is_list()) {
    result.items.clear();
    for (const YamlNode& item : node.items) result.items.push_back(with_values(item));
    return result;
  }
  const Value value = evaluate(node);
  if (!value.is_array()) {
    result.text = as_text(value);
    return result;
  }
  result.kind = YamlKind::list;
  for (const Value& one : value) {
    result.items.push_back(entry_of("", as_text(one), node.location).value);
  }
  return result;
}

/// Words, and what expressions after `=` are: a word, none ('') or a list.
std::vector<YamlNode> ModelTemplate::operations(const YamlNode& list) {
  std::vector<YamlNode> words;
  for (const YamlNode& item : list.items) {
    YamlNode word = item;
    if (!item.text.starts_with("=")) {
      words.push_back(std::move(word));
      continue;
    }
    word.text.erase(0, 1);
    const Value value = evaluate(word);
    for (const Value& one : value.is_array() ? value : Value::array({value})) {
      word.text = as_text(one);
      if (!word.text.empty()) words.push_back(word);
    }
  }
  return words;
}

Layer ModelTemplate::layer(const YamlNode& item) {
  YamlNode stated = item;
  stated.entries.clear();
  for (const YamlEntry& entry : item.entries) {
    if (entry.key == "if" || entry.key == "set") continue;
    YamlEntry one = entry;
    if (entry.key == "after") {
      one.value.items = operations(entry.value);
    } else if (std::ranges::find(kWords, entry.key) != kWords.end()) {
      one.value.text = text_with_values(entry.value);
    } else {
      one.value = with_values(entry.value);
    }
    if (one.value.text != "null") stated.entries.push_back(std::move(one));
  }
  const auto state = [&](const char* key, const std::string& text) {
    if (stated.find(key) == nullptr) stated.entries.push_back(entry_of(key, text, item.location));
  };
  state("type", "linear");
  const std::string type = stated.find("type")->text;
  if (type == "linear" || type == "embedding") state("tokens", as_text(value_of("tokens")));
  MapReader map(stated, "layers");
  Layer layer = read_fields<Layer>(map);
  if (!layer.has_product()) layer.needs_dgrad = false;
  if (layer.bias) layer.after.insert(layer.after.begin(), StreamOp::bias);
  return layer;
}

}  // namespace stcsim
