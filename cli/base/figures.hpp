#pragma once

#include <filesystem>
#include <string>

namespace stcsim {

/// The charts of a page as files: for each TITLE.svg, for print, and TITLE.csv, its numbers. They
/// are drawn by the page's JavaScript, which node runs; $STCSIM_NODE may name another node.
class Figures {
 public:
  /// Makes the directory, and looks for node and the page, before the work begins.
  /// @param who  of messages, "stcsim gemm"
  /// @throws ConfigError if one of them is not to be had
  Figures(std::filesystem::path directory, std::string who);

  /// Writes the charts of the page with that data (page_data()), and says on standard error how
  /// many; each file is there complete, or not at all.
  /// @throws ConfigError if one cannot be written
  void write(const std::string& data) const;

 private:
  std::filesystem::path directory_;
  std::string who_;
  std::string node_ = "node";
  std::filesystem::path program_;
};

}  // namespace stcsim
