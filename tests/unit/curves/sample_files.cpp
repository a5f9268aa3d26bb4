#include "tests/unit/curves/sample_files.hpp"

#include "tests/support/temporary_directory.hpp"
#include "tests/unit/curves/event_bytes.hpp"

namespace stcsim::test {
namespace {

/// csv.DictWriter ends lines with CR LF and leaves blank what a row has not; keys are sorted.
constexpr const char* kLightning =
    "epoch,step,train_loss,val_acc,val_loss\r\n0,49,2.302585,,\r\n0,99,1.75,,\r\n"
    "0,99,,0.3125,1.8\r\n1,149,1.5,,\r\n1,199,,0.4375,nan\r\n2,249,1.25,,\r\n2,299,,0.5,1.4\r\n";

/// Values that a callback has not are NA.
constexpr const char* kKeras =
    "epoch,accuracy,loss,val_accuracy,val_loss\r\n0,0.5,1.5,0.45,1.6\r\n1,0.6,1.25,NA,NA\r\n"
    "2,0.7,1.0,0.65,1.2\r\n0,0.4,1.75,0.35,1.9\r\n1,0.5,1.5,0.4,1.7\r\n";

constexpr const char* kTimm =
    "epoch,train_loss,eval_loss,eval_top1,eval_top5,lr\r\n"
    "0,1.5266,0.6336,78.36,99.28,0.05\r\n1,1.4,0.6,79.5,99.3,0.045\r\n2,1.3,0.55,81.0,99.4,0."
    "04\r\n";

constexpr const char* kWandb =
    "\"Step\",\"cool-sun-3 - val_acc\",\"cool-sun-3 - val_acc__MIN\",\"cool-sun-3 - val_acc__MAX\","
    "\"a - b, \"\"c\"\" - val_acc\",\"a - b, \"\"c\"\" - val_acc__MIN\",\"a - b, \"\"c\"\" - "
    "val_acc__MAX\"\n\"1\",\"0.5\",\"0.5\",\"0.5\",\"\",\"\",\"\"\n"
    "\"2\",\"0.6\",\"0.6\",\"0.6\",\"0.55\",\"0.55\",\"0.55\"\n"
    "\"3\",\"\",\"\",\"\",\"0.65\",\"0.65\",\"0.65\"\n";

std::string tensorboard() {
  std::string bytes = version_record();
  for (std::uint64_t step = 0; step < 5; ++step) {
    bytes += scalar_record(step * 10, "loss", 2.0F - 0.25F * static_cast<float>(step));
    bytes += tensor_record(step, "epoch_accuracy", 0.125F * static_cast<float>(step));
  }
  return bytes + start_record(30) + scalar_record(30, "loss", 1);
}

}  // namespace

std::vector<SampleFile> sample_files() {
  return {{"csv", read_file(STCSIM_SOURCE_DIR "/configs/curves/mlperf20_bert_run0.csv")},
          {"lightning", kLightning},
          {"keras", kKeras},
          {"timm", kTimm},
          {"wandb", kWandb},
          {"tensorboard", tensorboard()}};
}

}  // namespace stcsim::test
