#include "tests/unit/workloads/hostile_files.hpp"

#include <array>
#include <random>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "common/error.hpp"
#include "pruning/safetensors.hpp"
#include "sim/config/experiment_config.hpp"
#include "tests/unit/config/scratch_folder.hpp"
#include "tests/unit/pruning/checkpoint_writer.hpp"
#include "tests/unit/workloads/model_configs.hpp"
#include "tests/unit/workloads/onnx_writer.hpp"
#include "tests/unit/workloads/trace_writer.hpp"
#include "workloads/files/import.hpp"
#include "workloads/lowering.hpp"

namespace stcsim {
namespace {

/// Reads a file as whoever names it would; a checkpoint as `prune` does.
bool is_read(const std::string& file, const std::string& name) {
  try {
    if (name.ends_with(".safetensors")) {
      (void)pruning::read_safetensors_header(file);
      return true;
    }
    const ImportedNetwork read = import_network(file, {});
    for (const Layer& layer : read.network.layers) {
      for (const Phase phase : kPhases) (void)lower(layer, phase, read.network.batch);
    }
    (void)read.network.parameters();
    return true;
  } catch (const ConfigError& error) {
    EXPECT_GT(std::string(error.what()).size(), 10U);
    return false;
  } catch (const std::exception& error) {
    ADD_FAILURE() << error.what();
    return false;
  }
}

}  // namespace

std::vector<ModelSample> model_samples() {
  const std::string trace = small_training_step(true).text();
  pruning::CheckpointWriter checkpoint;
  checkpoint.add("a.weight", "F16", {4, 8}, std::string(64, '\1'));
  checkpoint.add("b.weight", "F32", {4, 2}, std::string(32, '\2'));
  OnnxWriter onnx;
  const std::string x = onnx.input("x", {0, 8, 16, 16});
  const std::string conv =
      onnx.node("Conv", {x, onnx.weight({8, 4, 3, 3})},
                {OnnxWriter::ints("pads", {1, 1, 1, 1}), OnnxWriter::integer("group", 2)});
  onnx.node("Gemm",
            {onnx.node("Flatten", {onnx.node("GlobalAveragePool", {conv})}), onnx.weight({8, 10})});
  return {
      {"a.json", bert_config("BertForPreTraining", 64, 2).dump()},
      {"b.json", llama_config("mixtral", "MixtralForCausalLM", 64, 2, 4, 2, 128, 1000,
                              {{"num_local_experts", 8}, {"sliding_window", 32}})
                     .dump()},
      {"c.json", vit_config(64, 2, 64).dump()},
      {"d.json", nlohmann::json{{"model_type", "t5"}, {"d_model", 64}}.dump()},
      {"e.csv", "m,n,k,count,phase,pattern,batch\n8,16,32,2,forward,2:4,1\n8,8,8,1,wgrad,,4\n"},
      {"g.json", trace},
      {"h.json.gz", compressed(trace)},
      {"i.onnx", onnx.text()},
      {"j.onnx", onnx_of_bert(64, 1, 16, 100, true)},
      {"k.onnx", onnx_of_bert(64, 1, 16, 100, false)},
      {"l.safetensors", checkpoint.text()},
  };
}

std::string mutated(std::string text, std::uint64_t seed) {
  constexpr std::array<const char*, 16> kPieces{"NaN",
                                                "-1",
                                                "1e999",
                                                "99999999999999999999",
                                                "9223372036854775807",
                                                "0",
                                                "null",
                                                "{",
                                                "[[[[",
                                                "\"",
                                                ",",
                                                "\xff\xff\xff\xff\x7f",
                                                "\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
                                                "\\ud800",
                                                "true",
                                                ":"};
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t most) { return static_cast<std::size_t>(random() % most); };
  const std::size_t changes = 1 + below(4);
  for (std::size_t change = 0; change < changes && !text.empty(); ++change) {
    const std::size_t at = below(text.size());
    const std::size_t length = 1 + below(std::min<std::size_t>(32, text.size() - at));
    switch (below(7)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ 1U << below(8));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      case 4:
        text.replace(at, length, kPieces.at(below(kPieces.size())));
        break;
      case 5:
        text.insert(at, kPieces.at(below(kPieces.size())));
        break;
      default: {  // a number becomes another one
        const std::size_t digit = text.find_first_of("0123456789", at);
        if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(10));
        if (digit != std::string::npos && below(3) == 0) text.insert(digit, "99999999");
        break;
      }
    }
  }
  if (below(8) == 0) text.resize(below(text.size() + 1));
  return text;
}

std::int64_t import_mutated(std::uint64_t first, std::int64_t count) {
  const std::vector<ModelSample> samples = model_samples();
  const ScratchFolder folder;
  std::int64_t read = 0;
  for (std::int64_t at = 0; at < count; ++at) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(at);
    const ModelSample& sample = samples[seed % samples.size()];
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + sample.name);
    const std::string file = folder.write(sample.name, mutated(sample.text, seed));
    read += is_read(file, sample.name) ? 1 : 0;
  }
  return read;
}

std::int64_t peak_memory() {
#if defined(STCSIM_SANITIZED)
  return 0;
#else
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} << 10;
#endif
}

}  // namespace stcsim
