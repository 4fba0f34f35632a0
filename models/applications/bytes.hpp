// A row, or a part of one, as its application lays it out: numbers at offsets, in the order of bytes of this machine.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace racksim::app {

/// A view of somebody's bytes. `put` and `get` throw std::out_of_range beyond their end.
class Bytes {
 public:
  explicit Bytes(std::span<std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  void put(std::size_t offset, const T& value) const {
    std::memcpy(at(offset, sizeof value), &value, sizeof value);
  }
  template <class T>
  T get(std::size_t offset) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, at(offset, sizeof value), sizeof value);
    return value;
  }
  std::size_t size() const { return bytes_.size(); }
  std::span<std::byte> span() const { return bytes_; }

 private:
  std::byte* at(std::size_t offset, std::size_t bytes) const {
    if (offset > bytes_.size() || bytes > bytes_.size() - offset) throw std::out_of_range("bytes behind a row's end");
    return bytes_.data() + offset;
  }

  std::span<std::byte> bytes_;
};

}  // namespace racksim::app
