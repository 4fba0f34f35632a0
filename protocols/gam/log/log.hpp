// The log of a node (GAM §5): what it has written (DLOG), and to whom it has given its own lines (OLOG).
//
//   DLOG  the content of a line, by whoever writes it, with the counter of the ownership under which it does
//   OLOG  the new owner of a line, by its home, with a counter that each transfer raises
//   UNDO  by a home in recovery: the newest entry of a line is void
//
// Entries are durable when the device has them (models/host/nvram.hpp); those of one piece of work become so together,
// and what a crash finds on its way is lost. Of each line the log keeps what recovery can ask for: of a home the newest
// entry and the one before, which is valid if the newest is not; of another node the newest DLOG. Older entries may be
// dropped, for a newer one of their line is durable; evictions and reads, which change memory without an entry, cost
// none.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/host/nvram.hpp"
#include "models/packets/rack_context.hpp"
#include "protocols/latched_memory/line_data.hpp"
#include "sim/record/ids.hpp"

namespace racksim::gam {

using latched_memory::LineData;
using models::NodeId;

/// The values of data that have `for_each`.
template <class Data>
LineData copy_of(const Data& data) {
  LineData copy;
  data.for_each([&](std::uint16_t object, sim::Value value) { copy.set(object, value); });
  return copy;
}

/// One entry. A DLOG is the owner's own: `owner` says nothing then.
struct LogEntry {
  enum class Type : std::uint8_t { dlog, olog };
  Type type{};
  std::uint32_t counter = 0;
  NodeId owner = 0;
  LineData data{};

  /// Of data that have `for_each`.
  template <class Data>
  static LogEntry dlog(const Data& data, std::uint32_t counter) {
    return {.type = Type::dlog, .counter = counter, .owner = 0, .data = copy_of(data)};
  }
  static LogEntry olog(NodeId owner, std::uint32_t counter) {
    return {.type = Type::olog, .counter = counter, .owner = owner};
  }
};

class Log {
 public:
  static constexpr std::uint64_t kHeaderBytes = 24;  // type, line, counter, owner (estimate)

  Log(const models::NvramOptions& options, std::uint64_t line_bytes) : device_(options), line_bytes_(line_bytes) {}

  /// Adds an entry to what is being written. Returns the instant at which all of that is durable.
  sim::Time append(sim::Time now, sim::Key line, LogEntry entry);
  /// Whether nothing is being written.
  bool is_written() const { return writing_.empty(); }
  /// What was being written is durable.
  void commit();
  /// For warming up: an entry that is durable.
  void keep(sim::Key line, LogEntry entry);
  /// The newest entry of a line is void: the one before takes its place. For recovery.
  void undo(sim::Key line);

  /// The newest durable entry of a line; null if there is none.
  const LogEntry* newest(sim::Key line) const;
  /// The one before the newest that was added, durable or not; null if there is none.
  const LogEntry* before(sim::Key line) const;
  /// Whether the newest write of the line was under this counter.
  bool has_written(sim::Key line, std::uint32_t counter) const;
  /// The highest counter of the line's entries, 0 without.
  std::uint32_t counter_of(sim::Key line) const;
  /// The lines that it knows, in their order.
  std::vector<sim::Key> lines() const;
  /// How long one pass over it takes.
  sim::Duration scan_time() const { return device_.read(bytes_); }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t stalls() const { return device_.stalls(); }

  void crash(sim::Time now);
  void restart(sim::Time now) { device_.power_on(now); }

 private:
  struct Record {
    LogEntry newest;
    std::optional<LogEntry> before;
    std::uint32_t counter = 0;  // the highest that was given out, be it void
  };
  std::uint64_t bytes_of(const LogEntry& entry) const {
    return kHeaderBytes + (entry.type == LogEntry::Type::dlog ? line_bytes_ : 0);
  }

  models::Nvram device_;
  std::uint64_t line_bytes_;
  std::unordered_map<std::uint64_t, Record> records_;  // by line
  std::vector<std::pair<sim::Key, LogEntry>> writing_;
  std::uint64_t bytes_ = 0;  // of what is kept
};

}  // namespace racksim::gam
