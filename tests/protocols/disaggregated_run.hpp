// Runs of a protocol on compute and memory servers apart, on a rack that is small enough for tests: with the micro
// benchmark or by a script, access by access.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "models/service/memory_service.hpp"
#include "models/workloads/micro_workload.hpp"
#include "tests/protocols/protocol_run.hpp"

namespace racksim::testing {

using namespace sim::literals;

/// What a test varies. The defaults are a contended, tiny rack: 4 compute and 2 memory nodes, 64 lines for all.
struct DisaggregatedSetup : RunSetup {
  static constexpr std::uint64_t kLineBytes = 256;
  models::MicroOptions micro;  ///< of a script the threads count

  DisaggregatedSetup() {
    rack.nodes = 6;
    rack.roles = {.compute = 4, .memory = 2};
    rack.cores = 8;
    micro.threads = 2;
    micro.sharing_of = models::MicroOptions::SharingOf::lines;
    micro.sharing_ratio = 1;
    micro.working_set = 64 * kLineBytes;
    micro.warm_passes = 0;
    plan.drain = 10_ms;
    measure(2'000);
  }
};

class DisaggregatedRun : public ProtocolRun {
 public:
  enum class Work : std::uint8_t { micro, script };

  DisaggregatedRun(const DisaggregatedSetup& s, BoundProtocol protocol, Work work)
      : ProtocolRun(s, std::move(protocol), work == Work::script ? scripted(s) : micro(s)),
        memory(dynamic_cast<models::MemoryService&>(running_protocol().service())) {}

  /// A line: they are dealt out to the memory servers in turn.
  models::GlobalAddress line(std::uint64_t i) const {
    const models::Roles& roles = memory.shape().roles;
    return models::GlobalAddress::at(static_cast<models::NodeId>(roles.first_memory_node + i % roles.memory_nodes),
                                     i / roles.memory_nodes * memory.shape().block_bytes);
  }
  sim::Key key(std::uint64_t i) const { return memory.block_of(line(i)); }

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
  sim::Duration read(models::NodeId node, std::uint64_t i, std::uint64_t object = 0) {
    return access({node, 0}, {line(i).value + 8 * object}, false);
  }
  sim::Duration write(models::NodeId node, std::uint64_t i, std::uint64_t object = 0) {
    return access({node, 0}, {line(i).value + 8 * object}, true);
  }
  /// Why a call of the service is refused; empty if it is not.
  std::string refusal(sim::Task<void> call) {
    std::string why;
    spawn(watch(std::move(call), why));
    advance(300_us);
    return why;
  }

  models::MemoryService& memory;

 private:
  static BoundWorkload micro(const DisaggregatedSetup& s) {
    return tools::bound<models::WorkloadOptions>("micro", s.micro);
  }
  static BoundWorkload scripted(const DisaggregatedSetup& s) {
    models::ScriptOptions script;
    script.threads = s.micro.threads;
    script.shared_bytes = s.micro.working_set;
    return tools::bound<models::WorkloadOptions>("script", script);
  }
  sim::Task<void> perform(models::Session session, models::GlobalAddress address, bool write, sim::Time* ended) {
    if (write) {
      co_await memory.write(session, address);
    } else {
      co_await memory.read(session, address);
    }
    if (ended != nullptr) *ended = calendar.now();
  }
  static sim::Task<void> watch(sim::Task<void> call, std::string& why) {
    try {
      co_await std::move(call);
    } catch (const std::invalid_argument& refused) {
      why = refused.what();
    }
  }
};

}  // namespace racksim::testing
