#pragma once

#include <charconv>
#ifndef __cpp_lib_to_chars
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <string>
#endif

namespace stcsim {

/// std::from_chars() to a double. libc++ 19, which programs for browsers are built with, has none:
/// there it is strtod(), which takes blanks, a '+' and hexadecimal digits too, and must not see
/// them.
inline std::from_chars_result number_from(const char* begin, const char* end, double& number) {
#ifdef __cpp_lib_to_chars
  return std::from_chars(begin, end, number);
#else
  const std::string text(begin,
                         std::find_if(begin, end, [](char c) { return c == 'x' || c == 'X'; }));
  const char first = text.c_str()[text.starts_with('-') ? 1 : 0];
  char* stop = nullptr;
  const double value = std::strtod(text.c_str(), &stop);
  const char* const after = begin + (stop - text.c_str());
  const bool is_refused =
      first == '+' || first == '-' || std::isspace(static_cast<unsigned char>(first)) != 0;
  if (is_refused || after == begin) return {begin, std::errc::invalid_argument};
  if (std::isinf(value) && std::isdigit(static_cast<unsigned char>(first)) != 0) {
    return {after, std::errc::result_out_of_range};
  }
  number = value;
  return {after, std::errc()};
#endif
}

}  // namespace stcsim
