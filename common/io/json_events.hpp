#pragma once

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/text_file.hpp"

namespace stcsim {

/// Passes events on to another handler, until lists and maps are too deep.
template <class Json>
class DepthLimit : public nlohmann::json_sax<Json> {
 public:
  using Base = nlohmann::json_sax<Json>;

  DepthLimit(Base& handler, std::string file) : handler_(handler), file_(std::move(file)) {}

  bool null() override { return handler_.null(); }
  bool boolean(bool value) override { return handler_.boolean(value); }
  bool number_integer(typename Base::number_integer_t value) override {
    return handler_.number_integer(value);
  }
  bool number_unsigned(typename Base::number_unsigned_t value) override {
    return handler_.number_unsigned(value);
  }
  bool number_float(typename Base::number_float_t value,
                    const typename Base::string_t& text) override {
    return handler_.number_float(value, text);
  }
  bool string(typename Base::string_t& value) override { return handler_.string(value); }
  bool binary(typename Base::binary_t& value) override { return handler_.binary(value); }
  bool key(typename Base::string_t& value) override { return handler_.key(value); }
  bool start_object(std::size_t elements) override {
    open();
    return handler_.start_object(elements);
  }
  bool start_array(std::size_t elements) override {
    open();
    return handler_.start_array(elements);
  }
  bool end_object() override {
    --depth_;
    return handler_.end_object();
  }
  bool end_array() override {
    --depth_;
    return handler_.end_array();
  }
  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    return handler_.parse_error(position, token, error);
  }

 private:
  void open() {
    if (++depth_ <= kMostOpen) return;
    throw ConfigError(SourceLocation{file_}, "more than " + std::to_string(kMostOpen) +
                                                 " lists and objects are within each other");
  }

  Base& handler_;
  std::string file_;
  int depth_ = 0;
};

/// Hands JSON that is too large to keep to `handler`, event by event; false if it is malformed.
/// @throws ConfigError for more than kMostOpen lists and objects within each other
template <class Json, class Input>
bool read_json_events(Input&& input, nlohmann::json_sax<Json>& handler, const std::string& file) {
  DepthLimit<Json> limit(handler, file);
  return Json::sax_parse(std::forward<Input>(input), &limit);
}

}  // namespace stcsim
