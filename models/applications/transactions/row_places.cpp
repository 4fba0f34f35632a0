// Addresses of rows. See row_places.hpp.
#include "models/applications/transactions/row_places.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::app {

namespace {
std::uint64_t shared_out(std::uint64_t things, std::uint64_t by) {
  return (things + by - 1) / by;
}
}  // namespace

RowPlaces::Placed RowPlaces::laid(const RowTable& table, const Rules& rules, std::uint64_t line_bytes, unsigned nodes) {
  if (table.keys == 0 || table.row_bytes == 0 || table.keys >> 56 != 0 ||
      (table.keys_per_part > 0 && shared_out(table.keys, table.keys_per_part) > rules.parts)) {
    throw std::logic_error(fmt::format("a table {} of {} keys, {} a part of {}, of {} bytes", table.name, table.keys,
                                       table.keys_per_part, rules.parts, table.row_bytes));
  }
  Placed placed{.keys = table.keys,
                .keys_per_part = table.keys_per_part,
                .slot_bytes = slot_size(table.row_bytes, rules.header_bytes)};
  if (placed.slot_bytes > line_bytes) {
    placed.lines_per_unit = shared_out(placed.slot_bytes, line_bytes);
  } else if (rules.layout != RowLayout::padded) {
    placed.slots_per_unit = line_bytes / placed.slot_bytes;
  }
  const std::uint64_t all = shared_out(table.keys, placed.slots_per_unit);
  if (table.keys_per_part == 0) {
    placed.units.assign(nodes, all);
    return placed;
  }
  if (rules.layout != RowLayout::heap) placed.units_per_part = shared_out(table.keys_per_part, placed.slots_per_unit);
  for (std::uint64_t node = 0; node < nodes; ++node) {
    if (rules.spread == RowSpread::uniform) {
      const std::uint64_t units = placed.units_per_part == 0 ? all : placed.units_per_part * rules.parts;
      placed.units.push_back(shared_out(units, nodes));
      continue;
    }
    const std::uint64_t parts = first_part(node + 1, nodes, rules.parts) - first_part(node, nodes, rules.parts);
    placed.units.push_back(placed.units_per_part == 0 ? shared_out(parts * table.keys_per_part, placed.slots_per_unit)
                                                      : parts * placed.units_per_part);
  }
  return placed;
}

std::uint64_t RowPlaces::lines(const std::vector<RowTable>& tables, const Rules& rules, std::uint64_t line_bytes,
                               unsigned nodes) {
  std::uint64_t sum = 0;
  for (const RowTable& table : tables) {
    const Placed placed = laid(table, rules, line_bytes, nodes);
    for (const std::uint64_t units : placed.units) sum += units * placed.lines_per_unit;
  }
  return sum;
}

std::uint64_t RowPlaces::most_lines_of_row(const std::vector<RowTable>& tables, const Rules& rules,
                                           std::uint64_t line_bytes) {
  std::uint64_t most = 1;
  for (const RowTable& table : tables) {
    if (table.keys_per_part > 0) {
      most = std::max(most, shared_out(slot_size(table.row_bytes, rules.header_bytes), line_bytes));
    }
  }
  return most;
}

RowPlaces::RowPlaces(models::MemoryService& memory, const std::vector<RowTable>& tables, const Rules& rules)
    : rules_(rules),
      line_bytes_(memory.shape().block_bytes),
      nodes_(memory.shape().roles.memory_nodes),
      roles_(memory.shape().roles) {
  for (const RowTable& table : tables) {
    Placed placed = laid(table, rules, line_bytes_, roles_.memory_nodes);
    for (unsigned node = 0; node < nodes_; ++node) {
      const std::uint64_t bytes = placed.units[node] * placed.lines_per_unit * line_bytes_;
      if (bytes == 0) {
        placed.first.emplace_back();
        continue;
      }
      const auto home = static_cast<models::NodeId>(roles_.first_memory_node + node);
      placed.first.push_back(memory.reserve(bytes, {home, true}));
      extents_.push_back({placed.first.back().value, bytes, static_cast<std::uint32_t>(tables_.size()), node});
    }
    tables_.push_back(std::move(placed));
  }
  std::sort(extents_.begin(), extents_.end(), [](const Extent& a, const Extent& b) { return a.first < b.first; });
}

