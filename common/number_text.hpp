#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace stcsim {

/// std::from_chars() to a double. Emscripten's libc++ has none: there it is strtod(), which takes
/// more: blanks and a '+' before the number, and hexadecimal digits.
inline std::from_chars_result number_from(const char* begin, const char* end, double& number) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, number);
#else
  const auto* const x = std::find_if(begin, end, [](char c) { return c == 'x' || c == 'X'; });
  const std::string text(begin, x);
  char* stop = nullptr;
  errno = 0;
  const double value = std::strtod(text.c_str(), &stop);
  const char* const after = begin + (stop - text.c_str());
  if (after == begin || text.find_first_of("+ \t\n\v\f\r") == 0) {
    return {begin, std::errc::invalid_argument};
  }
  if (errno == ERANGE && (value == 0 || std::isinf(value))) {
    return {after, std::errc::result_out_of_range};
  }
  number = value;
  return {after, std::errc()};
#endif
}

}  // namespace stcsim
