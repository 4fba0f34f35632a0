// A disk that a log is written to: how long until an entry is durable, and how many entries a sync covers.
//
// Appending takes no time. A sync makes everything durable that was appended before it began: it takes `sync`, and the
// time that those bytes take at `bandwidth`. There is one at a time. Whoever needs an entry durable asks for it: a sync
// begins at once, or, if one is under way, as soon as that ends, and what others have appended meanwhile goes with it
// (group commit). Entries that nobody asks for wait for somebody else's sync.
#pragma once

#include <cstdint>
#include <string>

#include "sim/kernel/calendar.hpp"
#include "sim/kernel/task.hpp"
#include "sim/kernel/time.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/options/parameters.hpp"

namespace racksim::models {

struct LogOptions {
  sim::Duration sync = sim::Duration::from_ps(100'000'000);  ///< of a sync, beside its bytes
  std::uint64_t bandwidth = 4'000'000'000;                   ///< bit/s at which a sync writes

  /// As `log.` options of whoever has one.
  void declare(sim::Parameters& p);
  /// What writing so many bytes adds to a sync, rounded up to whole picoseconds.
  sim::Duration time_for(std::uint64_t bytes) const;
};

/// What all logs of a run count together, under "log.".
struct LogCounters {
  explicit LogCounters(sim::Metrics& metrics);
  sim::Counter &syncs, &entries, &bytes;
};

class LogDevice {
 public:
  /// Entries are numbered from 1, in the order of appending.
  using Entry = std::uint64_t;

  /// `name` is what its events are called.
  LogDevice(sim::Calendar& calendar, const std::string& name, const LogOptions& options,
            LogCounters* counters = nullptr);
  LogDevice(const LogDevice&) = delete;
  LogDevice& operator=(const LogDevice&) = delete;
  ~LogDevice() {
    if (syncing_) calendar_.cancel(end_event_);
  }

  Entry append(std::uint64_t bytes);
  /// Asks for the entry, and so for all before it, to be made durable. Throws std::logic_error if there is no such entry.
  void force(Entry entry);
  /// The same, and ends when it is durable.
  sim::Task<void> durable(Entry entry);

  bool is_durable(Entry entry) const { return entry <= durable_; }
  /// Whether no sync is under way.
  bool idle() const { return !syncing_; }

  Entry appended() const { return appended_; }            ///< entries so far
  Entry entries_durable() const { return durable_; }      ///< of them
  std::uint64_t syncs() const { return syncs_; }          ///< that have ended
  std::uint64_t bytes_durable() const { return bytes_; }  ///< that they have written

 private:
  void begin();
  void end();

  sim::Calendar& calendar_;
  sim::Lane lane_;
  LogOptions options_;
  LogCounters* counters_;
  sim::Signal ended_;  // a sync
  Entry appended_ = 0, forced_ = 0, covered_ = 0, durable_ = 0;
  std::uint64_t waiting_bytes_ = 0;  // appended, in no sync yet
  std::uint64_t written_bytes_ = 0;  // by the sync that is under way
  std::uint64_t bytes_ = 0, syncs_ = 0;
  bool syncing_ = false;
  sim::EventId end_event_ = {};
};

}  // namespace racksim::models
