#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "cli/study_explanations.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "reports/page/page_document.hpp"

namespace stcsim {
namespace {

constexpr const char* kReportNotes =
    "Makes one page of what the program wrote as JSON: run, gemm, explain, evidence rows, ...\n"
    "The page loads nothing else and needs no network.\n\n"
    "  stcsim run demo --format json > demo.json && stcsim page demo.json -o demo.html\n"
    "  stcsim page study.json --explain 50 --jobs auto -o report.html\n";

constexpr std::int64_t kMostExplained = 1000;

/// How many of the worst GEMMs of each study to explain, and in how many processes.
struct Explaining {
  std::int64_t count = 0;
  std::int64_t jobs = 1;
};

Explaining explaining_of(const Arguments& arguments) {
  arguments.allow_only_if(arguments.has("explain"), "jobs", "has no effect without --explain");
  return {arguments.integer_or("explain", 0, 1, kMostExplained), jobs_of(arguments)};
}

nlohmann::ordered_json document_of(const std::string& file, const Explaining& explaining) {
  const nlohmann::ordered_json document =
      parse_json(read_text_file(file, "a file of results"), file);
  nlohmann::ordered_json shown = page_document(file, document);
  if (explaining.count > 0 && document["schema"] == "stcsim.study/2") {
    shown["explanations"] = explain_worst_gemms(
        document, file, static_cast<std::size_t>(explaining.count), explaining.jobs);
  }
  return shown;
}

nlohmann::ordered_json documents_of(const std::vector<std::string>& files,
                                    const Explaining& explaining) {
  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  bool has_study = false;
  for (const std::string& file : files) {
    documents.push_back(document_of(file, explaining));
    has_study = has_study || documents.back()["schema"] == "stcsim.study/2";
  }
  if (explaining.count > 0 && !has_study) {
    throw ConfigError("--explain has no effect: none of the files is of 'stcsim run'");
  }
  return documents;
}

int run_page_command(const Arguments& arguments) {
  const std::vector<std::string> files = arguments.all("FILE");
  const Explaining explaining = explaining_of(arguments);
  AtomicFile output(arguments.text("output"));
  const std::string shell = read_text_file(page_shell_file(), "the page's shell");
  const std::string title = fmt::format("stcsim: {}", fmt::join(files, ", "));
  output.write(page_html(shell, title, documents_of(files, explaining)));
  output.commit();
  return kExitFine;
}

}  // namespace

Command page_command() {
  Command command{"page",
                  "Make one page of results: charts and tables, to open in a browser",
                  "FILE... -o FILE [OPTIONS]",
                  kReportNotes,
                  {"FILE..."},
                  boost::program_options::options_description("Options"),
                  &run_page_command};
  add_option(command.options, "output,o", "FILE", "the page (required)");
  add_option(command.options, "explain", "N",
             "simulate why the N GEMMs of each study that lose most do (default none)");
  add_jobs_option(command.options);
  return command;
}

}  // namespace stcsim
