#include "training/curve_file.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim::training {

CurveFile::CurveFile(const std::filesystem::path& path) : path_(path) {
  std::error_code ignored;  // opening says what is wrong
  std::filesystem::create_directories(path.parent_path(), ignored);
  stream_.open(path);
  write("epoch,step,samples,train_loss,eval_loss,eval_accuracy\n");
}

void CurveFile::add(const EpochResult& result) {
  write(fmt::format("{},{},{},{:.7g},{:.7g},{:.7g}\n", result.epoch, result.step, result.samples,
                    result.train_loss, result.eval_loss, result.eval_accuracy));
}

void CurveFile::write(const std::string& line) {
  stream_ << line << std::flush;
  if (!stream_) {
    throw ConfigError("cannot write " + path_.string() + ": " +
                      std::generic_category().message(errno));
  }
}

}  // namespace stcsim::training
