// In which state an access finds its unit of coherence (a line, a block): who may read or write it, by the permissions
// that nodes tell of. What the access costs on perfect wires follows from that, as long as nobody else has to do with the
// unit meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/kernel/time.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/flat_map.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

enum class AccessState : std::uint8_t {
  unknown,          ///< somebody else used the unit, or it was not at rest
  read_hit,         ///< the node itself may read
  read_of_unheld,   ///< no node may read
  read_of_shared,   ///< others may read
  read_of_owned,    ///< another may write
  write_hit,        ///< the node itself may write
  upgrade,          ///< it may read, as others may
  write_of_unheld,  ///< as for reads
  write_of_shared,
  write_of_owned,
};

/// As cost tables name the accesses (cost_table.hpp), in the order of AccessState.
inline constexpr std::string_view kAccessStates[] = {"",
                                                     "reads that hit",
                                                     "reads of what nobody has",
                                                     "reads of what others share",
                                                     "reads of what another owns",
                                                     "writes that hit",
                                                     "upgrades",
                                                     "writes of what nobody has",
                                                     "writes of what others share",
                                                     "writes of what another owns"};

/// Follows the first kUnits units from their first permission or access on; of others it knows nothing. Memory: 96 bytes
/// a unit.
class AccessStates {
 public:
  static constexpr std::size_t kUnits = 65536;

  /// An access as it began.
  struct Access {
    std::uint64_t unit = 0;
    std::uint32_t changes = 0, foreign = 0, begun = 0;  // of its unit until then
    AccessState state = AccessState::unknown;
    std::uint8_t others = 0;  // nodes that could read or write besides its own
  };

  /// Keys that are equal above `unit_bits` are one unit, which locks name. A unit is at rest when nobody has used it for
  /// `quiet`: what follows an access has come by then.
  AccessStates(const sim::EventLog& event_log, unsigned unit_bits, sim::Duration quiet)
      : event_log_(event_log), unit_bits_(unit_bits), quiet_(quiet) {}

  void permission(const sim::PermissionView& change, sim::OperationId operation, sim::Time at);
  Access begin(const sim::Observation& observation);
  /// The state that `access` found and that nobody else has changed until now, when it is over.
  AccessState end(sim::Time at, const Access& access);

 private:
  struct Unit {
    std::uint64_t readers = 0, writers = 0;             // bitmaps of nodes; writers are no readers
    std::uint32_t changes = 0, foreign = 0, begun = 0;  // permissions; those that its only operation did not ask for
    std::uint32_t open = 0;
    sim::OperationId latest = 0;  // to begin
    sim::Time moved = sim::Time::beginning();
    // Ever locked, since an application that holds a lock has more than permissions, or held by a node without a bit.
    bool unknown = false;
  };

  /// Null if there are too many.
  Unit* unit_of(std::uint64_t number);
  std::uint64_t node_bit(sim::Source session);

  const sim::EventLog& event_log_;
  const unsigned unit_bits_;
  const sim::Duration quiet_;
  sim::FlatMap<Unit> units_;
  std::vector<std::uint64_t> node_bits_;  // by session; 0 if not known yet
};

}  // namespace racksim::models
