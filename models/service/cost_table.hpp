// What operations of a protocol cost in messages on perfect wires: what it declares, the oracle `cost` judges by
// (cost_oracle.hpp), and `racksim table --costs` prints.
//
// A row compares two sums: "received INV" are as many as "sent INV-ACK". Its sums are of
//
//   sent READ       packets of a type of message of the table, as NICs make them
//   received READ   the same as they reach NICs: the switch may have made, copied or answered them
//   bytes of READ   of payload in those that were sent
//   reads           operations of a kind that ended: reads, writes, swaps, additions, fences, locks, shared locks,
//                   try-locks, shared try-locks, unlocks, allocations, frees
//   operations      of any kind
//   other holders   nodes that could read or write what an access of a state found at rest (access_states.hpp)
//   gam.denied      a counter of the protocol, of the whole run
//
// each with a factor in front of it, or 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/record/ids.hpp"

namespace racksim::models {

/// `cost` is at least `least` times `per`, and at most `most` times.
struct CostRow {
  static constexpr std::uint64_t kAny = ~std::uint64_t{0};

  std::string what;     ///< as a sentence: "each holder answers once"
  std::string section;  ///< of the paper
  std::string cost;     ///< "sent ACK", "sent READ + 2 sent WRITE"
  std::string per;
  std::uint64_t least = 1, most = 1;
  bool of_each = true;  ///< it holds for each operation, and so for all together; else for all together alone
  /// It holds for each access of this state alone: "reads that hit" (access_states.hpp). Empty for all operations.
  std::string of = {};

  /// Of all accesses of a state together it is judged if there are so many: what is rare may come first.
  static constexpr std::uint64_t kMany = 24;

  bool allows(std::uint64_t its_cost, std::uint64_t its_per) const {
    return its_cost >= least * its_per && (most == kAny || its_cost <= most * its_per);
  }
};

/// A row of each access of one state.
inline CostRow row_of(std::string_view state, std::string what, std::string section, std::string cost,
                      std::uint64_t least, std::uint64_t most, std::string per = "operations") {
  return {std::move(what), std::move(section), std::move(cost), std::move(per), least, most, true, std::string(state)};
}

/// A row of all accesses of one state together, where there are CostRow::kMany.
inline CostRow row_of_many(std::string_view state, std::string what, std::string section, std::string cost,
                           std::uint64_t least, std::uint64_t most, std::string per = "operations") {
  return {std::move(what), std::move(section), std::move(cost), std::move(per), least, most, false, std::string(state)};
}

/// Empty if a protocol declares nothing.
struct CostTable {
  std::vector<std::string> messages;  ///< types of messages, as the paper calls them
  std::vector<CostRow> rows;
  bool writes_return_early = false;  ///< what a write finds it finds until it is performed
};

/// A message in a packet. The packet's payload counts as that of its first message.
struct CostedMessage {
  std::size_t type = 0;            ///< in CostTable::messages
  sim::OperationId operation = 0;  ///< for which it was sent; 0 if for none
};

}  // namespace racksim::models
