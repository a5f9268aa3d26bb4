#pragma once

#include <utility>

#include <nlohmann/json.hpp>

namespace stcsim {

/// Hands JSON that is too large to keep to `handler`, event by event; false if it is malformed. How
/// deep lists and maps may be is for the handler to say.
template <class Json, class Input>
bool read_json_events(Input&& input, nlohmann::json_sax<Json>& handler) {
  return Json::sax_parse(std::forward<Input>(input), &handler);
}

}  // namespace stcsim
