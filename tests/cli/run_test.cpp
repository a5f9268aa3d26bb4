#include <algorithm>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/io/format.hpp"
#include "common/io/sha256.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using nlohmann::ordered_json;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// Without the breaks of lines that go on in the next.
std::string unwrapped(std::string text) {
  for (const std::string goes_on : {" \\\n    ", "\n  "}) {
    for (std::size_t at = text.find(goes_on); at != std::string::npos;
         at = text.find(goes_on, at)) {
      text.replace(at, goes_on.size(), " ");
    }
  }
  return text;
}

const std::vector<std::string> kFiles{"report.txt", "results.csv", "results.json", "totals.csv"};

TEST(Run, PrintsTheStudyAsJson) {
  const TinyExperiment tiny;
  const ProgramResult result = run_stcsim({"run", tiny.file(), "--format", "json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const ordered_json json = ordered_json::parse(result.out);
  EXPECT_EQ(json["schema"], "stcsim.study/2");
  EXPECT_EQ(json["config_hash"], sha256_hex(json["config"].dump()));
  std::vector<std::string> gemms;
  for (const ordered_json& row : json["results"]) {
    if (row["op"] != "gemm") continue;
    EXPECT_EQ(row["machine"], "two_sms");
    EXPECT_EQ(row["network"], "tiny");
    gemms.push_back(row["scheme"].get<std::string>() + " " + row["layer"].get<std::string>() + " " +
                    row["phase"].get<std::string>());
  }
  EXPECT_THAT(gemms, testing::UnorderedElementsAre("dense first forward", "dense first wgrad",
                                                   "dense second forward", "dense second dgrad",
                                                   "dense second wgrad", "asp first forward",
                                                   "asp first wgrad", "asp second forward",
                                                   "asp second dgrad", "asp second wgrad"));
  EXPECT_EQ(json["totals"].size(), 2U);
  EXPECT_THAT(json["failures"], IsEmpty());
}

/// What a study says of its configuration makes the same study again.
TEST(Run, ASavedConfigurationIsTheSameExperiment) {
  const TinyExperiment tiny;
  for (const char* framework : {"pytorch_eager", "nvidia_tuned"}) {
    const ProgramResult first = run_stcsim(
        {"run", tiny.file(), "--set", std::string("framework=") + framework, "--format", "json"});
    ASSERT_EQ(first.exit_code, 0) << first.err;
    const ordered_json json = ordered_json::parse(first.out);
    write_text(tiny.path("saved.yaml"), json["config"].dump());
    const ProgramResult second = run_stcsim({"run", tiny.path("saved.yaml"), "--format", "json"});
    EXPECT_EQ(second.out, first.out) << framework << second.err;
  }
}

/// The parts of a study that do not say how it was run.
ordered_json figures_of(const ProgramResult& result) {
  ordered_json json = ordered_json::parse(result.out);
  for (ordered_json& total : json["totals"]) total.erase("beside");  // none of checked ones
  return {json["results"], json["totals"], json["failures"]};
}

/// 2 layers, 3 phases but for the first layer's dgrad; asp adds a sparse forward per layer.
TEST(Run, FunctionalChecksEveryDifferentGemmAndChangesNoFigure) {
  const TinyExperiment tiny;
  const ProgramResult plain = run_stcsim({"run", tiny.file(), "--format", "json"});
  const ProgramResult checked =
      run_stcsim({"run", tiny.file(), "--functional", "--format", "json"});
  ASSERT_EQ(checked.exit_code, 0) << checked.err;
  EXPECT_EQ(ordered_json::parse(checked.out)["checked_gemms"], 5 + 2);
  EXPECT_FALSE(ordered_json::parse(plain.out).contains("checked_gemms"));
  EXPECT_EQ(figures_of(checked), figures_of(plain));
  EXPECT_THAT(run_stcsim({"run", tiny.file(), "--functional"}).out,
              HasSubstr("values: C of 7 different GEMMs checked, as the reference computes it\n"));
}

/// The only pattern that approximate MVUE is defined for is 2:4.
TEST(Run, FunctionalFailsWhereThePruningDoesNotFitThePattern) {
  const TinyExperiment tiny;
  write_text(tiny.path("odd.yaml"),
             "name: odd\nforward: {tensor: weight, axis: c_in, pattern: \"1:4\", prune: "
             "mvue-approximate}\n");
  const std::vector<std::string> arguments{"run", tiny.file(), "--set", "schemes=[./odd.yaml]",
                                           "--functional"};
  const ProgramResult result = run_stcsim(arguments, {.working_directory = tiny.directory()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("stcsim run: failed: GEMM 128x128x64"));
  EXPECT_THAT(result.err, HasSubstr("2:4"));
}

/// Of two linear layers with 64 x 128 weights and 128 tokens a step, asp prunes both in forward.
TEST(Run, SaysHowMuchOfTheMultiplyAccumulatesRanSparse) {
  const TinyExperiment tiny;
  const ordered_json json =
      ordered_json::parse(run_stcsim({"run", tiny.file(), "--format", "json"}).out);
  double sparse = 0;
  double all = 0;
  for (const ordered_json& row : json["results"]) {
    if (row["op"] != "gemm" || row["scheme"] != "asp") continue;
    EXPECT_EQ(row["macs"], 64 * 128 * 128);
    EXPECT_EQ(row["sparse_macs"], row["ran_sparse"].get<bool>() ? 64 * 128 * 128 : 0);
    all += row["macs"].get<double>();
    sparse += row["sparse_macs"].get<double>();
  }
  EXPECT_EQ(json["totals"][0]["sparse_share"]["gemms"], 0.0);
  EXPECT_EQ(json["totals"][1]["scheme"], "asp");
  EXPECT_EQ(json["totals"][1]["sparse_share"]["gemms"], sparse / all);
  EXPECT_EQ(json["totals"][1]["sparse_share"]["wgrad"], 0.0);
}

TEST(Run, NotesSayWhatRanDense) {
  const TinyExperiment tiny;
  std::vector<std::string> arguments{"run", tiny.file(), "--set", "schemes=[dense, fst]"};
  const std::string note =
      "fst: no product of forward, dgrad, wgrad ran sparse on two_sms, tiny: none of its layers is "
      "pruned\n";
  const std::string brief = run_stcsim(arguments).out;
  EXPECT_THAT(brief, Not(HasSubstr(note)));
  EXPECT_THAT(brief, HasSubstr("\nnot affected (1): fst\n"));
  EXPECT_THAT(brief, HasSubstr("--notes (2 of what ran"));
  arguments.emplace_back("--notes");
  EXPECT_THAT(run_stcsim(arguments).out, HasSubstr(note));
}

TEST(Run, PrintsMarkdown) {
  const TinyExperiment tiny;
  const ProgramResult result = run_stcsim({"run", tiny.file(), "--format", "markdown"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_THAT(
      result.out,
      StartsWith("## tiny on two_sms\n\nSoftware: cuda12_search (dense cublas12 by search, sparse "
                 "cusparselt08 by search, convolutions cudnn8 by search).\n\nClock: 1410 MHz; the "
                 "dense step draws 81 W.\n\n| scheme "
                 "| forward |"));
  EXPECT_THAT(result.out, HasSubstr("\n| asp | 0.840x | 1.00x | 1.00x |"));
}

TEST(Run, PrintsTables) {
  const TinyExperiment tiny;
  const ProgramResult plain = run_stcsim({"run", tiny.file()});
  EXPECT_EQ(plain.exit_code, 0);
  EXPECT_EQ(plain.err, "");
  EXPECT_THAT(plain.out, StartsWith("tiny on two_sms: dense step "));
  EXPECT_THAT(plain.out, HasSubstr("\n\ntiny on two_sms\nscheme "));
  EXPECT_THAT(plain.out, HasSubstr("\nmore: --layers "));
  EXPECT_THAT(plain.out, Not(HasSubstr("tiny on two_sms: layers\n")));
  const ProgramResult layers = run_stcsim({"run", tiny.file(), "--layers"});
  EXPECT_THAT(layers.out, HasSubstr("\n\ntiny on two_sms: speedup over dense\n"));
  EXPECT_THAT(layers.out, HasSubstr("tiny on two_sms: layers\n"));
}

/// The default of the machine, one it is asked for, and none where a kernel is named.
TEST(Run, NamesTheSoftware) {
  const TinyExperiment tiny;
  const auto stacks = [&](const std::string& setting) {
    const ProgramResult result = run_stcsim(
        {"run", tiny.file(), "--format", "json", "--set", "schemes=[dense]", "--set", setting});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return ordered_json::parse(result.out)["totals"][0]["stack"];
  };
  EXPECT_EQ(stacks("dtype=fp16"),
            "cuda12_search (dense cublas12 by search, sparse cusparselt08 by search, convolutions "
            "cudnn8 by search)");
  EXPECT_EQ(stacks("stack=best"), "best (all kernels by search)");
  EXPECT_EQ(stacks("kernel=dense_64x64x32_s10"), "");
}

TEST(Run, SaysWhereSparsityLoses) {
  const TinyExperiment tiny;
  const ProgramResult table = run_stcsim({"run", tiny.file(), "--layers"});
  EXPECT_THAT(table.out, HasSubstr("\n\ntiny on two_sms, asp: where sparsity loses\n\nlayer "));
  EXPECT_THAT(run_stcsim({"run", tiny.file()}).out,
              HasSubstr("\nnext: stcsim explain --arch two_sms --layer tiny:"));
  const ProgramResult dense =
      run_stcsim({"run", tiny.file(), "--layers", "--set", "schemes=[dense]"});
  EXPECT_THAT(dense.out, Not(HasSubstr("where sparsity loses")));
}

/// The words that the user typed are there again, a file's path as well; with all schemes it is
/// another command.
TEST(Run, WithoutSchemesNamesTheCommandThatHasThem) {
  const TinyExperiment tiny;
  const std::string network = tiny.path("net.yaml");
  std::vector<std::string> words{"run",     "--network", network,   "--arch", "a100",
                                 "--batch", "1",         "--dtype", "bf16"};
  EXPECT_THAT(unwrapped(run_stcsim(words).out),
              ::testing::EndsWith("\nnext: stcsim run --network " + network +
                                  " --arch a100 --dtype bf16 --batch 1 --schemes all\n"));
  words.insert(words.end(), {"--phase", "inference", "--schemes", "All"});
  const ProgramResult all = run_stcsim(words);
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, Not(HasSubstr("--schemes all")));
}

/// A machine and a network of files are not known by their names.
TEST(Run, NextCallsFilesWhatTheyWereCalled) {
  const TinyExperiment tiny;
  const std::string network = tiny.path("net.yaml");
  const std::string machine = tiny.path("two.yaml");
  write_text(machine, "extends: a100\nname: two_sms\naccelerator: {num_sms: 2}\n");
  const std::string out =
      unwrapped(run_stcsim({"run", "--network", network, "--arch", machine, "--schemes", "asp",
                            "--framework", "ideal", "--set", "sparse_where=always"})
                    .out);
  const std::string mark = "\nnext: stcsim ";
  const std::size_t at = out.find(mark);
  ASSERT_NE(at, std::string::npos) << out;
  std::istringstream next(out.substr(at + mark.size()));
  const std::vector<std::string> words{std::istream_iterator<std::string>(next), {}};
  EXPECT_THAT(words, ::testing::IsSupersetOf({std::string("--arch"), machine}));
  EXPECT_THAT(words, ::testing::Contains(::testing::StartsWith(network + ":")));
  const ProgramResult explained = run_stcsim(words);
  EXPECT_EQ(explained.exit_code, 0) << explained.err;
}

/// Each shipped scheme stands in the table or in the line of those that change nothing.
TEST(Run, AllSchemesAreThoseThatAreShipped) {
  const TinyExperiment tiny;
  const std::vector<std::string> words{"run",  "--network", tiny.path("net.yaml"), "--arch",
                                       "a100", "--schemes", "sdgp-1:4,all"};
  const ProgramResult table = run_stcsim(words);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  std::string out = unwrapped(table.out);
  EXPECT_THAT(out, HasSubstr("\nnot affected ("));
  std::ranges::replace(out, ',', ' ');
  const std::string listed = run_stcsim({"list", "schemes"}).out;
  std::istringstream lines(listed);
  int schemes = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == ' ') continue;
    ++schemes;
    EXPECT_THAT(out, ::testing::ContainsRegex("[ \n]" + line.substr(0, line.find(' ')) + "[ \n]"));
  }
  EXPECT_GE(schemes, 21);
  const auto experiment =
      ordered_json::parse(run_stcsim({"list", "experiment", "--network", "resnet18", "--arch",
                                      "a100", "--schemes", "sdgp-1:4,all", "--format", "json"})
                              .out);
  EXPECT_EQ(experiment.at("schemes").size(), static_cast<std::size_t>(schemes) + 1);
  EXPECT_EQ(experiment.at("schemes").at(0).at("name"), "dense");
}

TEST(Run, TablesHave100ColumnsWhereThereIsNoTerminal) {
  const TinyExperiment tiny;
  const ProgramResult result =
      run_stcsim({"run", tiny.file(), "--layers", "--notes", "--set", "schemes=[dense, s-ste]"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (std::size_t at = 0; at < result.out.size();) {
    const std::size_t end = result.out.find('\n', at);
    const std::string line = result.out.substr(at, end - at);
    EXPECT_LE(display_width(line), 100U) << line;
    at = end + 1;
  }
}

/// An experiment without a file is that of the same YAML, byte for byte.
TEST(Run, NeedsNoFile) {
  const TinyExperiment tiny;
  write_text(tiny.path("two_sms.yaml"),
             "extends: a100\nname: two_sms\naccelerator: {num_sms: 2}\n");
  write_text(tiny.path("same.yaml"),
             "machines: [./two_sms.yaml]\nnetworks: [{name: ./net.yaml, batch: 3}]\n"
             "schemes: [asp, {name: sdgp, pattern: \"1:4\"}]\nphases: [forward, inference]\n"
             "dtype: bf16\n");
  const ProgramOptions there{.working_directory = tiny.directory()};
  for (const char* const format : {"json", "table"}) {
    const ProgramResult file = run_stcsim({"run", "same.yaml", "--format", format}, there);
    ASSERT_EQ(file.exit_code, 0) << file.err;
    const ProgramResult options = run_stcsim(
        {"run", "--network", "./net.yaml", "--arch", "./two_sms.yaml", "--schemes", "ASP,sdgp-1:4",
         "--phase", "Fprop,Inference", "--dtype", "BF16", "--batch", "3", "--format", format},
        there);
    EXPECT_EQ(options.err, "");
    // The next command of a file has that file.
    EXPECT_EQ(without_next(options.out), without_next(file.out));
  }
  EXPECT_EQ(run_stcsim({"list", "experiment", "--network", "./net.yaml", "--arch", "./two_sms.yaml",
                        "--set", "networks.0.batch=5"},
                       there)
                .exit_code,
            0);
}

/// Totals of the pass after training stand apart, in every form.
TEST(Run, InferenceIsApartFromTheTrainingStep) {
  const TinyExperiment tiny;
  const std::vector<std::string> arguments{"run", tiny.file(), "--set",
                                           "phases=[forward, Backward, update, inference]"};
  const ProgramResult table = run_stcsim(arguments);
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("\ntiny on two_sms, inference: dense pass "));
  EXPECT_THAT(table.out, HasSubstr("\ntiny on two_sms, inference\nscheme "));
  std::vector<std::string> more = arguments;
  more.insert(more.end(), {"--format", "json"});
  const ordered_json both = ordered_json::parse(run_stcsim(more).out);
  const ordered_json training =
      ordered_json::parse(run_stcsim({"run", tiny.file(), "--format", "json"}).out);
  ASSERT_EQ(both["totals"].size(), 4U);
  EXPECT_EQ(both["totals"][0], training["totals"][0]);
  EXPECT_EQ(both["totals"][2]["pass"], "inference");
  EXPECT_EQ(both["totals"][2]["optimizer"]["cycles"], 0);
}

TEST(Run, WritesEveryFileWhateverIsPrinted) {
  const TinyExperiment tiny;
  const std::string out = tiny.path("new/deep");
  const ProgramResult table = run_stcsim({"run", tiny.file(), "--layers", "--out", out});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(files_in(out), kFiles);
  // Of any width, where standard output has 100 columns.
  const std::string report = read_text(out + "/report.txt");
  // Its first line may be longer than that.
  EXPECT_EQ(report.substr(0, report.find(';')), table.out.substr(0, table.out.find(';')));
  // Its interval is of shipped errors, which every comparison with measurements makes anew.
  EXPECT_THAT(report, ContainsRegex("best asp, 39.3 us \\(0.938x, 0.7[0-9]*x..1.1[0-9]*x\\)"));
  EXPECT_THAT(report, HasSubstr("  utilisation  bound by "));
  EXPECT_THAT(table.out, HasSubstr("(too wide for: "));
  write_text(tiny.path("whole.json"), run_stcsim({"run", tiny.file(), "--format", "json"}).out);
  EXPECT_EQ(run_stcsim({"compare", out, tiny.path("whole.json")}).exit_code, 0);
  EXPECT_THAT(read_text(out + "/results.csv"), HasSubstr(",dense;asp,"));
  EXPECT_THAT(read_text(out + "/totals.csv"), StartsWith("machine,network,scheme,"));
}

TEST(Run, GivesTheSameBytesWhateverTheNumberOfJobs) {
  const TinyExperiment tiny;
  const std::string first = tiny.path("first");
  ASSERT_EQ(run_stcsim({"run", tiny.file(), "--out", first}).exit_code, 0);
  for (const char* jobs : {"2", "3", "auto"}) {
    const std::string again = tiny.path(jobs);
    ASSERT_EQ(run_stcsim({"run", tiny.file(), "--out", again, "--jobs", jobs}).exit_code, 0);
    for (const std::string& file : kFiles) {
      EXPECT_EQ(read_text(first + "/" + file), read_text(again + "/" + file)) << jobs << file;
    }
  }
}

TEST(Run, GivesTheSameBytesWithAndWithoutFastForward) {
  const TinyExperiment tiny;
  const ProgramResult plain = run_stcsim({"run", tiny.file(), "--format", "json"});
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  for (const char* choice : {"on", "off"}) {
    const ProgramResult result =
        run_stcsim({"run", tiny.file(), "--format", "json", "--fast-forward", choice});
    EXPECT_EQ(result.out, plain.out) << choice;
  }
}

TEST(Run, FindsTheExperimentFromItsOwnDirectory) {
  const TinyExperiment tiny;
  const ProgramResult here =
      run_stcsim({"run", "tiny.yaml"}, {.working_directory = tiny.directory()});
  EXPECT_EQ(here.exit_code, 0) << here.err;
  EXPECT_EQ(here.out, run_stcsim({"run", tiny.file()}).out);
}

TEST(Run, SetReplacesValuesInOrder) {
  const TinyExperiment tiny;
  const ProgramResult result =
      run_stcsim({"run", tiny.file(), "--format", "json", "--set", "networks.0.batch=5", "--set",
                  "machines.0.accelerator.num_sms=3", "--set", "networks.0.batch=7"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const ordered_json config = ordered_json::parse(result.out)["config"];
  EXPECT_EQ(config["networks"][0]["batch"], 7);
  EXPECT_EQ(config["machines"][0]["accelerator"]["num_sms"], 3);
}

TEST(Run, NamesThePlaceOfAMistake) {
  const TinyExperiment tiny;
  write_text(tiny.file(), "machines: [a100]\nnetworks: [./net.yaml]\nschemse: [dense]\n");
  const ProgramResult result = run_stcsim({"run", tiny.file()});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, StartsWith(tiny.file() + ":3:1: error: unknown key 'schemse'"));
}

}  // namespace
}  // namespace stcsim
