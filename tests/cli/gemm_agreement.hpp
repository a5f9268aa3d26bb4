#pragma once

#include <cstddef>

#include <nlohmann/json_fwd.hpp>

namespace stcsim {

/// One question has one answer: the call that stands beside a row, made by the code behind
/// `stcsim gemm`, gives the times that `validate` gives. What `gemm` cannot state was skipped, with
/// a reason.
/// @param calls_expected  how many calls stand beside all rows
/// @param one_in  of so many calls, one is made
void expect_that_gemm_says_the_same(const nlohmann::json& rows, std::size_t calls_expected,
                                    std::size_t one_in = 1);

}  // namespace stcsim
