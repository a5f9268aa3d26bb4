#include <algorithm>
#include <filesystem>
#include <iterator>
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
#include "common/io/next_command.hpp"
#include "common/io/text_file.hpp"
#include "reports/page/page_document.hpp"
#include "reports/papers/paper.hpp"
#include "reports/papers/paper_result.hpp"

namespace stcsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPapersWho = "stcsim evidence papers";
constexpr const char* kAll = "all";
constexpr const char* kClaims = "claims";
constexpr const char* kPapersNotes =
    "PAPER is a shipped one ('stcsim list papers'), the path of a folder like them, all, or "
    "claims: "
    "the\nshipped ones without a result in a sentence, whose figures are printed. For each, DIR "
    "gets "
    "PAPER.md\nand PAPER.json (docs/evidence.md), and unless it is of claims PAPER.html, a page to "
    "open in a browser.\n\n"
    "  stcsim evidence papers sdgp --jobs auto\n"
    "  stcsim evidence papers all --jobs auto --out results/papers\n";

/// Shipped papers with a page, or without.
std::vector<Paper> shipped_papers(bool with_page) {
  std::vector<Paper> papers;
  for (const std::string& name : list_papers()) papers.push_back(load_paper(name));
  std::erase_if(papers, [&](const Paper& paper) { return paper.has_page() != with_page; });
  return papers;
}

std::vector<Paper> papers_asked_for(const Arguments& arguments) {
  std::vector<Paper> all;
  for (const std::string& name : arguments.all("PAPER")) {
    std::vector<Paper> named = name == kAll || name == kClaims ? shipped_papers(name == kAll)
                                                               : std::vector{load_paper(name)};
    std::move(named.begin(), named.end(), std::back_inserter(all));
  }
  std::vector<Paper> papers;
  for (Paper& paper : all) {
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
  if (!result.paper.has_page()) return;
  const auto shown = page_document(name + ".json", json);
  write_file_atomically(
      folder / (name + ".html"),
      page_html(shell, result.paper.title, nlohmann::ordered_json::array({shown})));
}

/// Text for standard output: its sentence, or of claims all figures; totals; its page.
std::string text_of(const PaperResult& result, const fs::path& folder) {
  const Paper& paper = result.paper;
  if (!paper.has_page()) {
    return fmt::format("{}: {}\n{}{}", paper.name, paper.source, tally_text(result, "  "),
                       paper_tables(result, output_width()));
  }
  const std::string spread = spread_text(result.spread);
  return fmt::format("{}: {}\n{}{}  {}\n", paper.name, sentence_of(result),
                     spread.empty() ? "" : "  " + spread + "\n", tally_text(result, "  "),
                     (folder / (paper.name + ".html")).string());
}

int run_papers(const Arguments& arguments) {
  StudyCommandOptions how = study_options_of(arguments);
  how.is_quiet = true;
  const std::vector<Paper> papers = papers_asked_for(arguments);
  const fs::path folder = arguments.text_or("out", "out/papers");
  const std::string shell = read_text_file(page_shell_file(), "the page's shell");
  create_output_directory(folder);
  bool has_failed = false;
  WholeProgress whole{"study"};
  for (const Paper& paper : papers) whole.most += most_studies(paper);
  how.whole = &whole;
  for (const Paper& paper : papers) {
    ProgressBar bar;
    PaperOptions options;
    options.run = [&](const Experiment& experiment) {
      whole.most = std::max(whole.most, ++whole.number);
      StudyResult study = run_study_with_progress(kPapersWho, experiment, how);
      has_failed = has_failed || !study.failures.empty();
      return study;
    };
    options.jobs = how.jobs;
    options.fast_forward = how.fast_forward;
    options.progress = [&](std::size_t done, std::size_t all) {
      bar.update({static_cast<std::int64_t>(done), static_cast<std::int64_t>(all),
                  static_cast<double>(done), static_cast<double>(all)});
    };
    const PaperResult result = run_paper(paper, options);
    bar.wipe();
    write_paper(result, shell, folder);
    write_data(text_of(result, folder));
  }
  write_data(next_lines({"stcsim evidence rows"}, output_width()));
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
