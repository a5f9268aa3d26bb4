#pragma once

#include <string>

#include "reports/papers/mask_row.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/reports/papers/paper_rows.hpp"

namespace stcsim::test {

inline MaskRow mask_row(const std::string& keys) {
  return row_in("{" + keys + "}", read_mask_row);
}

inline PaperAnswer mask_answer(const std::string& keys) {
  return answer_of(mask_row(keys));
}

inline std::string mask_error(const std::string& keys) {
  return error_in("{" + keys + "}", [](MapReader& map) { (void)read_mask_row(map); });
}

}  // namespace stcsim::test
