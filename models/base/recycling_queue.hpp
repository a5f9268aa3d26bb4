#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace stcsim {

/// First in, first out. Elements that leave keep their memory for those that come later: once the
/// queue has been as long as it gets, nothing is allocated.
template <class T>
class RecyclingQueue {
 public:
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// From the front.
  [[nodiscard]] T& operator[](std::size_t at) { return places_[place_of(at)]; }
  [[nodiscard]] const T& operator[](std::size_t at) const { return places_[place_of(at)]; }
  [[nodiscard]] T& front() { return (*this)[0]; }
  [[nodiscard]] const T& front() const { return (*this)[0]; }
  [[nodiscard]] T& back() { return (*this)[size_ - 1]; }

  /// The new last element: as one that has left was then, or T().
  T& push_back() {
    if (size_ == places_.size()) grow();
    ++size_;
    return back();
  }
  void pop_front() {
    first_ = place_of(1);
    --size_;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void resize(std::size_t size) {
    while (size_ < size) (void)push_back();
    size_ = size;
  }

 private:
  [[nodiscard]] std::size_t place_of(std::size_t at) const {
    const std::size_t place = first_ + at;
    return place < places_.size() ? place : place - places_.size();
  }
  void grow() {
    std::rotate(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(first_),
                places_.end());
    first_ = 0;
    places_.resize(2 * places_.size() + 1);
  }

  std::vector<T> places_;  // a ring
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace stcsim
