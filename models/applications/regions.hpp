// Where an application's data lie in a memory service: regions of slots that are alike, dealt out to the memory nodes line
// by line.
//
// Packed, as many whole slots lie in a line as fit: they share its lock, its copies and its invalidations. Padded, each
// lies alone. One that is longer than a line begins with a line, and lies at one node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/service/memory_service.hpp"

namespace racksim::app {

/// Slots of so many bytes each, at least one of at least one byte.
struct Region {
  std::string name;
  std::uint64_t slots = 0;
  std::uint64_t bytes = 0;
};

/// A slot of a region, both counted from 0.
struct Slot {
  std::uint32_t region = 0;
  std::uint64_t index = 0;
  auto operator<=>(const Slot&) const = default;
};

enum class SlotLayout : std::uint8_t { packed, padded };

class Regions {
 public:
  /// Lines that regions take in all, of so many bytes.
  static std::uint64_t lines(const std::vector<Region>& regions, SlotLayout layout, std::uint64_t line_bytes);

  /// Reserves them. Throws sim::OptionError if a memory node has no room.
  Regions(models::MemoryService& memory, std::vector<Region> regions, SlotLayout layout);

  /// The number of the region of this name. Throws std::logic_error if the application has none.
  std::uint32_t number(std::string_view name) const;
  const Region& region(std::uint32_t number) const { return all_[number].region; }
  models::GlobalAddress address(Slot slot) const;
  /// The slot that a byte lies in; nothing between slots and outside.
  std::optional<Slot> slot_at(models::GlobalAddress address) const;
  /// Whether this block is one of theirs.
  bool holds(sim::Key block) const;

 private:
  struct Placed {
    Region region;
    std::uint64_t slots_per_line = 0;  // 0: a slot takes several lines
    std::uint64_t lines_per_slot = 1;
    std::uint64_t bytes_per_node = 0;
    std::vector<models::GlobalAddress> first = {};  // by memory node
  };
  /// How a region's slots lie, not yet anywhere.
  static Placed laid(Region region, SlotLayout layout, std::uint64_t line_bytes);
  static std::uint64_t lines_of(const Placed& placed);

  std::uint64_t line_bytes_;
  std::vector<Placed> all_;
};

}  // namespace racksim::app
