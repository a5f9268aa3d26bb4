#include "common/heap_ahead.hpp"

#include <cstdlib>
#include <memory>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace stcsim {

void map_heap_ahead(std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  // The most that glibc lets be one block of the heap, which is not given back when it is freed.
  constexpr int kMostAhead = 32 << 20;
  if (bytes >= kMostAhead || mallopt(M_MMAP_THRESHOLD, kMostAhead) == 0 ||
      mallopt(M_TRIM_THRESHOLD, kMostAhead) == 0) {
    return;
  }
  void* const block = std::malloc(bytes);
  if (block == nullptr) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* first = block;
  std::size_t room = bytes;
  if (std::align(page, page, first, room) != nullptr) {
    (void)madvise(first, room / page * page, MADV_POPULATE_WRITE);
  }
  std::free(block);
#else
  (void)bytes;
#endif
}

}  // namespace stcsim
