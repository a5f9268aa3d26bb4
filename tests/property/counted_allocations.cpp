#include "tests/property/counted_allocations.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace stcsim::test {
namespace {

std::int64_t count = 0;

}  // namespace

std::int64_t counted_allocations() {
  return count;
}

namespace {

void* allocate(std::size_t bytes) noexcept {
  ++count;
  return std::malloc(bytes);
}

}  // namespace
}  // namespace stcsim::test

void* operator new(std::size_t bytes) {
  if (void* const memory = stcsim::test::allocate(bytes)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return stcsim::test::allocate(bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  std::free(memory);
}
