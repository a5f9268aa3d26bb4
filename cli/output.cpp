#include "cli/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/error.hpp"
#include "common/io/text_file.hpp"

namespace stcsim {
namespace {

/// Writes everything, or returns the error's number.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void open_closed_streams() {
  constexpr std::array<int, 3> kStreams{STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  for (const int stream : kStreams) {
    if (::fcntl(stream, F_GETFD) >= 0) continue;
    // The lowest free number, which is this one: those before it are open. What cannot be written
    // is an error on standard output; nobody can be told of messages that are lost.
    static_cast<void>(::open("/dev/null", stream == STDERR_FILENO ? O_RDWR : O_RDONLY));
  }
}

bool write_data(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return error == 0;
  throw ConfigError("cannot write standard output: " +
                    (error == EBADF ? "it is closed" : std::generic_category().message(error)));
}

std::size_t output_width() {
  constexpr std::size_t kLeast = 40;
  constexpr std::size_t kMostColumns = 1000;
  ::winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  if (is_known) return std::max<std::size_t>(kLeast, size.ws_col);
  const char* const columns = std::getenv("COLUMNS");
  const std::size_t width = columns == nullptr ? 0 : std::strtoul(columns, nullptr, 10);
  return width == 0 ? kPageWidth : std::clamp(width, kLeast, kMostColumns);
}

Output::Output(const Arguments& arguments) {
  if (arguments.text_or("output", kStandardStream) != kStandardStream) {
    file_.emplace(arguments.text("output"));
  }
}

void Output::write(std::string_view text) {
  if (!file_) {
    write_data(text);
    return;
  }
  file_->write(text);
  file_->commit();
}

void create_output_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) {
    throw ConfigError("cannot create directory " + directory.string() + ": " + error.message());
  }
}

void write_message(const std::string& who, std::string_view text) {
  static_cast<void>(write_all(STDERR_FILENO, printable(who + ": " + std::string(text)) + "\n"));
}

}  // namespace stcsim
