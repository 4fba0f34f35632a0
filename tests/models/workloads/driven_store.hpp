// The key-value workload on a store that answers after a fixed delay, and what it has asked for.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "models/workloads/key_value_workload.hpp"
#include "tests/models/service/fake_protocol.hpp"
#include "tests/models/service/fake_store.hpp"

namespace racksim::models::test {

using namespace sim::literals;

inline KeyValueOptions few_keys() {
  KeyValueOptions options;
  options.keys = 1000;
  options.swap_keys = 3;
  return options;
}

struct Driven : TestRack {
  explicit Driven(const KeyValueOptions& options, unsigned client_nodes = 5, std::uint64_t seed = 1)
      : TestRack(small(), seed),
        store(rack, client_nodes, options.threads_per_node(), {{.name = "register", .doc = "a register answered"}},
              options.sessions_per_thread()) {
    WorkloadContext context{rack, protocol};
    workload = options.build(context);
    rack.observe_crashes(*workload);
  }
  void run_until(sim::Duration when) { calendar.run_until(at(when)); }
  void run(sim::Duration length) {
    workload->start();
    run_until(length);
  }
  /// A node crashes, and comes back when the workload has stopped.
  void stop_while_down(NodeId node) {
    rack.crash(node);
    workload->stop();
    rack.restart(node);
    calendar.run_until();
  }
  std::vector<std::uint64_t> keys() const {
    std::vector<std::uint64_t> all;
    for (const auto& asked : store.asked) all.push_back(asked.key);
    return all;
  }
  /// Of clients that do not keep to their node: at the node.
  std::uint64_t asked_by(NodeId node) const {
    return static_cast<std::uint64_t>(std::count_if(store.asked.begin(), store.asked.end(),
                                                    [node](const auto& asked) { return asked.session.node == node; }));
  }

  FakeStore store;
  FakeProtocol protocol{store};
  std::unique_ptr<Workload> workload;
};

struct Told {
  std::uint64_t node, thread, key;
  bool write;
  sim::Time at;
  bool operator==(const Told&) const = default;
};
inline std::vector<Told> told(const FakeStore& store) {
  std::vector<Told> all;
  for (const auto& a : store.asked) all.push_back({a.session.node, a.session.thread, a.key, a.write, a.at});
  return all;
}

inline double count_of(std::size_t n) {
  return static_cast<double>(n);
}

}  // namespace racksim::models::test
