#include "cli/base/interrupt.hpp"

#include <array>
#include <csignal>
#include <string_view>

#include <unistd.h>

#include "common/io/atomic_file.hpp"

namespace stcsim {
namespace {

constexpr int kSignalExit = 128;

volatile std::sig_atomic_t watching = 0;
volatile std::sig_atomic_t noted_signal = 0;
pid_t program = 0;

extern "C" void end_or_note(int number) {
  if (::getpid() != program) ::_exit(kSignalExit + number);  // a worker: it has nothing to wind up
  if (watching != 0 && noted_signal == 0) {
    noted_signal = number;
    return;
  }
  remove_temporaries();
  constexpr std::string_view kMessage = "stcsim: interrupted\n";
  static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  ::_exit(kSignalExit + number);
}

}  // namespace

void handle_signals() {
  program = ::getpid();
  // What cannot be written is an error of the call that writes.
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
  constexpr std::array<int, 2> kSignals{SIGINT, SIGTERM};
  for (const int number : kSignals) {
    struct sigaction before {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = end_or_note;
    ::sigaction(number, &action, nullptr);
  }
}

InterruptWatch::InterruptWatch() {
  watching = 1;
}

InterruptWatch::~InterruptWatch() {
  watching = 0;
}

bool InterruptWatch::interrupted() {
  return noted_signal != 0;
}

int interrupt_exit_code() {
  return kSignalExit + noted_signal;
}

}  // namespace stcsim
