// Where rows lie in a memory service: slots at addresses that are computed from their keys (transaction_options.hpp says
// by which rules). A slot that is longer than a line begins with one; no other lies over the end of a line.
//
// Parts of tables are dealt out to the memory nodes so that part p of P lies at node p * N / P. Tables that nobody writes
// have a copy at each memory node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/applications/transactions/row.hpp"
#include "models/applications/transactions/transaction_options.hpp"
#include "models/service/memory_service.hpp"

namespace racksim::app {

class RowPlaces {
 public:
  struct Rules {
    RowLayout layout = RowLayout::warehouse;
    RowSpread spread = RowSpread::parts;
    std::uint64_t header_bytes = 8;  ///< of a slot
    std::uint64_t parts = 1;         ///< of each table that is written
  };

  /// Lines that they take in all, of so many bytes, on so many nodes.
  static std::uint64_t lines(const std::vector<RowTable>& tables, const Rules& rules, std::uint64_t line_bytes,
                             unsigned nodes);
  /// Lines that a slot takes of the table that takes most.
  static std::uint64_t most_lines_of_row(const std::vector<RowTable>& tables, const Rules& rules,
                                         std::uint64_t line_bytes);

  /// Reserves them. Throws sim::OptionError if a memory node has no room, and std::logic_error for tables that make no
  /// sense.
  RowPlaces(models::MemoryService& memory, const std::vector<RowTable>& tables, const Rules& rules);

  /// Where the slot begins that `reader` uses.
  models::GlobalAddress address(Row row, models::NodeId reader) const;
  std::uint64_t slot_bytes(std::uint32_t table) const { return tables_[table].slot_bytes; }
  /// How many keys from this one on have slots that follow each other in its line.
  std::uint64_t together(Row row) const;
  /// The row in whose slot a byte lies; nothing between slots and outside.
  std::optional<Row> row_at(models::GlobalAddress address) const;
  /// Of such a byte: where it lies there.
  std::uint64_t offset_in_slot(models::GlobalAddress address) const;
  /// Whether this line is one of theirs.
  bool holds(sim::Key line) const;
  /// The first key of a part whose rows lie with the memory of this node or, where they are spread, that it would have;
  /// and how many.
  struct Parts {
    std::uint64_t first = 0, count = 0;
  };
  Parts parts_of(models::NodeId node, unsigned nodes) const;

 private:
  struct Placed {
    std::uint64_t keys = 0, keys_per_part = 0, slot_bytes = 0;
    std::uint64_t slots_per_unit = 1, lines_per_unit = 1;  // a unit: a line, or the lines of one slot
    std::uint64_t units_per_part = 0;                      // 0: parts follow each other without a gap
    std::vector<models::GlobalAddress> first = {};         // by memory node
    std::vector<std::uint64_t> units = {};                 // by memory node
  };
  /// A slot's place: the unit, counted over all nodes or over its own, and the place in it.
  struct Place {
    std::uint64_t node = 0, unit = 0, inside = 0;
  };
  struct Extent {
    std::uint64_t first = 0, bytes = 0;
    std::uint32_t table = 0, node = 0;
  };

  static Placed laid(const RowTable& table, const Rules& rules, std::uint64_t line_bytes, unsigned nodes);
  static std::uint64_t first_part(std::uint64_t node, std::uint64_t nodes, std::uint64_t parts) {
    return (node * parts + nodes - 1) / nodes;
  }
  const Extent* extent_at(models::GlobalAddress address) const;
  Place place(const Placed& placed, std::uint64_t key) const;
  std::optional<std::uint64_t> key_at(const Placed& placed, const Place& place) const;

  Rules rules_;
  std::uint64_t line_bytes_, nodes_;
  models::Roles roles_;
  std::vector<Placed> tables_;
  std::vector<Extent> extents_;  // by address
};

}  // namespace racksim::app