RowPlaces::Place RowPlaces::place(const Placed& placed, std::uint64_t key) const {
  const std::uint64_t part = key / placed.keys_per_part, in_part = key % placed.keys_per_part;
  const bool uniform = rules_.spread == RowSpread::uniform;
  const std::uint64_t node = uniform ? 0 : part * nodes_ / rules_.parts;
  const std::uint64_t before = uniform ? 0 : first_part(node, nodes_, rules_.parts);  // parts at other nodes
  Place at{.node = node};
  if (placed.units_per_part == 0) {
    const std::uint64_t number = (part - before) * placed.keys_per_part + in_part;
    at.unit = number / placed.slots_per_unit;
    at.inside = number % placed.slots_per_unit;
  } else {
    at.unit = (part - before) * placed.units_per_part + in_part / placed.slots_per_unit;
    at.inside = in_part % placed.slots_per_unit;
  }
  if (uniform) {
    at.node = at.unit % nodes_;
    at.unit /= nodes_;
  }
  return at;
}

std::optional<std::uint64_t> RowPlaces::key_at(const Placed& placed, const Place& at) const {
  if (placed.keys_per_part == 0) return at.unit * placed.slots_per_unit + at.inside;
  const bool uniform = rules_.spread == RowSpread::uniform;
  const std::uint64_t unit = uniform ? at.unit * nodes_ + at.node : at.unit;
  const std::uint64_t before = uniform ? 0 : first_part(at.node, nodes_, rules_.parts);
  if (placed.units_per_part == 0) {
    const std::uint64_t number = unit * placed.slots_per_unit + at.inside;
    const std::uint64_t parts = uniform ? rules_.parts : first_part(at.node + 1, nodes_, rules_.parts) - before;
    if (number >= parts * placed.keys_per_part) return std::nullopt;
    return before * placed.keys_per_part + number;
  }
  const std::uint64_t in_part = unit % placed.units_per_part * placed.slots_per_unit + at.inside;
  if (in_part >= placed.keys_per_part) return std::nullopt;
  return (before + unit / placed.units_per_part) * placed.keys_per_part + in_part;
}

models::GlobalAddress RowPlaces::address(Row row, models::NodeId reader) const {
  const Placed& placed = tables_[row.table];
  Place at;
  if (placed.keys_per_part == 0) {
    at = {roles_.holds_memory(reader) ? reader - roles_.first_memory_node : reader % nodes_,
          row.key / placed.slots_per_unit, row.key % placed.slots_per_unit};
  } else {
    at = place(placed, row.key);
  }
  return {placed.first[at.node].value + at.unit * placed.lines_per_unit * line_bytes_ + at.inside * placed.slot_bytes};
}

std::uint64_t RowPlaces::together(Row row) const {
  const Placed& placed = tables_[row.table];
  if (placed.keys_per_part == 0) return placed.slots_per_unit - row.key % placed.slots_per_unit;
  const std::uint64_t left = placed.slots_per_unit - place(placed, row.key).inside;
  return std::min(left, placed.keys_per_part - row.key % placed.keys_per_part);
}

const RowPlaces::Extent* RowPlaces::extent_at(models::GlobalAddress address) const {
  const auto after = std::upper_bound(extents_.begin(), extents_.end(), address.value,
                                      [](std::uint64_t a, const Extent& extent) { return a < extent.first; });
  if (after == extents_.begin()) return nullptr;
  const Extent& extent = *(after - 1);
  return address.value - extent.first < extent.bytes ? &extent : nullptr;
}

std::uint64_t RowPlaces::offset_in_slot(models::GlobalAddress address) const {
  const Extent& extent = *extent_at(address);
  const Placed& placed = tables_[extent.table];
  return (address.value - extent.first) % (placed.lines_per_unit * line_bytes_) % placed.slot_bytes;
}

std::optional<Row> RowPlaces::row_at(models::GlobalAddress address) const {
  const Extent* found = extent_at(address);
  if (found == nullptr) return std::nullopt;
  const Extent& extent = *found;
  const std::uint64_t offset = address.value - extent.first;
  const Placed& placed = tables_[extent.table];
  const std::uint64_t unit_bytes = placed.lines_per_unit * line_bytes_;
  const Place at{extent.node, offset / unit_bytes, offset % unit_bytes / placed.slot_bytes};
  if (at.inside >= placed.slots_per_unit) return std::nullopt;
  const auto key = key_at(placed, at);
  if (!key || *key >= placed.keys) return std::nullopt;
  return Row{extent.table, *key};
}

bool RowPlaces::holds(sim::Key line) const {
  const std::uint64_t address = line.number() * line_bytes_;
  return std::any_of(extents_.begin(), extents_.end(),
                     [&](const Extent& extent) { return address - extent.first < extent.bytes; });
}

RowPlaces::Parts RowPlaces::parts_of(models::NodeId node, unsigned nodes) const {
  const std::uint64_t first = first_part(node, nodes, rules_.parts);
  return {first, first_part(node + 1U, nodes, rules_.parts) - first};
}

}  // namespace racksim::app
