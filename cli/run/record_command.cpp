#include <filesystem>

#include <fmt/format.h>

#include "cli/base/command.hpp"
#include "cli/base/common_options.hpp"
#include "cli/base/output.hpp"
#include "cli/run/experiment_options.hpp"
#include "cli/run/study_command.hpp"
#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/catalog.hpp"
#include "common/io/next_command.hpp"
#include "reports/compare/golden.hpp"

namespace stcsim {
namespace {

constexpr const char* kRecordWho = "stcsim record";
constexpr const char* kRecordNotes =
    "The file holds the cycles of every result, the whole experiment, a value on each line, and\n"
    "where it was read from:\n"
    "'stcsim check' compares with the experiment as it is now. An existing file is not replaced: "
    "'stcsim check FILE --update' does "
    "that.\n\n"
    "  stcsim record quick -o quick.json && stcsim check quick.json\n"
    "  stcsim record --network resnet50 --arch a100 --schemes asp -o mine.json\n";

void refuse_existing(const std::string& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(file, ignored))) return;
  throw ConfigError(
      fmt::format("--output is '{}', which exists; 'stcsim check {} --update' records "
                  "it again",
                  file, file));
}

/// What `check` needs to read the experiment again.
GoldenSource source_of(const Arguments& arguments, const std::filesystem::path& golden) {
  const auto folder = std::filesystem::absolute(golden).lexically_normal().parent_path();
  GoldenSource source{"", arguments.all(kCommon.set), ""};
  if (arguments.has(kCommon.experiment)) {
    source.experiment =
        name_from(folder, ConfigKind::experiment, arguments.text(kCommon.experiment));
  } else {
    source.question = experiment_text(arguments, folder);
  }
  return source;
}

int record(const Arguments& arguments) {
  const std::string file = arguments.text(kCommon.output);
  const StudyCommandOptions how = study_options_of(arguments);
  refuse_existing(file);
  const Experiment experiment = experiment_of(arguments);
  AtomicFile output(file);
  const StudyResult study = run_study_with_progress(kRecordWho, experiment, how);
  const Golden golden = make_golden(study, source_of(arguments, file));
  output.write(golden_to_json(golden));
  output.commit();
  write_data(recorded_text(file, golden, study));
  write_data(next_lines({"stcsim check", shell_word(file)}, output_width()));
  return kExitFine;
}

struct RecordTable {
  Option output = kCommon.output.as("FILE", "the golden file (required)").or_letter('o');
  ExperimentTable experiment;
  Option set = kCommon.set.like("networks.0.batch=32");
  StudyTable study;
};

}  // namespace

Command record_command() {
  return {"record",
          "Record an experiment's cycles in a golden file",
          "(EXPERIMENT | --network NAME --arch NAME) -o FILE [OPTIONS]",
          kRecordNotes,
          {kCommon.experiment.optional()},
          options_of<RecordTable>(),
          &record};
}

}  // namespace stcsim
