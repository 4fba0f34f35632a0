// Runs of SELCC (tests/protocols/protocol_run.hpp) on a rack that is small enough for tests, with the micro benchmark
// or by a script, access by access.
#pragma once

#include <cstdint>
#include <string>

#include "models/workloads/micro_workload.hpp"
#include "protocols/selcc/selcc.hpp"
#include "tests/protocols/protocol_run.hpp"
#include "tests/protocols/verbs.hpp"

namespace racksim::selcc::testing {

using racksim::testing::Verbs;
using namespace sim::literals;

/// What a test varies. The defaults are a contended, tiny rack: 4 compute and 2 memory nodes, caches that must evict.
struct Setup : racksim::testing::RunSetup {
  Options selcc;
  models::MicroOptions micro;  ///< of a script the threads count

  Setup() {
    rack.nodes = 6;
    rack.roles = {.compute = 4, .memory = 2};
    rack.cores = 8;
    selcc.line_bytes = 256;
    selcc.cache_bytes = 16 * 256;
    selcc.shards = 1;
    micro.threads = 2;
    micro.sharing_of = models::MicroOptions::SharingOf::lines;
    micro.sharing_ratio = 1;
    micro.working_set = 4 * 16 * 256;
    micro.warm_passes = 0;
    plan.drain = 10_ms;
    measure(2'000);
  }
};

/// With the micro benchmark.
class SelccRun : public racksim::testing::ProtocolRun {
 public:
  explicit SelccRun(const Setup& s) : SelccRun(s, tools::bound<models::WorkloadOptions>("micro", s.micro)) {}

  /// The value of one of SELCC's counters.
  std::uint64_t counter(const std::string& name) const { return ProtocolRun::counter("selcc." + name); }

  const Setup setup;
  Selcc* const protocol;

 protected:
  SelccRun(const Setup& s, BoundWorkload workload)
      : ProtocolRun(s, tools::bound<models::ProtocolOptions>("selcc", s.selcc), std::move(workload)),
        setup(s),
        protocol(&dynamic_cast<Selcc&>(running_protocol())) {}
};

/// By a script, on lines that all nodes share.
class SelccScript : public SelccRun {
 public:
  explicit SelccScript(const Setup& s) : SelccRun(s, shared_memory(s)) {}

  /// A line: they are dealt out to the memory servers in turn.
  models::GlobalAddress line(std::uint64_t i) const {
    const auto server = static_cast<NodeId>(setup.rack.roles.compute.value() + i % setup.rack.roles.memory.value());
    return models::GlobalAddress::at(server, i / setup.rack.roles.memory.value() * setup.selcc.line_bytes);
  }
  sim::Key key(std::uint64_t i) const { return protocol->block_of(line(i)); }
  LatchWord word(std::uint64_t i) const { return protocol->word_of(key(i)); }
  FrameState state(NodeId node, std::uint64_t i) {
    const Frame* frame = protocol->node(node).cache().find(key(i));
    return frame == nullptr ? FrameState::absent : frame->state;
  }

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
  sim::Duration read(NodeId node, std::uint64_t i, std::uint64_t object = 0) {
    return access({node, 0}, {line(i).value + 8 * object}, false);
  }
  sim::Duration write(NodeId node, std::uint64_t i, std::uint64_t object = 0) {
    return access({node, 0}, {line(i).value + 8 * object}, true);
  }

 private:
  static BoundWorkload shared_memory(const Setup& s) {
    models::ScriptOptions script;
    script.threads = s.micro.threads;
    script.shared_bytes = 64 * s.selcc.line_bytes;
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

}  // namespace racksim::selcc::testing
