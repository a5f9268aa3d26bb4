#include "common/heap_ahead.hpp"

#include <cstdint>
#include <cstdlib>
#include <memory>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace stcsim {

void map_heap_ahead(std::size_t bytes) {
#ifdef MADV_POPULATE_WRITE
  // The most that glibc lets be one block of the heap, which is not given back when it is freed.
  constexpr std::size_t kMostAhead = 32 << 20;
  // Of x86-64 and of arm64 with pages of 4 KiB.
  constexpr std::size_t kHugePage = 2 << 20;
  const std::size_t room = bytes + kHugePage;
  if (room >= kMostAhead || mallopt(M_MMAP_THRESHOLD, kMostAhead) == 0 ||
      mallopt(M_TRIM_THRESHOLD, kMostAhead) == 0) {
    return;
  }
  void* const block = std::malloc(room);
  if (block == nullptr) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* first = block;
  std::size_t left = room;
  if (std::align(page, page, first, left) != nullptr) {
    // Up to the end of a huge page, so that all but its beginning are huge ones.
    const std::size_t past_end = (reinterpret_cast<std::uintptr_t>(first) + left) % kHugePage;
    const std::size_t whole = past_end < left ? left - past_end : 0;
    (void)madvise(first, whole, MADV_HUGEPAGE);
    (void)madvise(first, whole, MADV_POPULATE_WRITE);
  }
  std::free(block);
#else
  (void)bytes;
#endif
}

}  // namespace stcsim
