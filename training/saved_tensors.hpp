#pragma once

#include <filesystem>

#include "training/model.hpp"

namespace stcsim::training {

/// Writes the weights of every conv and linear as NumPy files, C_out x kernel height x kernel width
/// x C_in: LAYER.npy as trained, and where the scheme prunes weights LAYER.forward.npy, what
/// forward multiplies by, and LAYER.dgrad.npy, if dgrad multiplies by others.
/// @throws ConfigError if they cannot be written
void save_weights(const std::filesystem::path& directory, const Model& model);

/// Writes what Model::keep_output_gradients() has kept as NumPy files LAYER.npy: dY of every conv
/// and linear, a matrix of pixels or tokens (of all samples in their order) x C_out. Nothing if
/// nothing was kept.
/// @throws ConfigError if they cannot be written
void save_gradients(const std::filesystem::path& directory, const Model& model);

}  // namespace stcsim::training
