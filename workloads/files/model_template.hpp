#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/io/expression.hpp"
#include "common/io/problems.hpp"
#include "workloads/files/import.hpp"
#include "workloads/files/model_family.hpp"
#include "workloads/files/model_keys.hpp"

namespace stcsim {

/// What all parts of a model that is read write to.
struct ModelReading {
  const ImportOptions& options;
  Problems& problems;
  /// `left_out` and `assumed` are filled in; the network's layers and other_parameters, too.
  ImportedNetwork& read;
  /// Keys that may change a product and that nothing has read.
  std::vector<std::string> unread = {};
  /// "intermediate_size 3072": keys that took their class's default.
  std::vector<std::string> defaults = {};
  /// Whether the model asked for "tokens", which a user may state.
  bool asks_tokens = false;
};

/// The layers of a family with the values of one configuration (docs/workloads.md#families).
/// Names in its expressions are keys, values, and what `set`, `with` and `each` define inside.
class ModelTemplate : public ExpressionScope {
 public:
  /// @param architecture  the class that says which head is on top
  /// @param prefix  before names of keys in messages: "text_config."
  ModelTemplate(const ModelFamily& family, const Value& config, std::string architecture,
                ModelReading& reading, std::string prefix = "");

  /// Reads all keys and makes the checks. What is wrong becomes a problem.
  void read_keys();
  /// Appends the layers; of a part under its name and a dot. What is wrong becomes a problem.
  void add_layers(const std::string& name = "");
  /// Notes keys that nothing has read, and defaults that were taken.
  void add_unread();

  /// A text with `{expression}`s.
  [[nodiscard]] std::string text_with_values(const YamlNode& node);

  [[nodiscard]] Value value_of(const std::string& name) override;
  [[nodiscard]] Value call(const std::string& function,
                           const std::vector<Value>& arguments) override;

 private:
  using Locals = std::vector<std::pair<std::string, Value>>;
  struct Built {
    std::vector<Layer> layers;
    std::int64_t parameters = 0;
  };

  [[nodiscard]] Value evaluate(const YamlNode& node);
  [[nodiscard]] Value remembered(const std::string& name);
  [[nodiscard]] Value global(const std::string& name);
  [[nodiscard]] Value asked(const std::string& name, const Value& fallback);
  [[nodiscard]] Value operation(const std::string& name);
  [[nodiscard]] const YamlNode& need(const YamlNode& item, std::string_view key) const;
  [[nodiscard]] YamlNode with_values(const YamlNode& node);
  [[nodiscard]] std::vector<YamlNode> operations(const YamlNode& list);
  [[nodiscard]] Layer layer(const YamlNode& item);

  void assume(std::string what);
  void define(const YamlNode* values);
  void add_items(const YamlNode& items, Built& built);
  void add_item(const YamlNode& item, Built& built);
  void add_each(const YamlNode& item, Built& built);
  void add_model(const YamlNode& item);

  const ModelFamily& family_;
  ModelReading& reading_;
  const Value config_;
  ModelKeys keys_;
  std::string architecture_;
  std::map<std::string, Value> known_;
  std::set<std::string> open_;
  /// Names that a layer, a check or another value asked for.
  std::set<std::string> used_;
  /// Names of keys that were missing, and what is said of them: "intermediate_size 3072".
  std::vector<std::pair<std::string, std::string>> defaults_;
  Locals locals_;
};

}  // namespace stcsim
