#pragma once

#include <cstddef>

namespace stcsim {

/// Has the system map memory for the next `bytes` of small allocations at once, which takes a
/// fraction of the time of mapping it page by page as it is touched. A hint: where it cannot be
/// followed, nothing changes.
void map_heap_ahead(std::size_t bytes);

}  // namespace stcsim
