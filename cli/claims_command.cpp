#include <array>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/study_command.hpp"
#include "common/io/catalog.hpp"
#include "reports/claims/claim_file.hpp"
#include "reports/claims/claims_report.hpp"
#include "reports/claims/claims_run.hpp"
#include "reports/claims/gemm_claims.hpp"

namespace stcsim {
namespace {

constexpr const char* kClaimsWho = "stcsim evidence claims";
constexpr const char* kClaimsNotes =
    "Simulates what publications give figures for, and puts both side by side. NAME is a path, or "
    "the\nname of a shipped file ('stcsim list claims'); without one all shipped are compared.\n\n"
    "  stcsim evidence claims sdgp --jobs auto\n"
    "  stcsim evidence claims slope fst --arch a100 --framework pytorch_compiled\n";

enum class ClaimsFormat : std::uint8_t { table, json, markdown };

ClaimsFormat claims_format_of(const Arguments& arguments) {
  constexpr std::array<std::pair<std::string_view, ClaimsFormat>, 3> kFormats{
      {{"table", ClaimsFormat::table},
       {"json", ClaimsFormat::json},
       {"markdown", ClaimsFormat::markdown}}};
  return arguments.choice_or("format", ClaimsFormat::table, kFormats);
}

/// Names that exist, also where claims that have a machine of their own use none of them.
std::vector<std::string> names_or(const Arguments& arguments, const std::string& option,
                                  ConfigKind kind, std::vector<std::string> otherwise) {
  if (!arguments.has(option)) return otherwise;
  std::vector<std::string> names = comma_list(arguments, option);
  for (const std::string& name : names) static_cast<void>(resolve_config(kind, name, ""));
  return names;
}

std::vector<Claim> claims_asked_for(const Arguments& arguments) {
  std::vector<std::string> names = arguments.all("NAME");
  if (names.empty()) {
    for (const CatalogEntry& entry : list_configs(ConfigKind::claims)) names.push_back(entry.name);
  }
  std::vector<Claim> claims;
  for (const std::string& name : names) {
    std::vector<Claim> of_file = load_claims(name);
    std::move(of_file.begin(), of_file.end(), std::back_inserter(claims));
  }
  return claims;
}

int run_claims(const Arguments& arguments) {
  const ClaimsFormat format = claims_format_of(arguments);
  const StudyCommandOptions how = study_options_of(arguments);
  const ClaimPlaces places{names_or(arguments, "arch", ConfigKind::machine, {"a100", "a100_nm"}),
                           names_or(arguments, "framework", ConfigKind::framework,
                                    {"pytorch_eager", "pytorch_contiguous", "nvidia_tuned"})};
  bool has_failed = false;
  CheckedClaims checked =
      check_claims(claims_asked_for(arguments), places, [&](const Experiment& experiment) {
        StudyResult study = run_study_with_progress(kClaimsWho, experiment, how);
        has_failed = has_failed || !study.failures.empty();
        return study;
      });
  ProgressBar bar;
  check_gemm_claims(checked,
                    {how.jobs, how.fast_forward, [&](std::size_t done, std::size_t all) {
                       bar.update({static_cast<std::int64_t>(done), static_cast<std::int64_t>(all),
                                   static_cast<double>(done), static_cast<double>(all)});
                     }});
  bar.wipe();
  write_data(format == ClaimsFormat::json       ? claims_to_json(checked)
             : format == ClaimsFormat::markdown ? claims_markdown(checked)
                                                : claims_text(checked, output_width()));
  return has_failed ? kExitFailed : kExitFine;
}

}  // namespace

Command claims_command() {
  Command command{"evidence claims",
                  "Hold publications' figures against the simulation",
                  "[NAME]... [OPTIONS]",
                  kClaimsNotes,
                  {"[NAME]..."},
                  boost::program_options::options_description("Options"),
                  &run_claims};
  add_option(command.options, "arch", "NAME,...", "machines (default a100,a100_nm)");
  add_option(command.options, "framework", "NAME,...",
             "whose kernels run beside the GEMMs (default "
             "pytorch_eager,pytorch_contiguous,nvidia_tuned)");
  add_study_options(command.options);
  add_option(command.options, "format", "table|json|markdown",
             "form of the data on standard output (default table)");
  return command;
}

}  // namespace stcsim
