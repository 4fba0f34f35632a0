// The assembly of a run: calendar, rack, protocol, workload and faults, built from typed options. Nothing in it knows
// scenario files, phases or SimGrid; a process may hold several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/faults/faults.hpp"
#include "models/rack/rack.hpp"
#include "models/rack/rack_usage.hpp"
#include "models/service/protocol.hpp"
#include "models/workloads/workload.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/record/coverage.hpp"
#include "sim/record/event_log.hpp"
#include "sim/record/run_hash.hpp"

namespace racksim::tools {

/// What is built, with the names that errors give the parts.
struct Parts {
  struct NamedFault {
    std::string kind;
    std::shared_ptr<models::Fault> fault;
  };

  std::uint64_t seed = 1;
  sim::ScheduleOrder order{};
  models::RackOptions rack;
  std::string protocol_name;
  std::shared_ptr<const models::ProtocolOptions> protocol;
  std::shared_ptr<const models::WorkloadOptions> workload;
  std::vector<NamedFault> faults;
  sim::Coverage* coverage = nullptr;  ///< if given, of the protocol's map: learns what the run exercises
  std::string configuration;          ///< what the run hash begins with, besides the seed
};

class Assembly {
 public:
  /// Registers everything that the parts count in `metrics`, which must outlive the assembly. Throws sim::OptionError,
  /// whose option is a JSON pointer into a scenario ("/protocol/flowcc/cache_bytes"), if the parts do not fit each
  /// other.
  Assembly(const Parts& parts, sim::Metrics& metrics);
  Assembly(const Assembly&) = delete;
  Assembly& operator=(const Assembly&) = delete;

  /// Fills caches and directories before time zero; afterwards the clock shows zero and nothing has been counted.
  void warm_up();
  /// Events that were executed since then.
  std::uint64_t events() const { return calendar_.executed() - warm_events_; }

  sim::Calendar& calendar() { return calendar_; }
  /// What packets, machines and the protocol's service record.
  sim::EventLog& event_log() { return event_log_; }
  /// The service that the workload's operations are of: the protocol's, or one of its own that stands on it.
  models::Service& service() {
    models::Service* own = workload_->own_service();
    return own != nullptr ? *own : protocol_->service();
  }
  /// Of all that is recorded until now.
  sim::RunHash hash();
  sim::Metrics& metrics() { return metrics_; }
  models::Rack& rack() { return *rack_; }
  models::Protocol& protocol() { return *protocol_; }
  models::Workload& workload() { return *workload_; }
  models::FaultSchedule& faults() { return *faults_; }
  models::RackUsage& usage() { return *usage_; }
  const models::ProtocolOptions& protocol_options() const { return *protocol_options_; }
  /// For what takes the run from phase to phase: before all others at one instant.
  sim::Lane lane() const { return lane_; }

  /// Whether the protocol has something under way, besides operations and the locks that sessions hold, or a packet is
  /// that does not circulate in the switch.
  bool busy() const;
  /// Whether nothing is under way but packets that circulate in the switch.
  bool at_rest() const;

 private:
  bool packets_under_way() const;

  std::shared_ptr<const models::ProtocolOptions> protocol_options_;  // running protocols refer to them
  sim::Metrics& metrics_;
  sim::Calendar calendar_;
  sim::Lane lane_;
  sim::EventLog event_log_;
  std::unique_ptr<models::Rack> rack_;
  std::unique_ptr<models::Protocol> protocol_;
  std::unique_ptr<models::Workload> workload_;
  std::unique_ptr<models::RackUsage> usage_;
  std::unique_ptr<models::FaultSchedule> faults_;
  std::uint64_t warm_events_ = 0;
};

}  // namespace racksim::tools
