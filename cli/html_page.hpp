#pragma once

#include <functional>
#include <optional>
#include <string>

#include <boost/program_options/options_description.hpp>

#include "cli/arguments.hpp"
#include "common/io/atomic_file.hpp"

namespace stcsim {

/// --html, of every command that answers with figures.
void add_html_option(boost::program_options::options_description& options);

/// The page of --html: what `stcsim page` makes of the command's JSON. Made before the work begins:
/// a file that cannot be written must not cost a simulation.
class HtmlPage {
 public:
  /// @param who  what the page is called, "stcsim gemm"
  HtmlPage(const Arguments& arguments, std::string who);

  /// Writes the page of that JSON document, which is made only for it; nothing without --html.
  void write(const std::function<std::string()>& json);

 private:
  std::string who_;
  std::string shell_;
  std::optional<AtomicFile> file_;
};

}  // namespace stcsim
