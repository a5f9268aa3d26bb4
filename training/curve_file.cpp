#include "training/curve_file.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "common/error.hpp"

namespace stcsim::training {

CurveFile::CurveFile(const std::filesystem::path& path)
    : path_(path), partial_(path.string() + ".partial") {
  std::error_code ignored;  // opening says what is wrong
  std::filesystem::create_directories(path.parent_path(), ignored);
  std::filesystem::remove(path, ignored);
  stream_.open(partial_);
  write("epoch,step,samples,train_loss,eval_loss,eval_accuracy\n");
}

void CurveFile::add(const EpochResult& result) {
  write(fmt::format("{},{},{},{:.7g},{:.7g},{:.7g}\n", result.epoch, result.step, result.samples,
                    result.train_loss, result.eval_loss, result.eval_accuracy));
}

void CurveFile::complete() {
  stream_.close();
  check(stream_ && std::rename(partial_.c_str(), path_.c_str()) == 0);
}

void CurveFile::write(const std::string& line) {
  stream_ << line << std::flush;
  check(static_cast<bool>(stream_));
}

void CurveFile::check(bool is_fine) const {
  if (is_fine) return;
  throw ConfigError("cannot write " + path_.string() + ": " +
                    std::generic_category().message(errno));
}

}  // namespace stcsim::training
