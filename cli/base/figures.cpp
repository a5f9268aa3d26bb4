#include "cli/base/figures.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cli/base/output.hpp"
#include "cli/base/python_program.hpp"
#include "common/error.hpp"
#include "common/io/format.hpp"
#include "reports/page/page_document.hpp"

namespace stcsim {
namespace {

/// What a command of the shell prints, and its exit status.
std::pair<std::string, int> run_shell(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return {"cannot start a shell", -1};
  std::string text;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
    text.append(part.data(), count);
  }
  return {text.substr(0, text.find_last_not_of('\n') + 1), ::pclose(pipe)};
}

}  // namespace

Figures::Figures(std::filesystem::path directory, std::string who)
    : directory_(std::move(directory)),
      who_(std::move(who)),
      program_(page_shell_file().replace_filename("figures.mjs")) {
  const char* const named = std::getenv("STCSIM_NODE");
  if (named != nullptr && *named != '\0') node_ = named;
  node_ = shell_word(node_);
  constexpr const char* kIsNew = " -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)' 2>&1";
  if (run_shell(node_ + kIsNew).second != 0) {
    throw ConfigError(
        "--svg needs node 18 or newer (Debian's package nodejs) to draw the charts; the page of "
        "--html saves each of them without");
  }
  create_output_directory(directory_);
}

void Figures::write(const std::string& data) const {
  const NamelessFile file(data);
  const auto [text, status] =
      run_shell(fmt::format("{} {} {} </dev/fd/{} 2>&1", node_, shell_word(program_.string()),
                            shell_word(directory_.string()), file.descriptor()));
  if (status != 0) throw ConfigError(fmt::format("cannot write the charts of --svg: {}", text));
  write_message(who_, fmt::format("{}: {}", directory_.string(), text));
}

}  // namespace stcsim
