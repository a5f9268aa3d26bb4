#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "common/gemm.hpp"

namespace stcsim {

struct OperandLayouts {
  OperandLayout a = OperandLayout::k_major;
  OperandLayout b = OperandLayout::k_major;

  friend bool operator==(const OperandLayouts&, const OperandLayouts&) = default;
};
/// As BLAS names them, for column-major matrices: t is k contiguous for A, n is k contiguous for B.
inline constexpr std::array<std::pair<std::string_view, OperandLayouts>, 4> kOperandLayouts{{
    {"tn", {OperandLayout::k_major, OperandLayout::k_major}},
    {"nn", {OperandLayout::mn_major, OperandLayout::k_major}},
    {"nt", {OperandLayout::mn_major, OperandLayout::mn_major}},
    {"tt", {OperandLayout::k_major, OperandLayout::mn_major}},
}};
inline constexpr std::array<std::pair<std::string_view, OutputLayout>, 2> kOutputLayouts{{
    {"row", OutputLayout::row_major},
    {"column", OutputLayout::column_major},
}};

}  // namespace stcsim
