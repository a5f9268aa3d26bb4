#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/base/arguments.hpp"
#include "common/io/atomic_file.hpp"

namespace stcsim {

/// Opens /dev/null on standard streams that are closed, so that no file of ours takes their number
/// and is written to by mistake; on standard output for reading, so that writing is an error.
void open_closed_streams();

/// Writes data to standard output. On a terminal, unless the environment's NO_COLOR is set,
/// "SLOWER" and "DOES NOT FIT" stand out in red. If nobody reads it any more (a closed pipe) the
/// rest is dropped in silence: `stcsim list arch | head -1` is no error.
/// @return false if nobody reads it any more
/// @throws ConfigError if it cannot be written for any other reason (full disk, closed output)
bool write_data(std::string_view text);

/// Columns of a page that is no terminal.
inline constexpr std::size_t kPageWidth = 100;
/// Columns of the terminal that standard output is, at least 40; $COLUMNS if it is none, and
/// kPageWidth if that is not set.
[[nodiscard]] std::size_t output_width();

/// Where a command's data goes: the file of --output, or standard output. Made before the work
/// begins: a file that cannot be written must not cost a simulation.
class Output {
 public:
  explicit Output(const Arguments& arguments);

  /// Columns that the data may take.
  [[nodiscard]] std::size_t width() const { return file_ ? kPageWidth : output_width(); }
  /// Writes all of it; the file is there complete, or not at all.
  void write(std::string_view text);

 private:
  std::optional<AtomicFile> file_;
};

/// Ends a table on standard output with the next command worth running (next_lines), its
/// words those of `parts` and `more`. Nothing where --format asks for data, or --output for a file.
void write_next(const Arguments& arguments, std::vector<std::string> parts,
                const std::vector<std::string>& more = {});

/// The charts of a page as files of --svg: for each TITLE.svg, for print, and TITLE.csv, its
/// numbers. The page's JavaScript draws them in node; $STCSIM_NODE may name another.
class Figures {
 public:
  /// Makes the directory, before the work begins.
  /// @param who  of messages, "stcsim gemm"
  /// @throws ConfigError if that cannot be done, or node is missing or too old
  Figures(std::filesystem::path directory, std::string who);

  /// Writes the charts of the page that has this data (page_data()), each file complete or not at
  /// all, and says on standard error how many.
  void write(const std::string& data) const;

 private:
  std::filesystem::path directory_;
  std::string who_;
  std::string node_;
};

/// The page of --html and the charts of --svg, which every command has that answers with figures:
/// what `stcsim page` makes of the command's JSON. Made before the work begins, as an Output is.
class HtmlPage {
 public:
  /// @param who  what the page is called, "stcsim gemm"
  HtmlPage(const Arguments& arguments, std::string who);

  /// Writes those of that JSON document, which is made only for them; nothing without --html,
  /// --svg.
  void write(const std::function<std::string()>& json);

 private:
  std::string who_;
  std::string shell_;
  std::optional<AtomicFile> file_;
  std::optional<Figures> figures_;
};

/// Creates a directory for results, and those above it, unless it is there. To be called before
/// the work whose results go there.
/// @throws ConfigError if it cannot be created
void create_output_directory(const std::filesystem::path& directory);

/// One line on standard error: "who: text", as a terminal may be given it (printable()).
void write_message(const std::string& who, std::string_view text);

}  // namespace stcsim
