#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "reports/page/page_document.hpp"
#include "reports/page/page_html.hpp"

namespace stcsim {
namespace {

constexpr const char* kReportNotes =
    "Makes one page of what the program wrote as JSON: run, gemm, explain, curves, validate, ...\n"
    "The page loads nothing else and needs no network.\n\n"
    "  stcsim run demo --format json > demo.json && stcsim report demo.json -o demo.html\n"
    "  stcsim report study.json why.json validation.json -o report.html\n";

nlohmann::ordered_json documents_of(const std::vector<std::string>& files) {
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  for (const std::string& file : files) {
    documents.push_back(
        page_document(file, parse_json(read_text_file(file, "a file of results"), file)));
  }
  return documents;
}

int run_report_command(const Arguments& arguments) {
  const std::vector<std::string> files = arguments.all("FILE");
  AtomicFile output(arguments.text("output"));
  const std::string shell = read_text_file(page_shell_file(), "the page's shell");
  const std::string title = fmt::format("stcsim: {}", fmt::join(files, ", "));
  output.write(page_html(shell, title, documents_of(files)));
  output.commit();
  return kExitFine;
}

}  // namespace

Command report_command() {
  Command command{"report",
                  "Make one page of results: charts and tables, to open in a browser",
                  "FILE... -o FILE [OPTIONS]",
                  kReportNotes,
                  {"FILE..."},
                  boost::program_options::options_description("Options"),
                  &run_report_command};
  add_option(command.options, "output,o", "FILE", "the page (required)");
  return command;
}

}  // namespace stcsim
