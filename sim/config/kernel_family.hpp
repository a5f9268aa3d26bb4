#pragma once

#include "common/io/yaml_node.hpp"

namespace stcsim {

/// Puts the kernels that families stand for into a machine's lists (`kernels`, `more_kernels`,
/// those of `libraries`), in place of them:
///
///     - {name: dense_*, tiles: [64x128x32_s6, 64x64x32_s10], warps: [2, 2], splits_k: true}
///     - {name: dense_*, tiles: {256x128x32_s3: [4, 2], 128x256x32_s3: [2, 4]}}
///
/// are kernels named dense_64x128x32_s6 and so on, with that tile and so many stages, and all other
/// keys of the family; of a map of tiles, with the warps that stand there.
/// @throws ConfigError at what is no family, and at what a family may not say
void expand_kernel_families(YamlNode& machine);

/// Puts what files of configs/libraries have into a machine's lists, in place of their names, and
/// expands the families:
///
///     libraries: [cublas12_a100, {name: own, kernels: [...]}]
///
/// `kernels: [mapped]` is a list without any.
/// @throws ConfigError at a name of no file, or of one without that list; inside a file that is no
///         LibraryFile
void expand_software(YamlNode& machine);

}  // namespace stcsim
