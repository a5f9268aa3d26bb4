#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stcsim::curves {

/// Formats that programs write learning curves in; docs/accuracy.md says how each is read.
enum class FileFormat : std::uint8_t {
  csv,            // a column epoch, step, samples, hours or seconds, and metrics
  lightning,      // PyTorch Lightning's CSVLogger, metrics.csv
  keras,          // Keras' CSVLogger
  timm,           // timm's summary.csv
  wandb,          // a chart of Weights & Biases exported as CSV
  trainer_state,  // Hugging Face's trainer_state.json
  mllog,          // MLPerf's :::MLLOG lines
  tensorboard     // TensorBoard's event files
};

/// As users write it: "csv", "lightning", "trainer-state", ...
[[nodiscard]] std::string_view format_name(FileFormat format);
[[nodiscard]] std::vector<std::string> format_names();
[[nodiscard]] std::optional<FileFormat> format_from_name(std::string_view name);

/// The formats that are CSV; which one is told by the header alone (csv_dialect.hpp).
[[nodiscard]] bool is_csv(FileFormat format);

}  // namespace stcsim::curves
