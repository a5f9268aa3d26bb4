// Every way to use the program wrongly: exit code 2, no data, one exact line on stderr.
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_sweep.hpp"

namespace stcsim {
namespace {

struct Misuse {
  const char* name;
  std::vector<std::string> arguments;
  std::string message;

  friend std::ostream& operator<<(std::ostream& out, const Misuse& misuse) {
    return out << misuse.name;
  }
};

std::vector<std::string> gemm_with(std::vector<std::string> more) {
  std::vector<std::string> arguments{"gemm", "--arch", "a100", "--m", "8", "--n", "8", "--k", "8"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::vector<std::string> gemm_of_size(const std::string& m) {
  return {"gemm", "--arch", "a100", "--m", m, "--n", "8", "--k", "8"};
}

const std::string kSize = "', must be a whole number from 1 to 1000000000";
const std::string kAnyArch = ", e.g. --arch a100 ('stcsim list arch' shows all)";
const std::string kPatterns =
    "dense, n:m (n kept out of m) with 1 <= n <= m <= 128, e.g. 2:4, 'n:m pairs' with both even, "
    "e.g. '4:8 pairs', V:2:m with m from 4, e.g. 128:2:10, or 'n:m outputs'";
const std::string kCommandMissing = "stcsim: error: COMMAND is missing; 'stcsim --help' lists them";
const std::string kPattern =
    "', must be dense, n:m (n kept out of m) with 1 <= n <= m <= 128, e.g. 2:4, 'n:m pairs' with "
    "both even, e.g. '4:8 pairs', V:2:m with m from 4, e.g. 128:2:10, or 'n:m outputs'";

const std::vector<Misuse> kProgramMisuses{
    {"NoCommand", {}, kCommandMissing},
    {"UnknownCommand",
     {"frobnicate"},
     "stcsim: error: unknown command 'frobnicate'; 'stcsim --help' lists them"},
    {"MisspeltCommand", {"gem"}, "stcsim: error: unknown command 'gem'; did you mean 'gemm'?"},
    {"UnknownTopic", {"help", "rnu"}, "stcsim: error: unknown command 'rnu'; did you mean 'run'?"},
    {"TwoTopics", {"help", "run", "list"}, "stcsim: error: unexpected argument 'list'"},
    {"MisspeltProgramOption",
     {"--verson"},
     "stcsim: error: unknown option '--verson'; did you mean '--version'?"},
    {"MoreThanVersion", {"--version", "now"}, "stcsim: error: unexpected argument 'now'"},
};

const std::vector<Misuse> kSyntaxMisuses{
    {"MisspeltOption",
     {"gemm", "--arhc", "a100"},
     "stcsim gemm: error: unknown option '--arhc'; did you mean '--arch'?"},
    {"PrefixOfAnOption",
     {"gemm", "--arc=a100"},
     "stcsim gemm: error: unknown option '--arc'; did you mean '--arch'?"},
    {"UnknownShortOption", {"gemm", "-x"}, "stcsim gemm: error: unknown option '-x'"},
    {"NoValueAtTheEnd", {"gemm", "--m"}, "stcsim gemm: error: --m needs a value"},
    {"EmptyValueAfterEquals", {"gemm", "--m="}, "stcsim gemm: error: --m needs a value"},
    {"EmptyValue", gemm_of_size(""), "stcsim gemm: error: --m is empty"},
    {"OptionAsValue",
     {"gemm", "--m", "--n", "5"},
     "stcsim gemm: error: --m needs a value, not '--n'"},
    {"ValueForAFlag",
     {"gemm", "--functional=1"},
     "stcsim gemm: error: --functional takes no value"},
    {"RepeatedOption", gemm_with({"--m", "9"}), "stcsim gemm: error: --m is given twice"},
    {"RepeatedFlag", gemm_with({"--functional", "--functional"}),
     "stcsim gemm: error: --functional is given twice"},
    {"SuperfluousArgument", gemm_with({"9"}), "stcsim gemm: error: --m is given twice, as '9' too"},
    {"FourthArgument", {"gemm", "8", "8", "8", "9"}, "stcsim gemm: error: unexpected argument '9'"},
    {"NetworkAsSize",
     {"explain", "resnet50", "--arch", "a100"},
     "stcsim explain: error: --m is 'resnet50" + kSize +
         "; a layer of that network is --layer resnet50:NAME"},
    {"KiloOfNothing", gemm_of_size("k"), "stcsim gemm: error: --m is 'k" + kSize},
    {"NetworkAsExperiment",
     {"run", "resnet18", "--arch", "h100_sxm"},
     "stcsim run: error: EXPERIMENT is 'resnet18', which is a network: say --network resnet18 "
     "--arch h100_sxm"},
    {"Fp32", gemm_with({"--dtype", "float32"}),
     "stcsim gemm: error: --dtype is 'float32', must be tf32, which tensor cores run fp32 as, or "
     "fp16 or bf16"},
    {"GpuThatIsNotModelled",
     {"gemm", "8", "8", "8", "--arch", "RTX-A6000"},
     "stcsim gemm: error: machine 'RTX-A6000' is not modelled; the nearest is rtx3090 ('stcsim "
     "list arch' shows all), and docs/questions.md says how to add one"},
    {"AmdGpu",
     {"gemm", "8", "8", "8", "--arch", "MI250X"},
     "stcsim gemm: error: machine 'MI250X' is not modelled ('stcsim list arch' shows all), and "
     "docs/questions.md says how to add one"},
    {"MissingMachine", {"gemm", "--m", "8"}, "stcsim gemm: error: --arch is missing" + kAnyArch},
    {"SizesWithoutMachine",
     {"gemm", "1024", "8192", "1024"},
     "stcsim gemm: error: --arch is missing" + kAnyArch},
    {"Fp8", gemm_with({"--dtype", "fp8"}),
     "stcsim gemm: error: --dtype is 'fp8', must be fp8_e4m3, or fp8_e5m2, whose range gradients "
     "need"},
    {"Fp4", gemm_with({"--dtype", "FP4"}), "stcsim gemm: error: --dtype is 'FP4', must be nvfp4"},
    {"HalfOfZeros", gemm_with({"--sparsity", "50%"}),
     "stcsim gemm: error: --sparsity is '50%', must be " + kPatterns + "; 50 % of zeros is 2:4"},
    {"SevenEighthsOfZeros", gemm_with({"--sparsity", "87.5%"}),
     "stcsim gemm: error: --sparsity is '87.5%', must be " + kPatterns +
         "; 87.5 % of zeros is 1:8"},
    {"ShareNoPatternHas", gemm_with({"--sparsity", "33%"}),
     "stcsim gemm: error: --sparsity is '33%', must be " + kPatterns},
    {"VersionOfSomething", {"version", "1"}, "stcsim: error: unexpected argument '1'"},
    {"MissingSize", {"gemm", "--arch", "a100", "--m", "8"}, "stcsim gemm: error: --n is missing"},
    {"TooManyWords", std::vector<std::string>(10'002, "run"),
     "stcsim run: error: 10001 arguments are too many, must be 10000 at most"},
    {"ControlCharacters", gemm_of_size("1\n\x1b[31m"),
     "stcsim gemm: error: --m is '1  [31m" + kSize},
};

const std::vector<Misuse> kNumberMisuses{
    {"NotANumber", gemm_of_size("many"), "stcsim gemm: error: --m is 'many" + kSize},
    {"TrailingLetter", gemm_of_size("12x"), "stcsim gemm: error: --m is '12x" + kSize},
    {"Fraction", gemm_of_size("1.5"), "stcsim gemm: error: --m is '1.5" + kSize},
    {"Exponent", gemm_of_size("1e9999"), "stcsim gemm: error: --m is '1e9999" + kSize},
    {"Zero", gemm_of_size("0"), "stcsim gemm: error: --m is '0" + kSize},
    {"Negative", gemm_of_size("-5"), "stcsim gemm: error: --m is '-5" + kSize},
    {"AboveTheLimit", gemm_of_size("1000000001"), "stcsim gemm: error: --m is '1000000001" + kSize},
    {"Above64Bits", gemm_of_size("1180591620717411303424"),
     "stcsim gemm: error: --m is '1180591620717411303424" + kSize},
    {"TooManyMacs",
     {"gemm", "--arch", "a100", "--m", "1000000000", "--n", "1000000000", "--k", "8"},
     "stcsim gemm: error: the GEMM: m*n*k*batch_count overflows; it must stay below "
     "576460752303423487"},
    {"BatchOfZero", gemm_with({"--batch-count", "0"}),
     "stcsim gemm: error: --batch-count is '0" + kSize},
    {"NoCandidates", gemm_with({"--candidates", "0"}),
     "stcsim gemm: error: --candidates is '0', must be a whole number from 1 to 100000"},
    {"NoJobs",
     {"run", "quick", "--jobs", "0"},
     "stcsim run: error: --jobs is '0', must be a whole number from 1 to 1024"},
    {"NegativeRtol",
     {"check", "x.json", "--rtol", "-1"},
     "stcsim check: error: --rtol is '-1', must be a finite number from 0"},
    {"HugeRtol",
     {"check", "x.json", "--rtol", "1e9999"},
     "stcsim check: error: --rtol is '1e9999', must be a finite number from 0"},
};

const std::vector<Misuse> kValueMisuses{
    {"NoPattern", gemm_with({"--sparsity", "half"}),
     "stcsim gemm: error: --sparsity is 'half" + kPattern},
    {"ReversedPattern", gemm_with({"--sparsity", "4:2"}),
     "stcsim gemm: error: --sparsity is '4:2" + kPattern},
    {"OddPairs", gemm_with({"--sparsity", "3:8 pairs"}),
     "stcsim gemm: error: --sparsity is '3:8 pairs" + kPattern},
    {"MisspeltType", gemm_with({"--dtype", "fp61"}),
     "stcsim gemm: error: --dtype is 'fp61', must be one of fp16, bf16, tf32, int8, int4, "
     "fp8_e4m3, fp8_e5m2, nvfp4; did you mean 'fp16'?"},
    {"TypeTheMachineLacks", gemm_with({"--dtype", "fp8_e4m3"}),
     "stcsim gemm: error: a100 does not multiply fp8_e4m3; it has fp16, bf16, tf32, int8, int4"},
    {"UnknownLayout", gemm_with({"--layout", "tr"}),
     "stcsim gemm: error: --layout is 'tr', must be one of tn, nn, nt, tt; did you mean 'tn'?"},
    {"MisspeltKernel", gemm_with({"--kernel", "dense_128x256x32_s4"}),
     "stcsim gemm: error: --kernel is 'dense_128x256x32_s4', must be auto or a kernel of a100 "
     "('stcsim list kernels --arch a100' shows all); did you mean 'dense_128x256x32_s3'?"},
    {"FastForwardMaybe", gemm_with({"--fast-forward", "true"}),
     "stcsim gemm: error: --fast-forward is 'true', must be one of on, off"},
    {"UnknownKind",
     {"list", "arhc"},
     "stcsim list: error: KIND is 'arhc', must be one of arch, libraries, workloads, schemes, "
     "frameworks, experiments, spaces, costs, systems, papers, models, layers, kernels, fields, "
     "schema, "
     "units, yaml, profile, machines, "
     "networks; "
     "did you "
     "mean "
     "'arch'?"},
    {"UnknownPaper",
     {"evidence", "papers", "sdpg"},
     "stcsim evidence papers: error: no paper 'sdpg'; did you mean 'sdgp'?"},
    {"UnknownAction",
     {"evidence", "row", "mine.csv"},
     "stcsim: error: unknown command 'evidence row'; did you mean 'rows'?"},
    {"UnlikelyAction",
     {"evidence", "frobnicate"},
     "stcsim: error: unknown command 'evidence frobnicate'; 'stcsim --help' lists them"},
    {"MisspeltSetKey", gemm_with({"--set", "accelerator.num_sm=3"}),
     "stcsim gemm: error: --set accelerator.num_sm=3: unknown key 'num_sm' in 'accelerator'; did "
     "you mean 'num_sms'?"},
    {"SetWithoutValue",
     {"run", "quick", "--set", "dtype"},
     "stcsim run: error: --set dtype: no '=', must be key=value such as networks.0.batch=32"},
};

const std::vector<Misuse> kIneffectiveOptions{
    {"FlipOfADenseGemm", gemm_with({"--functional", "--flip-metadata-bit", "4"}),
     "stcsim gemm: error: --flip-metadata-bit has no effect on a dense GEMM, only with --sparsity"},
    {"SampledValuesInClosedForm", gemm_with({"--functional", "--sampled"}),
     "stcsim gemm: error: --sampled goes with --functional only where values decide the time, with "
     "--detail stages: else every CTA is simulated with its values"},
    {"CandidatesOfANamedKernel",
     gemm_with({"--kernel", "dense_128x256x32_s3", "--candidates", "2"}),
     "stcsim gemm: error: --candidates has no effect with --kernel dense_128x256x32_s3, only with "
     "auto"},
    {"LayersOfJson",
     {"run", "quick", "--format", "json", "--layers"},
     "stcsim run: error: --layers has an effect with --format table only"},
    {"ArchOfSchemes",
     {"list", "schemes", "--arch", "a100"},
     "stcsim list: error: --arch has no effect without 'kernels' or 'units'"},
    {"FormatOfMachines",
     {"list", "arch", "--format", "markdown"},
     "stcsim list: error: --format can be 'markdown' of 'schemes' and 'fields' only"},
    {"BatchOfKernels",
     {"list", "kernels", "--arch", "a100", "--batch", "3"},
     "stcsim list: error: --batch has no effect without 'layers'"},
    {"SchemaOfSchemes",
     {"list", "schemes", "--format", "schema"},
     "stcsim list: error: --format can be 'schema' of 'fields' only"},
    {"DrawsOfWhatIsNotEstimated",
     {"prune", "--scheme", "random", "--pattern", "2:4", "--input", "normal:8x8", "--draws", "4",
      "--allow-non-finite"},
     "stcsim prune: error: --draws has no effect with --allow-non-finite: nothing is estimated"},
    {"SeedOfWhatIsNotRandom",
     {"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input", "constant:8x8", "--seed",
      "4"},
     "stcsim prune: error: --seed has no effect on the scheme magnitude and an input that is not "
     "random"},
    {"OverheadOfDenseTraining",
     {"run", "quick", "--set", "schemes=[dense]", "--no-overhead"},
     "stcsim run: error: --no-overhead has no effect: no scheme of the experiment spends anything "
     "on pruning"},
    {"PruningOfDenseTraining",
     {"run", "quick", "--set", "schemes=[dense]", "--pruning-kernels", "fused"},
     "stcsim run: error: --pruning-kernels has no effect: no scheme of the experiment spends "
     "anything on pruning"},
    {"PruningKernelsOfNoKind",
     {"run", "quick", "--pruning-kernels", "both"},
     "stcsim run: error: --pruning-kernels is 'both', must be separate or fused"},
};

const std::vector<Misuse> kFileMisuses{
    {"NoExperiment", {"run"}, "stcsim run: error: EXPERIMENT is missing, or --network and --arch"},
    {"NetworkOnNoMachine",
     {"run", "--network", "resnet50"},
     "stcsim run: error: --arch is missing" + kAnyArch},
    {"PatternAsScheme",
     {"run", "--network", "resnet50", "--arch", "a100", "--schemes", "asp,2:8"},
     "stcsim run: error: --schemes: '2:8' is a pattern, must be a scheme, which says what has it: "
     "asp or slope (2:4), or sdgp-2:8"},
    {"ModelOnHuggingFace",
     {"run", "--network", "meta-llama/Llama-3.2-1B", "--arch", "a100"},
     "stcsim run: error: --network: network file 'meta-llama/Llama-3.2-1B' does not exist; if it "
     "is a model on Hugging Face, save its config.json and name that file"},
    {"SpaceWithoutAction",
     {"sweep", "nm.yaml"},
     "stcsim sweep: error: ACTION is missing before 'nm.yaml', must be one of plan, run, status, "
     "merge, pareto, export, as in 'stcsim sweep run nm.yaml'"},
    {"ActionWithoutSpace", {"sweep", "run"}, "stcsim sweep: error: SPACE is missing"},
    {"NothingToCompare",
     {"compare"},
     "stcsim compare: error: A is missing: two results, as in 'stcsim compare before.json "
     "now.json'"},
    {"MisspeltNetwork",
     {"run", "--network", "resnet50,resnet5", "--arch", "a100"},
     "stcsim run: error: --network: unknown network 'resnet5', must be a path or a shipped one "
     "such "
     "as resnet50, resnet152, resnet18 ('stcsim list workloads' shows all)"},
    {"NothingBetweenCommas",
     {"run", "--network", "resnet50", "--arch", "a100", "--schemes", "asp,"},
     "stcsim run: error: --schemes is 'asp,', must be names with ',' between them"},
    {"MisspeltPhase",
     {"run", "--network", "resnet50", "--arch", "a100", "--phase", "forward,wgrat"},
     "stcsim run: error: --phase is 'forward,wgrat', must be forward, dgrad, wgrad (or fprop, "
     "backward, update) or inference, with ',' between them"},
    {"TypeNoMachineHas",
     {"run", "--network", "resnet50", "--arch", "a100", "--dtype", "fp8_e4m3"},
     "stcsim run: error: --dtype: machine 'a100' does not multiply fp8_e4m3, must be one of fp16, "
     "bf16, tf32, int8, int4"},
    {"NoAction", {"evidence"}, "stcsim: error: 'evidence' needs another word: rows, trace, papers"},
    {"NoActionButHelp", {"new", "--help"}, "stcsim: error: 'new' needs another word: machine"},
    {"NoMachine", {"list", "machine"}, "stcsim list machine: error: MACHINE is missing"},
    {"NoGolden", {"check"}, "stcsim check: error: GOLDEN is missing"},
    {"NoOutput", {"record", "quick"}, "stcsim record: error: --output is missing"},
    {"LayersOfWhat", {"list", "layers"}, "stcsim list: error: NETWORK is missing"},
    {"NetworkOfSchemes",
     {"list", "schemes", "resnet50"},
     "stcsim list: error: unexpected argument 'resnet50'"},
    {"KernelsOfWhat", {"list", "kernels"}, "stcsim list: error: --arch is missing" + kAnyArch},
    {"AbsentExperiment",
     {"run", "/no/such.yaml"},
     "stcsim run: error: experiment file '/no/such.yaml' does not exist"},
    {"AbsentGolden",
     {"check", "/no/such.json"},
     "stcsim check: error: cannot read /no/such.json: No such file or directory"},
    {"ImpossibleOut",
     {"run", "quick", "--out", "/proc/no/such"},
     "stcsim run: error: cannot create directory /proc/no/such: No such file or directory"},
    {"ImpossibleCache",
     {"run", "quick", "--cache", "/proc/no/such"},
     "stcsim run: error: cannot keep results in '/proc/no/such': No such file or directory; must "
     "be a directory that can be written, or a path where one can be made"},
    {"NoCacheName", {"run", "quick", "--cache", ""}, "stcsim run: error: --cache is empty"},
    {"OutputInNoDirectory", gemm_with({"--output", "/no/such/file"}),
     "stcsim gemm: error: cannot write /no/such/file: No such file or directory"},
    {"RecordIntoNoDirectory",
     {"record", "quick", "-o", "/no/such/file"},
     "stcsim record: error: cannot write /no/such/file: No such file or directory"},
};

class UsageError : public testing::TestWithParam<Misuse> {};

TEST_P(UsageError, IsOneLineAndExitCode2) {
  const ProgramResult result = run_stcsim(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, GetParam().message + "\n");
}

std::string name_of(const testing::TestParamInfo<Misuse>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Program, UsageError, testing::ValuesIn(kProgramMisuses), name_of);
INSTANTIATE_TEST_SUITE_P(Syntax, UsageError, testing::ValuesIn(kSyntaxMisuses), name_of);
INSTANTIATE_TEST_SUITE_P(Number, UsageError, testing::ValuesIn(kNumberMisuses), name_of);
INSTANTIATE_TEST_SUITE_P(Value, UsageError, testing::ValuesIn(kValueMisuses), name_of);
INSTANTIATE_TEST_SUITE_P(Ineffective, UsageError, testing::ValuesIn(kIneffectiveOptions), name_of);
INSTANTIATE_TEST_SUITE_P(File, UsageError, testing::ValuesIn(kFileMisuses), name_of);

TEST(Sweep, RefusesWhatMakesNoSense) {
  const TinySweep sweep;
  const auto error = [&](const std::string& action, const std::vector<std::string>& more) {
    return sweep.run(action, more).err;
  };
  EXPECT_EQ(error("run", {"--shard", "4/3"}),
            "stcsim sweep: error: --shard is '4/3', must be i/n with 1 <= i <= n <= 100000, e.g. "
            "3/16\n");
  EXPECT_EQ(error("plan", {"--retry-failed"}),
            "stcsim sweep: error: --retry-failed has no effect on 'plan'\n");
  EXPECT_EQ(error("pareto", {}),
            "stcsim sweep: error: --min or --max is missing: the columns to compare\n");
  EXPECT_EQ(error("merge", {}), "stcsim sweep: error: FILE is missing: the files to merge\n");
  EXPECT_EQ(error("status", {}),
            "stcsim sweep: error: there is no file '" + sweep.results() + "'\n");
  EXPECT_EQ(
      error("run", {"--set", "machines.0.accelerator.dram.channels=0"}),
      "stcsim sweep: error: --set machines.0.accelerator.dram.channels=0: 'channels' is '0', must "
      "be a whole number from 1 to 65536, at machine.accelerator.num_sms 1, "
      "machine.accelerator.sm.operand_selector.b_bytes_per_clk 64, gemm 64x64x256, gemm.pattern "
      "dense\n");
}

}  // namespace
}  // namespace stcsim
