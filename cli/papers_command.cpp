#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study_command.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/json_text.hpp"
#include "common/io/text_file.hpp"
#include "reports/page/page_document.hpp"
#include "reports/papers/paper_file.hpp"
#include "reports/papers/paper_json.hpp"
#include "reports/papers/paper_report.hpp"
#include "reports/papers/paper_run.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPapersWho = "stcsim evidence papers";
constexpr const char* kAll = "all";
constexpr const char* kPapersNotes =
    "PAPER is a shipped one ('stcsim list papers'), the path of a folder like them, or all. For "
    "each,\nDIR gets PAPER.md, PAPER.html (a page to open in a browser) and PAPER.json "
    "(docs/evidence.md).\n\n"
    "  stcsim evidence papers sdgp --jobs auto\n"
    "  stcsim evidence papers all --jobs auto --out results/papers\n";

std::vector<Paper> papers_asked_for(const Arguments& arguments) {
  std::vector<std::string> names = arguments.all("PAPER");
  if (std::find(names.begin(), names.end(), kAll) != names.end()) names = list_papers();
  std::vector<Paper> papers;
  for (const std::string& name : names) {
    Paper paper = load_paper(name);
    const auto same = [&](const Paper& other) { return other.name == paper.name; };
    if (std::any_of(papers.begin(), papers.end(), same)) {
      throw ConfigError(fmt::format(
          "two papers are named '{0}', their pages would both be {0}.html", paper.name));
    }
    papers.push_back(std::move(paper));
  }
  return papers;
}

void write_paper(const PaperResult& result, const std::string& shell, const fs::path& folder) {
  const nlohmann::ordered_json json = paper_to_json(result);
  const std::string& name = result.paper.name;
  write_file_atomically(folder / (name + ".json"), document_text(json));
  write_file_atomically(folder / (name + ".md"), paper_markdown(result));
  const auto shown = page_document(name + ".json", json);
  write_file_atomically(
      folder / (name + ".html"),
      page_html(shell, result.paper.title, nlohmann::ordered_json::array({shown})));
}

int run_papers(const Arguments& arguments) {
  StudyCommandOptions how = study_options_of(arguments);
  how.is_quiet = true;
  const std::vector<Paper> papers = papers_asked_for(arguments);
  const fs::path folder = arguments.text_or("out", "out/papers");
  const std::string shell = read_text_file(page_shell_file(), "the page's shell");
  create_output_directory(folder);
  bool has_failed = false;
  for (const Paper& paper : papers) {
    ProgressBar bar;
    PaperOptions options;
    options.run = [&](const Experiment& experiment) {
      StudyResult study = run_study_with_progress(kPapersWho, experiment, how);
      has_failed = has_failed || !study.failures.empty();
      return study;
    };
    options.gemms = {how.jobs, how.fast_forward, [&](std::size_t done, std::size_t all) {
                       bar.update({static_cast<std::int64_t>(done), static_cast<std::int64_t>(all),
                                   static_cast<double>(done), static_cast<double>(all)});
                     }};
    const PaperResult result = run_paper(paper, options);
    bar.wipe();
    write_paper(result, shell, folder);
    const std::string spread = spread_text(result.spread);
    write_data(fmt::format("{}: {}\n{}{}  {}\n", paper.name, sentence_of(result),
                           spread.empty() ? "" : "  " + spread + "\n", tally_text(result, "  "),
                           (folder / (paper.name + ".html")).string()));
  }
  return has_failed ? kExitFailed : kExitFine;
}

}  // namespace

Command papers_command() {
  Command command{"evidence papers",
                  "Redo a publication's figures: published beside simulated, a page for each",
                  "PAPER... [OPTIONS]",
                  kPapersNotes,
                  {"PAPER..."},
                  boost::program_options::options_description("Options"),
                  &run_papers};
  add_option(command.options, "out", "DIR", "where the pages are written (default out/papers)");
  add_study_options(command.options);
  return command;
}

}  // namespace stcsim
