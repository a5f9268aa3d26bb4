#pragma once

#include <string>
#include <string_view>

namespace stcsim {

/// Opens /dev/null on standard streams that are closed, so that no file of ours takes their number
/// and is written to by mistake.
void open_closed_streams();

/// Writes data to standard output. If nobody reads it any more (a closed pipe) the rest is dropped
/// in silence: `stcsim list arch | head -1` is no error.
/// @throws ConfigError if it cannot be written for any other reason (full disk)
void write_data(std::string_view text);

/// One line on standard error: "who: text". Line breaks and control characters in `text` are
/// replaced by spaces.
void write_message(const std::string& who, std::string_view text);

}  // namespace stcsim
