// Idle time-outs of table entries: a table that asks for them tells the control plane which of its entries no packet
// has hit for their time to live (docs/hardware.md 6.10).
//
// Hardware keeps three bits an entry in map RAM. A hit takes them back to the beginning, a sweep of the table every
// 2^(21+n) cycles moves them on, and the fifth sweep after the last hit sends the driver a message. The driver takes
// the time that this took off the entry's time to live, and the rest in steps of its query interval; a hit begins
// anew. What has timed out is told once, until a packet hits it; it stays in the table until the control plane removes
// it.
//
// A sweep takes one slot of each pipe, in which it looks at all entries: hardware goes from entry to entry while
// packets pass. An entry of several pipes is idle when it is in all of them. Before the driver tells of an entry it
// looks once more in a slot whether it was hit: hardware sends a message with the hit itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/switch_chassis.hpp"

namespace racksim::models {

/// An entry of a table, by key and priority.
struct TableEntry {
  const p4::Table* table = nullptr;
  std::vector<p4::KeyMatch> key{};
  std::uint32_t priority = 0;
  bool operator==(const TableEntry&) const = default;
};

/// Told of entries that have timed out, at the control CPU.
class TimeoutListener {
 public:
  virtual void timed_out(const TableEntry& entry) = 0;

 protected:
  ~TimeoutListener() = default;
};

class EntryTimeouts {
 public:
  /// The listener must outlive the run.
  EntryTimeouts(RackContext& context, SwitchChassis& chassis, TimeoutListener& listener);
  ~EntryTimeouts();
  EntryTimeouts(const EntryTimeouts&) = delete;
  EntryTimeouts& operator=(const EntryTimeouts&) = delete;

  /// The shortest query interval that the hardware can keep at this clock.
  static sim::Duration shortest_interval(const SwitchOptions& options);
  /// Begins to look at a table of the loaded program now, at this query interval. Once a table. Throws
  /// std::runtime_error for a table without idle time-outs and for an interval that is too short.
  void watch(const p4::Table& table, sim::Duration interval);
  /// Gives an entry of a watched table a time to live, from now on as if it was hit, or takes it away. The entry need
  /// not be there yet. Throws std::runtime_error for a time to live below the query interval, as the driver refuses it.
  void set_ttl(const TableEntry& entry, sim::Duration ttl);
  void forget(const TableEntry& entry);

 private:
  struct Aging;
  struct Watched;
  struct Round;
  /// What a round does to entries: the hardware's sweep, or the driver's step of a query interval.
  enum class Kind : std::uint8_t { sweep, query };

  Watched& watched(const p4::Table& table);
  void sweep(Watched* table);
  void query(Watched* table);
  void begin(Watched& table, Kind kind);
  void end(Round& round, sim::Time at);
  /// Whether an entry times out by this look at it.
  static bool times_out(const Watched& table, Aging& entry, Kind kind);
  void tell();

  RackContext& context_;
  SwitchChassis& chassis_;
  TimeoutListener& listener_;
  sim::Lane lane_, message_lane_;
  std::vector<std::unique_ptr<Watched>> watched_;
  std::vector<std::unique_ptr<Round>> rounds_;                 // under way
  std::vector<std::pair<sim::Time, std::uint64_t>> messages_;  // crossing PCIe: when they arrive, and of which entry
  std::uint64_t next_id_ = 0;
};

}  // namespace racksim::models
