// How lines lie in the memory of memory servers: one behind the other, each behind its latch word (SELCC §3: a global
// cache line is latch word, header and data; with 2 KB of data it takes 2056 bytes).
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/service/memory_service.hpp"
#include "protocols/latched_memory/line_data.hpp"

namespace racksim::latched_memory {

/// Of the blocks and 8-byte objects of a memory service.
class LineLayout {
 public:
  static constexpr std::uint64_t kWordBytes = 8, kObjectBytes = 8;

  explicit LineLayout(const models::MemoryService& memory) : memory_(memory) {}

  std::uint64_t line_bytes() const { return memory_.shape().block_bytes; }
  /// With its latch word.
  std::uint64_t stored_bytes() const { return line_bytes() + kWordBytes; }
  std::uint16_t objects_per_line() const { return static_cast<std::uint16_t>(line_bytes() / kObjectBytes); }

  ObjectRange whole() const { return {.low = 0, .high = objects_per_line()}; }

  sim::Key line_of(sim::Key object) const { return memory_.block_of_object(object); }
  std::uint16_t index_of(sim::Key object) const {
    return static_cast<std::uint16_t>(object.number() % objects_per_line());
  }
  sim::Key object_of(sim::Key line, std::uint16_t index) const {
    return sim::Key{line.number() * objects_per_line() + index};
  }
  /// The line's memory server, counted from the first.
  std::size_t server_of(sim::Key line) const {
    return static_cast<std::size_t>(memory_.home_of(line) - memory_.shape().roles.first_memory_node);
  }
  /// Where its latch word lies there.
  std::uint64_t address_of(sim::Key line) const {
    const std::uint64_t lines = (std::uint64_t{1} << models::GlobalAddress::kOffsetBits) / line_bytes();
    return line.number() % lines * stored_bytes();
  }
  /// Where an object of it does.
  std::uint64_t address_of(sim::Key line, std::uint16_t index) const {
    return address_of(line) + kWordBytes + kObjectBytes * index;
  }
  /// The line at an address of a server.
  sim::Key line_at(models::NodeId server, std::uint64_t address) const {
    return sim::Key{memory_.block_of(models::GlobalAddress::at(server, 0)) + address / stored_bytes()};
  }
  /// The object so many bytes behind the beginning of a line's word.
  static constexpr std::uint16_t index_at(std::uint64_t offset) {
    return static_cast<std::uint16_t>((offset - kWordBytes) / kObjectBytes);
  }

 private:
  const models::MemoryService& memory_;
};

}  // namespace racksim::latched_memory
