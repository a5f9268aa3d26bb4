#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/base/arguments.hpp"
#include "cli/base/command.hpp"
#include "cli/base/output.hpp"
#include "cli/base/python_program.hpp"
#include "cli/run/experiment_options.hpp"
#include "common/error.hpp"
#include "common/io/catalog.hpp"
#include "common/io/format.hpp"
#include "common/io/json_reader.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;

constexpr const char* kAdviseNotes =
    "MODEL is a network ('stcsim list networks'), or a file as --network of `run` takes it, such "
    "as "
    "a\n"
    "Hugging Face config.json. The answer says what bounds the step, then the three changes that "
    "gain\n"
    "most of all kinds. None is advised whose interval holds 1. Changes are simulated at the clock "
    "of\n"
    "the step as it is; the clock that the board's power allows then is estimated.\n\n"
    "  stcsim advise config.json --arch h100_sxm --dtype bf16 --tokens 2048\n"
    "  stcsim advise gpt2_124m --arch h200 --framework pytorch_2_11_eager --dtype bf16\n"
    "  stcsim advise bert_base_s384 --arch h200 --dtype bf16 --measured-step 44.1ms\n"
    "  stcsim advise --profile step.json.gz --arch h200\n";

constexpr struct AdviseTable {
  Option profile = kExperiment.profile.as(
      "FILE", "a PyTorch profile of your own step, instead of MODEL: its times are kept");
  Option measured_step = kExperiment.measured_step.as(
      "TIME", "what the step of MODEL takes on --arch, e.g. 290ms (us, ms, s)");
  Option arch = kCommon.arch.as("NAME", "the machine");
  Option dtype = kCommon.dtype.as("TYPE", "data type (default fp16)");
  Option batch = kCommon.batch.as("N", "samples per step (default: MODEL's own)");
  SizeOptions sizes;
  Option framework = kExperiment.framework.as(
      "NAME", "whose kernels run beside the products (default pytorch_2_eager)");
  Option jobs = kCommon.jobs;
  Option format =
      kCommon.format.as("table|json", "form of the data on standard output (default table)");
} kAdvise;

/// The command that simulates the step as advised upon.
std::vector<std::string> run_words(const Arguments& arguments) {
  std::vector<std::string> words{"stcsim run"};
  if (arguments.has(kExperiment.network)) {
    words.push_back("--network " + shell_word(arguments.text(kExperiment.network)));
  }
  for (const std::string& word :
       arguments.again({kAdvise.profile, kAdvise.measured_step, kAdvise.arch, kAdvise.dtype,
                        kAdvise.batch, kSizes.tokens, kSizes.size, kAdvise.framework})) {
    words.push_back(word);
  }
  return words;
}

/// What python/stcsim/advise is asked: the step as an experiment, all names resolved.
int run_advise(const Arguments& arguments) {
  constexpr std::size_t kWidth = 80;
  const Format format = format_of(arguments, kAdvise.format);
  if (!arguments.has(kExperiment.network) && !arguments.has(kExperiment.profile)) {
    throw ConfigError(
        "MODEL is missing: a network ('stcsim list networks') or a file, e.g. config.json");
  }
  const Experiment experiment = experiment_of(arguments);
  if (experiment.networks.size() != 1) arguments.refuse(kExperiment.network, "one model");
  if (experiment.machines.size() != 1) arguments.refuse(kCommon.arch, "one machine");
  ordered_json schemes;
  for (const CatalogEntry& entry : list_configs(ConfigKind::scheme)) {
    if (entry.name != kBaselineScheme) schemes.push_back(entry.name);
  }
  if (const std::string& note = experiment.networks.front().note; !note.empty()) {
    write_message("stcsim advise", "note: " + note);
  }
  const ordered_json request{{"experiment", parse_json(experiment.resolved_config, "")},
                             {"arch", arguments.text(kCommon.arch)},
                             {"model", arguments.text_or(kExperiment.network, "")},
                             {"schemes", schemes},
                             {"run", run_words(arguments)},
                             {"jobs", jobs_of(arguments)},
                             {"format", format == Format::json ? "json" : "table"},
                             {"width", std::min(kWidth, output_width())}};
  become_python("stcsim.advise", {}, request.dump());
}

}  // namespace

Command advise_command() {
  return {"advise",
          "Say what makes a training step faster: a dimension, batch, type, software, a scheme",
          "MODEL --arch NAME [OPTIONS]",
          kAdviseNotes,
          {kExperiment.network.optional()},
          options_of<AdviseTable>(),
          &run_advise};
}

}  // namespace stcsim
