#pragma once

#include <string>
#include <vector>

#include "reports/papers/paper.hpp"

namespace stcsim {

/// Names of the shipped papers, sorted: the folders of configs/papers with a paper.yaml.
[[nodiscard]] std::vector<std::string> list_papers();

/// Reads a paper and its figures; docs/evidence.md has the keys.
/// @param name a shipped paper's, or the path of a folder with a paper.yaml
/// @throws ConfigError, with file:line:column wherever there is one
[[nodiscard]] Paper load_paper(const std::string& name);

}  // namespace stcsim
