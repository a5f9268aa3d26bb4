#pragma once

namespace stcsim {

/// From now on a closed pipe is an error of write() instead of a signal, and SIGINT and SIGTERM
/// remove the temporary files this process is writing, say "interrupted" on standard error, and end
/// it with exit code 130 or 143. A signal that is ignored stays so (background jobs of a script).
void handle_signals();

/// As long as an object of this class lives, the first SIGINT or SIGTERM is only noted, so that
/// work can be wound up; a second one ends the process as above.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  [[nodiscard]] static bool interrupted();
};

/// 128 + the number of the signal that was noted.
[[nodiscard]] int interrupt_exit_code();

}  // namespace stcsim
