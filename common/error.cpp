#include "common/error.hpp"

#include "common/excerpt.hpp"

namespace stcsim {

std::string SourceLocation::to_string() const {
  std::string text = file;
  if (line > 0) text += ":" + std::to_string(line);
  if (line > 0 && column > 0) text += ":" + std::to_string(column);
  return text;
}

ConfigError::ConfigError(const std::string& message)
    : std::runtime_error("error: " + cut_to_read(message)) {}

ConfigError::ConfigError(const SourceLocation& where, const std::string& message)
    : std::runtime_error(where.to_string() + ": error: " + cut_to_read(message)) {}

}  // namespace stcsim
