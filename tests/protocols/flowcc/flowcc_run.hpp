// Runs of FlowCC (tests/protocols/protocol_run.hpp) on a rack that is small enough for tests, with the micro benchmark
// or by a script, access by access.
#pragma once

#include <cstdint>
#include <string>

#include "models/workloads/micro_workload.hpp"
#include "protocols/flowcc/flowcc.hpp"
#include "tests/protocols/protocol_run.hpp"

namespace racksim::flowcc::testing {

using namespace sim::literals;

/// What a test varies. The defaults are a contended, tiny rack: 4 nodes, few blocks, caches that must evict.
struct Setup : racksim::testing::RunSetup {
  FlowCcOptions flowcc;
  models::MicroOptions micro;  ///< of a script the threads and the shared memory count

  Setup() {
    rack.nodes = 4;
    rack.cores = 8;
    flowcc.cache_bytes = 16 * 4096;
    flowcc.entries_per_way = 64;
    micro.threads = 2;
    micro.sharing_ratio = 0.7;
    micro.shared_bytes = 12 * 4096;
    micro.working_set = 4 * 64 * 4096;
    micro.warm_passes = 0;
    plan.drain = 10_ms;
    measure(2'000);
  }
};

/// The faults of the lossy scenario: 1 % loss, 1 % duplication, reordering.
inline models::WireFaults lossy() {
  models::WireFaults faults;
  faults.loss = 0.01;
  faults.duplicate = 0.01;
  faults.reorder = 0.02;
  return faults;
}

/// With the micro benchmark.
class FlowCcRun : public racksim::testing::ProtocolRun {
 public:
  explicit FlowCcRun(const Setup& s) : FlowCcRun(s, tools::bound<models::WorkloadOptions>("micro", s.micro)) {}

  /// A block that is shared, so that the switch may own it.
  models::GlobalAddress shared_block(std::uint64_t i) const {
    return models::GlobalAddress::at(static_cast<models::NodeId>(i % rack.nodes()),
                                     i / rack.nodes() * setup.flowcc.block_bytes);
  }
  /// The value of one of FlowCC's counters.
  std::uint64_t counter(const std::string& name) const { return ProtocolRun::counter("flowcc." + name); }

  const Setup setup;
  FlowCc* const protocol;

 protected:
  FlowCcRun(const Setup& s, BoundWorkload workload)
      : ProtocolRun(s, tools::bound<models::ProtocolOptions>("flowcc", s.flowcc), std::move(workload)),
        setup(s),
        protocol(&dynamic_cast<FlowCc&>(running_protocol())) {}
};

/// The path of the option for which a set-up is refused; "accepted" if it is not.
inline std::string refusal(const Setup& setup) {
  try {
    FlowCcRun run(setup);
  } catch (const sim::OptionError& error) {
    return error.option();
  }
  return "accepted";
}

/// By a script.
class FlowCcScript : public FlowCcRun {
 public:
  explicit FlowCcScript(const Setup& s) : FlowCcRun(s, shared_memory(s)) {}

  /// Begins one access. `ended`, if given, gets the instant of its end.
  void begin(models::Session session, models::GlobalAddress address, bool write, sim::Time* ended = nullptr) {
    spawn(perform(session, address, write, ended), session.node);
  }
  /// Performs one access and lets all that it caused come to rest; returns how long the access took.
  sim::Duration access(models::Session session, models::GlobalAddress address, bool write) {
    const sim::Time begun = calendar.now();
    sim::Time ended = sim::Time::max();
    begin(session, address, write, &ended);
    advance(300_us);
    return ended - begun;
  }

 private:
  static BoundWorkload shared_memory(const Setup& s) {
    models::ScriptOptions script;
    script.threads = s.micro.threads;
    script.shared_bytes = s.micro.shared_bytes;
    return tools::bound<models::WorkloadOptions>("script", script);
  }
  sim::Task<void> perform(models::Session session, models::GlobalAddress address, bool write, sim::Time* ended) {
    if (write) {
      co_await protocol->write(session, address);
    } else {
      co_await protocol->read(session, address);
    }
    if (ended != nullptr) *ended = calendar.now();
  }
};

}  // namespace racksim::flowcc::testing
