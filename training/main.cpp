#include <algorithm>
#include <csignal>
#include <exception>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "common/error.hpp"
#include "common/io/atomic_file.hpp"
#include "common/io/json_reader.hpp"
#include "common/io/text_file.hpp"
#include "common/version.hpp"
#include "training/experiment.hpp"
#include "training/run_pool.hpp"

namespace stcsim::training {
namespace {

using Json = nlohmann::json;

/// Leaves the schemes of these names, all if there are none.
void choose_schemes(Experiment& experiment, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::vector<std::string> known;
  for (const SchemeRun& run : experiment.schemes) known.push_back(run.scheme.name);
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    throw ConfigError(
        fmt::format("--schemes has '{}', the experiment has {}", name, fmt::join(known, ", ")));
  }
  std::erase_if(experiment.schemes, [&](const SchemeRun& run) {
    return std::ranges::count(names, run.scheme.name) == 0;
  });
}

/// What was trained, as it stands beside its curves.
std::string record_of(const Experiment& experiment) {
  const nlohmann::ordered_json record{
      {"schema", "stcsim.train/1"},
      {"version", program_version()},
      {"config", Json(parse_json(resolved_config(experiment), "the experiment"))}};
  return record.dump(1) + "\n";
}

/// Writes what is trained.
/// @throws ConfigError if it cannot be written, or if curves that are to stay are of something else
void write_record(const Experiment& experiment, const PoolOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.out, error);
  if (error) throw ConfigError("cannot create " + options.out.string() + ": " + error.message());
  const std::filesystem::path path = options.out / "train.json";
  const std::string record = record_of(experiment);
  if (options.resume && exists(path) && read_text_file(path, "the record") != record) {
    throw ConfigError("--resume: " + path.string() +
                      " is of another experiment, or of another version; train it into another "
                      "folder, or leave --resume out to train it anew");
  }
  write_file_atomically(path, record);
}

int run(const Json& request) {
  Experiment experiment = load_experiment(request.at("experiment").get<std::string>(),
                                          request.at("set").get<std::vector<std::string>>());
  choose_schemes(experiment, request.at("schemes").get<std::vector<std::string>>());
  const PoolOptions options{request.at("out").get<std::string>(), request.at("jobs"),
                            request.at("save_weights"), request.at("save_gradients"),
                            request.at("resume")};
  write_record(experiment, options);
  return train_all(experiment, options) == 0 ? 0 : 3;
}

void say(const std::string& text) {
  fmt::print(stderr, "{}\n", printable(text));
}

}  // namespace
}  // namespace stcsim::training

/// Started by `stcsim train`, which has checked its options: one argument, a JSON object with the
/// keys experiment, set, schemes, jobs, out, save_weights, save_gradients and resume.
int main(int argc, char** argv) {
  using namespace stcsim;
  try {
    if (argc != 2) throw ConfigError("this program is started by 'stcsim train'");
    return training::run(parse_json(argv[1], "the request"));
  } catch (const training::Interrupted& interrupted) {
    training::say("stcsim train: interrupted");
    return 128 + interrupted.signal();
  } catch (const ConfigError& error) {
    const std::string text = error.what();
    training::say((text.starts_with("error: ") ? "stcsim train: " : "") + text);
    return 2;
  } catch (const std::exception& error) {
    training::say(fmt::format("stcsim train: error: {}", error.what()));
    return 3;
  }
}
