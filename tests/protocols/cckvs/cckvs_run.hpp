// Runs of ccKVS and its baselines (tests/protocols/protocol_run.hpp) on a rack that is small enough for tests, by a
// script, operation by operation, or with the random workload.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "models/workloads/key_value_workload.hpp"
#include "protocols/cckvs/cckvs.hpp"
#include "sim/options/option_error.hpp"
#include "tests/protocols/protocol_run.hpp"

namespace racksim::cckvs::testing {

using namespace sim::literals;
using models::Session;

/// What a test varies besides the protocol's options.
struct Setup : racksim::testing::RunSetup {
  models::ScriptOptions script;
  std::optional<models::KeyValueOptions> workload;  ///< instead of the script

  Setup() {
    rack.nodes = 3;
    rack.cores = 4;
    script.items = {.key_bytes = 8, .small_value_bytes = 40, .large_value_bytes = 40, .small_share = 1};
    plan.drain = 20_ms;
    measure(3000);
  }
};

/// A few keys, all cached, that two sessions a node contend for in closed loop.
inline models::KeyValueOptions contended_keys(std::uint64_t keys, std::uint64_t cached, double writes) {
  models::KeyValueOptions workload;
  workload.threads = 2;
  workload.keys = keys;
  workload.preload = cached;
  workload.write_ratio = writes;
  workload.loop = models::KeyValueOptions::Loop::closed;
  workload.window = 2;
  workload.key_bytes = 8;
  workload.small_value = 40;
  workload.small_share = 1;
  workload.swap_keys = 1;
  return workload;
}

/// By a script, with the keys from 0 on cached.
inline Setup scripted(std::uint64_t cached, std::uint64_t nodes = 3) {
  Setup setup;
  setup.rack.nodes = nodes;
  for (std::uint64_t key = 0; key < cached; ++key) setup.script.hottest.push_back(sim::Key(key));
  return setup;
}

/// By the random workload, with all keys cached.
inline Setup contended(std::uint64_t seed, std::uint64_t keys, double writes = 0.5) {
  Setup setup;
  setup.seed = seed;
  setup.workload = contended_keys(keys, keys, writes);
  return setup;
}

/// Nodes of two cache threads and two KVS threads.
template <class Options>
Options small() {
  Options options;
  options.cache_threads = options.kvs_threads = 2;
  return options;
}
inline Options small(Consistency consistency) {
  Options options = small<Options>();
  options.rules.consistency = consistency;
  return options;
}

/// What an operation came to.
struct Ended {
  bool write = false;
  std::uint64_t key = 0, value = 0;
  sim::Duration took;
};

class Log final : public sim::Observer {
 public:
  void observe(const sim::Observation& o) override {
    if (o.what != sim::Observed::operation_ended) return;
    const auto operation = sim::OperationView::of(o);
    ended.push_back({operation.kind == sim::OperationKind::write, operation.key, operation.value, {}});
  }
  std::deque<Ended> ended;
};

class CckvsRun : public racksim::testing::ProtocolRun {
 public:
  template <class Options>
  explicit CckvsRun(const Setup& s, const Options& options)
      : ProtocolRun(s, tools::bound<models::ProtocolOptions>("cckvs", options), workload_of(s)),
        cluster(&dynamic_cast<Cluster&>(running_protocol())) {
    event_log.attach(log);
  }

  // Of a script.
  void get(Session session, std::uint64_t key) { spawn(perform(session, key, session.node, false), session.node); }
  void put(Session session, std::uint64_t key) { spawn(perform(session, key, session.node, true), session.node); }
  /// One operation from its beginning to its end, or 1 ms.
  Ended get_now(Session session, std::uint64_t key) { return get_now(session, key, session.node); }
  Ended get_now(Session session, std::uint64_t key, NodeId at) { return wait_for(session, key, at, false); }
  Ended put_now(Session session, std::uint64_t key) { return wait_for(session, key, session.node, true); }

  std::size_t ended() const { return log.ended.size(); }
  /// A counter of the protocol's own.
  std::uint64_t counted(const std::string& what) const { return counter(own_name(what)); }
  std::string own_name(const std::string& what) const {
    return (dynamic_cast<const Cckvs*>(cluster) != nullptr ? "cckvs." : "cckvs_base.") + what;
  }
  std::uint64_t packets(MessageClass message) const { return counted(std::string(name_of(message)) + ".packets"); }
  std::uint64_t bytes(MessageClass message) const { return counted(std::string(name_of(message)) + ".bytes"); }
  /// The first key whose home is, or is not, this node.
  std::uint64_t key_at(NodeId node, std::uint64_t from = 0) const {
    while (cluster->home(sim::Key(from)).node != node) ++from;
    return from;
  }

  Cluster* const cluster;
  Log log;

 private:
  static BoundWorkload workload_of(const Setup& s) {
    if (s.workload) return tools::bound<models::WorkloadOptions>("key-value", *s.workload);
    return tools::bound<models::WorkloadOptions>("script", s.script);
  }
  sim::Task<void> perform(Session session, std::uint64_t key, NodeId at, bool write) {
    if (write) {
      co_await cluster->put(session, sim::Key(key), at);
    } else {
      co_await cluster->get(session, sim::Key(key), at);
    }
  }
  Ended wait_for(Session session, std::uint64_t key, NodeId at, bool write) {
    const std::size_t before = ended();
    const sim::Time begin = calendar.now();
    spawn(perform(session, key, at, write), session.node);
    for (int i = 0; i < 100'000 && ended() == before; ++i) advance(10_ns);
    if (ended() == before) return {};
    Ended result = log.ended.back();
    result.took = calendar.now() - begin;
    return result;
  }
};

/// Builds a run that this option should refuse; empty if it does, else what is refused instead, or "built".
template <class Options>
std::string refusal_of(const Setup& setup, const Options& options, const std::string& option) {
  try {
    CckvsRun run(setup, options);
  } catch (const sim::OptionError& error) {
    return error.option() == option ? std::string() : error.option() + ": " + error.what();
  }
  return "built";
}

inline constexpr Session kAlice{0, 0}, kBob{1, 0}, kCarol{2, 0};

}  // namespace racksim::cckvs::testing
