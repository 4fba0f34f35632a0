// Addresses of slots. See regions.hpp.
#include "models/applications/regions.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace racksim::app {

Regions::Placed Regions::laid(Region region, SlotLayout layout, std::uint64_t line_bytes) {
  if (region.slots == 0 || region.bytes == 0) {
    throw std::logic_error(fmt::format("a region {} of {} slots of {} bytes", region.name, region.slots, region.bytes));
  }
  Placed placed{.region = std::move(region)};
  if (placed.region.bytes > line_bytes) {
    placed.lines_per_slot = (placed.region.bytes + line_bytes - 1) / line_bytes;
  } else {
    placed.slots_per_line = layout == SlotLayout::padded ? 1 : line_bytes / placed.region.bytes;
  }
  return placed;
}

std::uint64_t Regions::lines_of(const Placed& placed) {
  if (placed.slots_per_line == 0) return placed.region.slots * placed.lines_per_slot;
  return (placed.region.slots + placed.slots_per_line - 1) / placed.slots_per_line;
}

std::uint64_t Regions::lines(const std::vector<Region>& regions, SlotLayout layout, std::uint64_t line_bytes) {
  std::uint64_t sum = 0;
  for (const Region& region : regions) sum += lines_of(laid(region, layout, line_bytes));
  return sum;
}

Regions::Regions(models::MemoryService& memory, std::vector<Region> regions, SlotLayout layout)
    : line_bytes_(memory.shape().block_bytes) {
  const models::Roles& roles = memory.shape().roles;
  for (Region& region : regions) {
    Placed placed = laid(std::move(region), layout, line_bytes_);
    const std::uint64_t units = lines_of(placed) / placed.lines_per_slot;
    placed.bytes_per_node = (units + roles.memory_nodes - 1) / roles.memory_nodes * placed.lines_per_slot * line_bytes_;
    for (unsigned node = 0; node < roles.memory_nodes; ++node) {
      const auto home = static_cast<models::NodeId>(roles.first_memory_node + node);
      placed.first.push_back(memory.reserve(placed.bytes_per_node, {home, true}));
    }
    all_.push_back(std::move(placed));
  }
}

std::uint32_t Regions::number(std::string_view name) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    if (all_[i].region.name == name) return static_cast<std::uint32_t>(i);
  }
  throw std::logic_error(fmt::format("an application asks for a region '{}', which is none of its needs", name));
}

models::GlobalAddress Regions::address(Slot slot) const {
  const Placed& placed = all_[slot.region];
  const std::uint64_t per_line = std::max<std::uint64_t>(placed.slots_per_line, 1), nodes = placed.first.size();
  const std::uint64_t unit = slot.index / per_line;
  return {placed.first[unit % nodes].value + unit / nodes * placed.lines_per_slot * line_bytes_ +
          slot.index % per_line * placed.region.bytes};
}

std::optional<Slot> Regions::slot_at(models::GlobalAddress address) const {
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const Placed& placed = all_[i];
    for (std::size_t node = 0; node < placed.first.size(); ++node) {
      const std::uint64_t offset = address.value - placed.first[node].value;
      if (offset >= placed.bytes_per_node) continue;
      const std::uint64_t unit_bytes = placed.lines_per_slot * line_bytes_;
      const std::uint64_t unit = offset / unit_bytes * placed.first.size() + node, inside = offset % unit_bytes;
      const std::uint64_t per_line = std::max<std::uint64_t>(placed.slots_per_line, 1);
      const std::uint64_t place = inside / placed.region.bytes, index = unit * per_line + place;
      if (place >= per_line || index >= placed.region.slots) return std::nullopt;
      return Slot{static_cast<std::uint32_t>(i), index};
    }
  }
  return std::nullopt;
}

bool Regions::holds(sim::Key block) const {
  const std::uint64_t address = block.number() * line_bytes_;
  return std::any_of(all_.begin(), all_.end(), [&](const Placed& placed) {
    return std::any_of(placed.first.begin(), placed.first.end(),
                       [&](models::GlobalAddress first) { return address - first.value < placed.bytes_per_node; });
  });
}

}  // namespace racksim::app
