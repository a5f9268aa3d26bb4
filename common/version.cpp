#include "common/version.hpp"

namespace stcsim {

std::string_view program_version() {
  return STCSIM_VERSION;
}

}  // namespace stcsim
