// What an application's slots hold when all has come to rest, as memory shows it (models/service/memory_image.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "models/applications/regions.hpp"
#include "models/service/memory_image.hpp"

namespace racksim::app {

class Image {
 public:
  Image(const models::MemoryImage& memory, const Regions& regions) : memory_(memory), regions_(regions) {}

  std::uint64_t slots(std::string_view region) const { return regions_.region(regions_.number(region)).slots; }
  Slot slot(std::string_view region, std::uint64_t index) const { return {regions_.number(region), index}; }
  /// What lies at an offset of a slot.
  void read(Slot slot, std::size_t offset, std::span<std::byte> into) const {
    memory_.read({regions_.address(slot).value + offset}, into);
  }
  template <class T>
  T get(Slot slot, std::size_t offset = 0) const {
    T value;
    read(slot, offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  /// The sum over all slots of a region of what they have at an offset.
  template <class T>
  T sum(std::string_view region, std::size_t offset = 0) const {
    const std::uint32_t number = regions_.number(region);
    T sum{};
    for (std::uint64_t i = 0; i < regions_.region(number).slots; ++i) sum += get<T>({number, i}, offset);
    return sum;
  }

 private:
  const models::MemoryImage& memory_;
  const Regions& regions_;
};

}  // namespace racksim::app
