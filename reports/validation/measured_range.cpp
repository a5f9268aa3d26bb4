#include "reports/validation/measured_range.hpp"

#include <string_view>

#include "reports/validation/measured_fields.hpp"

namespace stcsim {
namespace {

std::optional<double> number_after(std::string_view note, std::string_view word) {
  const std::size_t at = note.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  note.remove_prefix(at + word.size());
  const std::optional<double> value =
      to_number(note.substr(0, note.find_first_not_of("0123456789.")));
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace

std::optional<std::pair<double, double>> measured_range_in(std::string_view note) {
  const std::optional<double> least = number_after(note, "least ");
  const std::optional<double> most = number_after(note, "most ");
  if (!least || !most) return std::nullopt;
  return std::pair(*least, *most);
}

}  // namespace stcsim
