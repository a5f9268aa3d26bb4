// Texts that are not what they should be: no UTF-8, too long, without rows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/program.hpp"
#include "tests/cli/tiny_experiment.hpp"

namespace stcsim {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class InputText : public testing::Test {
 protected:
  /// What is said of a run of tiny.yaml with the network in the file `name`.
  ProgramResult run_network(const std::string& name, const std::string& text) {
    write_text(tiny_.path(name), text);
    return run_stcsim({"run", tiny_.file(), "--set", "networks.0=" + tiny_.path(name)});
  }

  TinyExperiment tiny_;
};

const std::string kLatin1 =
    " error: byte 0xe9 is not UTF-8 (is the text Latin-1?), must be text in UTF-8\n";
const std::string kUtf16 = " error: the text is UTF-16, must be UTF-8\n";

TEST_F(InputText, Latin1IsNamedWithItsPlace) {
  const ProgramResult network = run_network("n.yaml", "name: x\ndescription: caf\xE9\n");
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_EQ(network.err, tiny_.path("n.yaml") + ":2:17:" + kLatin1);
  write_text(tiny_.path("g.json"), "{\"schema\": \"\xE9\"}");
  const ProgramResult golden = run_stcsim({"check", tiny_.path("g.json")});
  EXPECT_EQ(golden.exit_code, 2);
  EXPECT_EQ(golden.err, tiny_.path("g.json") + ":1:13:" + kLatin1);
  write_text(tiny_.path("t.csv"), "source,gpu\nM\xE9,A100\n");
  const ProgramResult table = run_stcsim({"evidence", "rows", tiny_.path("t.csv")});
  EXPECT_EQ(table.exit_code, 2);
  EXPECT_EQ(table.err, tiny_.path("t.csv") + ":2:2:" + kLatin1);
}

TEST_F(InputText, Utf16IsNamed) {
  const std::string utf16("\xFF\xFEn\0a\0m\0e\0", 10);
  for (const char* name : {"n.csv", "n.yaml"}) {
    const ProgramResult result = run_network(name, utf16);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, tiny_.path(name) + ":1:1:" + kUtf16);
  }
  write_text(tiny_.path("g.json"), utf16);
  const ProgramResult golden = run_stcsim({"check", tiny_.path("g.json")});
  EXPECT_EQ(golden.exit_code, 2);
  EXPECT_EQ(golden.err, tiny_.path("g.json") + ":1:1:" + kUtf16);
}

TEST_F(InputText, ATopologyIsWrittenAsANetworkFirst) {
  const ProgramResult result = run_network("n.csv", "Layer,M,N,K\na,8,8,8\n");
  const std::string file = tiny_.path("n.csv");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err,
              HasSubstr(file + ": error: it is a SCALE-Sim topology; 'python3 -m stcsim.topology " +
                        file + "' writes it as a network"));
}

TEST_F(InputText, TrainingInIntegersIsSaid) {
  const ProgramResult training = run_stcsim({"run", tiny_.file(), "--set", "dtype=int8"});
  EXPECT_EQ(training.exit_code, 0);
  EXPECT_EQ(
      training.err,
      "stcsim run: note: dtype is int8: the gradients of dgrad and wgrad are int8 too, in which "
      "no published scheme trains; for inference set phases=[inference]\n");
  for (const char* phases : {"phases=[inference]", "phases=[forward]"}) {
    const ProgramResult inference =
        run_stcsim({"run", tiny_.file(), "--set", "dtype=int8", "--set", phases});
    EXPECT_EQ(inference.exit_code, 0);
    EXPECT_EQ(inference.err, "");
  }
}

