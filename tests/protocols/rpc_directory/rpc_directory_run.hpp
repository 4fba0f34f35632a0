// Runs of the RPC directory (tests/protocols/protocol_run.hpp) on a rack that is small enough for tests, with the micro
// benchmark or by a script, access by access.
#pragma once

#include <string>

#include "models/workloads/micro_workload.hpp"
#include "protocols/rpc_directory/rpc_directory.hpp"
#include "tests/protocols/protocol_run.hpp"
#include "tests/protocols/verbs.hpp"

namespace racksim::rpc_directory::testing {

using racksim::testing::Verbs;
using namespace sim::literals;

/// What a test varies. The defaults are a contended, tiny rack: 4 compute and 2 memory nodes, caches that must evict.
struct Setup : racksim::testing::RunSetup {
  Options options;
  models::MicroOptions micro;  ///< of a script the threads count

  Setup() {
    rack.nodes = 6;
    rack.roles = {.compute = 4, .memory = 2};
    rack.cores = 8;
    options.line_bytes = 256;
    options.cache_bytes = 16 * 256;
    options.shards = 1;
    micro.threads = 2;
    micro.sharing_of = models::MicroOptions::SharingOf::lines;
    micro.sharing_ratio = 1;
    micro.working_set = 4 * 16 * 256;
    micro.warm_passes = 0;
    plan.drain = 10_ms;
    measure(2'000);
  }
};

class Run : public racksim::testing::ProtocolRun {
 public:
  /// With the micro benchmark.
  explicit Run(const Setup& s) : Run(s, tools::bound<models::WorkloadOptions>("micro", s.micro)) {}

  std::uint64_t counter(const std::string& name) const { return ProtocolRun::counter("rpc_directory." + name); }

  RpcDirectory& protocol;

 protected:
  Run(const Setup& s, BoundWorkload workload)
      : ProtocolRun(s, tools::bound<models::ProtocolOptions>("rpc-directory", s.options), std::move(workload)),
        protocol(dynamic_cast<RpcDirectory&>(running_protocol())) {}
};

/// By a script, on lines of the first memory server, node 4.
class Script : public Run {
 public:
  explicit Script(const Setup& s) : Run(s, script_of(s)), line_bytes_(s.options.line_bytes) {}

  models::GlobalAddress line(std::uint64_t i) const { return models::GlobalAddress::at(4, i * line_bytes_); }
  LineState state(NodeId node, std::uint64_t i) const {
    const Frame* frame = protocol.node(node).cache().find(protocol.block_of(line(i)));
    return frame == nullptr ? LineState::absent : frame->state;
  }
  DirectoryState home(std::uint64_t i) const {
    const sim::Key key = protocol.block_of(line(i));
    const Entry* entry = protocol.directory_of(key).find(key);
    return entry == nullptr ? DirectoryState::uncached : entry->state;
  }

  /// Begins one access. `ended`, if given, gets the instant of its end.
  void begin(NodeId node, std::uint64_t i, bool write, sim::Time* ended = nullptr, std::uint16_t thread = 0) {
    spawn(perform({node, thread}, line(i), write, ended), node);
  }
  /// Performs one access and lets all that it caused come to rest.
  void read(NodeId node, std::uint64_t i) { access(node, i, false); }
  void write(NodeId node, std::uint64_t i) { access(node, i, true); }

 private:
  static BoundWorkload script_of(const Setup& s) {
    models::ScriptOptions script;
    script.threads = s.micro.threads;
    script.shared_bytes = 64 * s.options.line_bytes;
    return tools::bound<models::WorkloadOptions>("script", script);
  }
  void access(NodeId node, std::uint64_t i, bool write) {
    begin(node, i, write);
    advance(300_us);
  }
  sim::Task<void> perform(models::Session session, models::GlobalAddress address, bool write, sim::Time* ended) {
    if (write) {
      co_await protocol.write(session, address);
    } else {
      co_await protocol.read(session, address);
    }
    if (ended != nullptr) *ended = calendar.now();
  }

  std::uint64_t line_bytes_;
};

}  // namespace racksim::rpc_directory::testing
