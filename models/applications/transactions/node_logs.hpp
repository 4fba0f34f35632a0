// The logs of a run: a device at each node that computes, and how often committed transactions have asked for a sync.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/host/log_device.hpp"
#include "models/packets/rack_context.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/kernel/task.hpp"
#include "sim/metrics/metrics.hpp"

namespace racksim::app {

/// Bytes of an entry in a log beside rows (assumed).
inline constexpr std::uint64_t kLogEntryBytes = 64;

class NodeLogs {
 public:
  NodeLogs(sim::Calendar& calendar, sim::Metrics& metrics, unsigned nodes, const models::LogOptions& options);

  models::LogDevice& at(models::NodeId node) { return *devices_[node]; }
  /// A transaction has committed, for which logs were asked for so many syncs, so many of them one after the other.
  void committed(std::uint64_t syncs, std::uint64_t in_turn);

 private:
  models::LogCounters counters_;
  sim::Counter &transactions_, &syncs_, &in_turn_;
  std::vector<std::unique_ptr<models::LogDevice>> devices_;
};

}  // namespace racksim::app