TEST_F(InputText, NamesOfFilesMayBeAnyBytes) {
  const std::string npy = tiny_.path("caf\xE9.npy");
  ASSERT_EQ(run_stcsim({"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input",
                        "normal:8x8", "--output", npy})
                .exit_code,
            0);
  const ProgramResult result = run_stcsim(
      {"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input", npy, "--format", "json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(InputText, NamesInOptionsAreUtf8) {
  const ProgramResult result = run_stcsim({"run", "--network", "caf\xE9", "--arch", "a100"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "stcsim run: error: --network is 'caf\uFFFD', must be text in UTF-8\n");
}

TEST_F(InputText, WhatATerminalActsOnIsNotEchoed) {
  const ProgramResult result =
      run_network("n.yaml", "name: x\nbatch: \"\\e[31m\\x9b\\u202E\"\nlayers: []\n");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, tiny_.path("n.yaml") +
                            ":2:8: error: 'batch' is the text \" [31m  \", must be a whole number "
                            "of at least 1\n");
  const std::string npy = tiny_.path("x.npy");
  write_text(npy, std::string("\x93NUMPY\x01\0\x10\0{'caf\xE9': 1}     ", 26));
  const ProgramResult tensor =
      run_stcsim({"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input", npy});
  EXPECT_EQ(tensor.exit_code, 2);
  EXPECT_THAT(tensor.err, HasSubstr("caf\uFFFD"));
}

TEST_F(InputText, AConfigurationHasAtMost8MiB) {
  std::string text = "name: x\n";
  while (text.size() <= std::size_t{8} << 20U) text += "# " + std::string(97, 'x') + "\n";
  const ProgramResult result = run_network("n.yaml", text);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "stcsim run: error: cannot read " + tiny_.path("n.yaml") +
                            ": it is larger than 8 MiB, must be a configuration file\n");
}

/// Whatever is given in place of a file, it is not read for ever.
TEST_F(InputText, EndlessFilesAreRefused) {
  const ProgramResult table = run_stcsim({"evidence", "rows", "/dev/zero"});
  EXPECT_EQ(table.exit_code, 2);
  EXPECT_EQ(
      table.err,
      "stcsim evidence rows: error: cannot read /dev/zero: it is larger than 64 MiB, must be a "
      "table\n");
  const ProgramResult tensor =
      run_stcsim({"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input", "/dev/zero"});
  EXPECT_EQ(tensor.exit_code, 2);
  EXPECT_THAT(tensor.err, StartsWith("/dev/zero: error: is not a NumPy file (.npy)"));
}

TEST_F(InputText, LongInputIsCutInMessages) {
  const std::string large(100'000, 'x');
  const ProgramResult gemm =
      run_stcsim({"gemm", "--arch", "a100", "--m", large, "--n", "8", "--k", "8"});
  EXPECT_EQ(gemm.exit_code, 2);
  EXPECT_LT(gemm.err.size(), 250U);
  EXPECT_THAT(gemm.err, HasSubstr("…"));
  const ProgramResult set = run_stcsim({"run", tiny_.file(), "--set", "a.b=" + large});
  EXPECT_EQ(set.exit_code, 2);
  EXPECT_LT(set.err.size(), 420U) << set.err;
  const ProgramResult curves = run_stcsim({"tta", "--curves-only", "/" + large});
  EXPECT_EQ(curves.exit_code, 2);
  EXPECT_LT(curves.err.size(), 350U) << curves.err;
  EXPECT_THAT(curves.err, HasSubstr("File name too long"));
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"page", "/" + large},
           {"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input", large},
           {"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input", large + ".npy"},
           {"prune", "--scheme", "magnitude", "--pattern", "2:4", "--input",
            large + ".safetensors"},
           {"gemm", "--arch", "a100", "8", "8", "8", "--functional", "--operand-a", large}}) {
    const ProgramResult result = run_stcsim(command);
    EXPECT_EQ(result.exit_code, 2) << command.front();
    EXPECT_LT(result.err.size(), 420U) << result.err;
    EXPECT_THAT(result.err, HasSubstr("…"));
  }
}

TEST_F(InputText, ATableWithoutRowsIsAnError) {
  const std::string header =
      "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,pattern,note\n";
  write_text(tiny_.path("t.csv"), header);
  const ProgramResult result = run_stcsim({"evidence", "rows", tiny_.path("t.csv")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err, tiny_.path("t.csv") +
                            ": error: the table has no rows, must have at least one measurement\n");
}

TEST_F(InputText, AMisspeltColumnOfATableIsAnError) {
  write_text(tiny_.path("t.csv"),
             "source,gpu,dtype,M,N,K,layout,dense_value,sparse_value,unit,speedup,pattern,notes\n"
             "s,A100,fp16,8,8,8,,1,1,us,,2:4,\n");
  const ProgramResult result = run_stcsim({"evidence", "rows", tiny_.path("t.csv")});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            tiny_.path("t.csv") + ":1:77: error: unknown column 'notes'; did you mean 'note'?\n");
}

}  // namespace
}  // namespace stcsim
