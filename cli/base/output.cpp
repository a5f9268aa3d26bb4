#include "cli/base/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/base/arguments.hpp"
#include "cli/base/python_program.hpp"
#include "common/error.hpp"
#include "common/io/csv_table.hpp"
#include "common/io/format.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "reports/page/page_document.hpp"

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

/// The text with what a reader must not miss in red, if standard output shows colours.
std::string in_colour(std::string text) {
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool is_plain = no_colour != nullptr && *no_colour != '\0';
  if (is_plain || ::isatty(STDOUT_FILENO) != 1) return text;
  for (const std::string_view warning : {"SLOWER", "DOES NOT FIT"}) {
    const std::string red = fmt::format("\x1b[31;1m{}\x1b[0m", warning);
    for (std::size_t at = 0; (at = text.find(warning, at)) != std::string::npos; at += red.size()) {
      text.replace(at, warning.size(), red);
    }
  }
  return text;
}

/// What a command of the shell prints, and its exit status.
std::pair<std::string, int> run_shell(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {"cannot start a shell", -1};
  std::string text;
  for (int letter = 0; (letter = std::fgetc(pipe)) != EOF;) text += static_cast<char>(letter);
  return {text.substr(0, text.find_last_not_of('\n') + 1), ::pclose(pipe)};
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
  const int error = write_all(STDOUT_FILENO, in_colour(std::string(text)));
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
  const std::size_t width = columns == nullptr ? 0
                                               : static_cast<std::size_t>(std::max<std::int64_t>(
                                                     0, to_whole_number(columns).value_or(0)));
  return width == 0 ? kPageWidth : std::clamp(width, kLeast, kMostColumns);
}

Output::Output(const Arguments& arguments) {
  if (arguments.text_or(kCommon.output, kStandardStream) != kStandardStream) {
    file_.emplace(arguments.text(kCommon.output));
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

void write_next(const Arguments& arguments, std::vector<std::string> parts,
                const std::vector<std::string>& more) {
  const bool is_table = arguments.text_or(kCommon.format, "table") == "table";
  const bool is_shown = arguments.text_or(kCommon.output, kStandardStream) == kStandardStream;
  parts.insert(parts.end(), more.begin(), more.end());
  // What came from standard input is not there again.
  const bool can_be_repeated = std::ranges::none_of(
      parts, [](const std::string& part) { return part == "-" || part.ends_with(" -"); });
  if (!is_table || !is_shown || !can_be_repeated) return;
  write_data(next_lines(parts, output_width()));
}

Figures::Figures(std::filesystem::path directory, std::string who)
    : directory_(std::move(directory)), who_(std::move(who)) {
  const char* const named = std::getenv("STCSIM_NODE");
  node_ = shell_word(named == nullptr || *named == '\0' ? "node" : named);
  const char* const is_old = " -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'";
  if (run_shell(node_ + is_old + " 2>&1").second != 0) {
    throw ConfigError(
        "--svg needs node 18 or newer (Debian's package nodejs) to draw the charts; the page of "
        "--html saves each of them without");
  }
  create_output_directory(directory_);
}

void Figures::write(const std::string& data) const {
  const std::filesystem::path drawing = page_shell_file().replace_filename("figures.mjs");
  const auto [text, status] =
      run_shell(fmt::format("{} {} {} </dev/fd/{} 2>&1", node_, shell_word(drawing.string()),
                            shell_word(directory_.string()), nameless_file(data)));
  if (status != 0) throw ConfigError("cannot write the charts of --svg: " + text);
  write_message(who_, fmt::format("{}: {}", directory_.string(), text));
}

HtmlPage::HtmlPage(const Arguments& arguments, std::string who) : who_(std::move(who)) {
  if (arguments.has(kCommon.svg)) figures_.emplace(arguments.text(kCommon.svg), who_);
  if (!arguments.has(kCommon.html)) return;
  shell_ = read_text_file(page_shell_file(), "the page's shell");
  file_.emplace(arguments.text(kCommon.html));
}

void HtmlPage::write(const std::function<std::string()>& json) {
  if (!file_ && !figures_) return;
  const auto shown = nlohmann::ordered_json::array({page_document(who_, parse_json(json(), who_))});
  if (figures_) figures_->write(page_data(shown));
  if (!file_) return;
  file_->write(page_html(shell_, who_, shown));
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
