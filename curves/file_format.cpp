#include "curves/file_format.hpp"

#include <array>
#include <utility>

namespace stcsim::curves {
namespace {

constexpr std::array<std::pair<FileFormat, std::string_view>, 8> kFormats{{
    {FileFormat::csv, "csv"},
    {FileFormat::lightning, "lightning"},
    {FileFormat::keras, "keras"},
    {FileFormat::timm, "timm"},
    {FileFormat::wandb, "wandb"},
    {FileFormat::trainer_state, "trainer-state"},
    {FileFormat::mllog, "mllog"},
    {FileFormat::tensorboard, "tensorboard"},
}};

}  // namespace

std::string_view format_name(FileFormat format) {
  return kFormats.at(static_cast<std::size_t>(format)).second;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const auto& [format, name] : kFormats) names.emplace_back(name);
  return names;
}

std::optional<FileFormat> format_from_name(std::string_view name) {
  for (const auto& [format, known] : kFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

bool is_csv(FileFormat format) {
  return format <= FileFormat::wandb;
}

}  // namespace stcsim::curves
