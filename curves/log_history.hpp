#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace stcsim::curves {

/// Takes JSON as it is parsed, and of all of it keeps no more than one entry of the document's
/// array `log_history` at a time: its numbers by name. The interface is nlohmann's SAX.
class LogHistory : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Entry = std::vector<std::pair<std::string, double>>;

  /// @param take called for every entry
  explicit LogHistory(std::function<void(const Entry&)> take) : take_(std::move(take)) {}

  /// The document has such an array.
  [[nodiscard]] bool found() const { return found_; }
  /// Where the text is no JSON, in bytes.
  [[nodiscard]] std::size_t error_at() const { return error_at_; }

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return number(value);
  }
  /// A number that is not finite is a text by now (python_json.hpp).
  bool string(string_t& value) override;
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t /*elements*/) override;
  bool end_array() override;
  bool parse_error(std::size_t at, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    error_at_ = at;
    return false;
  }

 private:
  bool number(double value);
  [[nodiscard]] bool in_entry() const { return inside_ && depth_ == kEntryDepth; }

  static constexpr std::int64_t kEntryDepth = 3;  // document, array, entry
  std::function<void(const Entry&)> take_;
  Entry entry_;
  std::string key_;
  std::int64_t depth_ = 0;
  bool inside_ = false;  // the array
  bool found_ = false;
  std::size_t error_at_ = 0;
};

}  // namespace stcsim::curves
