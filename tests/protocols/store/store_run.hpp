// Runs of a store (StarCache §4; tests/protocols/protocol_run.hpp) on a rack that is small enough for tests, by a
// script, operation by operation, or with the random workload; what operations came to, and which messages the switch
// saw.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/switch/switch_chassis.hpp"
#include "models/workloads/key_value_workload.hpp"
#include "protocols/store/application.hpp"
#include "tests/protocols/protocol_run.hpp"

namespace racksim::store::testing {

using namespace sim::literals;
using models::Session;

/// What a test varies besides the protocol's options. Nodes 0 and 1 are clients unless the options say otherwise.
struct Setup : racksim::testing::RunSetup {
  models::ScriptOptions script;
  std::optional<models::KeyValueOptions> workload;  ///< instead of the script
  bool tapped = true;                               ///< whether the tap sees the switch's packets

  Setup() {
    rack.nodes = 3;
    rack.cores = 4;
    script.items.small_share = 1;
    plan.drain = 20_ms;
    measure(600);
  }
  /// The run marks this. The switch then has no room for the tap.
  void mark(sim::Coverage& marked) {
    coverage = &marked;
    tapped = false;
  }
};

/// For runs in which nothing is lost or doubled: then each request is answered once, too.
inline Setup answered_once(Setup setup = {}) {
  setup.check = R"({"all": true, "answered-once": true})";
  return setup;
}
/// For scripts in which servers, clients or the switch fail without a fault that says so: nothing explains to `served`
/// why requests time out then.
inline Setup failing_by_hand(Setup setup = {}) {
  setup.check = R"({"all": true, "served": false})";
  return setup;
}

/// Few keys, half of them of three packets, with writes: two threads a client contend for them.
inline models::KeyValueOptions contended_keys(std::uint64_t keys, std::uint64_t rate) {
  models::KeyValueOptions workload;
  workload.threads = 2;
  workload.keys = keys;
  workload.write_ratio = 0.3;
  workload.rate = rate;
  workload.large_value = 3000;
  workload.small_share = 0.5;
  workload.swap_keys = 4;
  return workload;
}

/// The small options that tests begin with: one server node of one partition, which is fast.
template <class Options>
Options small_store() {
  Options options;
  options.server_nodes = 1;
  options.partitions = 1;
  options.service_work = 1_us;
  options.timeout = 200_us;
  return options;
}

/// What an operation came to.
struct Ended {
  bool write = false;
  std::uint64_t key = 0, value = 0;
  bool given_up = false;
  sim::Time at{};
};

class Log final : public sim::Observer {
 public:
  void observe(const sim::Observation& o) override {
    const bool given_up = o.what == sim::Observed::operation_given_up;
    if (o.what != sim::Observed::operation_ended && !given_up) return;
    const auto operation = sim::OperationView::of(o);
    ended.push_back({operation.kind == sim::OperationKind::write, operation.key, operation.value, given_up, o.at});
  }
  std::deque<Ended> ended;  // a deque, because tests keep references to operations while others end
};

/// Messages of the application as they enter the ingress of the servers' switch.
class Tap final : public models::PassObserver {
 public:
  explicit Tap(models::SwitchChassis& chassis) : chassis_(chassis) {}
  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) override {
    const auto* store = packet.find<StoreHeader>();
    const bool comes_round = metadata.port == chassis_.recirculation_port(chassis_.pipe_of(metadata.port));
    if (store != nullptr) ++(comes_round ? circulating : arrived)[store->op % kOps];
  }
  void after_ingress(const p4::Packet&, const p4::IngressMetadata&, const p4::Verdict&) override {}
  std::uint64_t of(Op op) const { return arrived[number(op)]; }

  static constexpr std::size_t kOps = 256;
  std::array<std::uint64_t, kOps> arrived{}, circulating{};

 private:
  models::SwitchChassis& chassis_;
};

class StoreRun : public racksim::testing::ProtocolRun {
 public:
  /// `name` is the protocol's.
  template <class Options>
  StoreRun(const Setup& s, const char* name, const Options& options)
      : ProtocolRun(s, tools::bound<models::ProtocolOptions>(name, options), workload_of(s)),
        store(&dynamic_cast<Application&>(running_protocol())),
        tap(servers_switch()) {
    event_log.attach(log);
    if (s.tapped) servers_switch().add_pass_observer(tap);
  }

  // Of a script.
  void get(Session session, std::uint64_t key) { spawn(perform(session, key, false), session.node); }
  void put(Session session, std::uint64_t key) { spawn(perform(session, key, true), session.node); }
  /// One operation from its beginning to its end, or 20 ms.
  Ended get_now(Session session, std::uint64_t key) {
    return wait_for([&] { get(session, key); });
  }
  Ended put_now(Session session, std::uint64_t key) {
    return wait_for([&] { put(session, key); });
  }

  /// The switch of the servers, which are the last nodes.
  models::SwitchChassis& servers_switch() {
    return rack.chassis(rack.switch_of(static_cast<models::NodeId>(rack.nodes() - 1)));
  }

  /// How many operations have ended or been given up.
  std::size_t ended() const { return log.ended.size(); }

  /// Has the packets that start on a wire in a window arrive late, and those behind them not before.
  static void delay(models::Wire& wire, sim::Duration by, sim::Time from, sim::Time until) {
    models::WireFaults faults;
    faults.spike = 1;
    faults.spike_delay = by;
    wire.set_faults(faults, from, until);
  }
  /// Has the packets that start on a wire in a window arrive late by `by`, so that others overtake them.
  static void hold_back(models::Wire& wire, sim::Duration by, sim::Time from, sim::Time until) {
    models::TargetedFault hold;
    hold.effect = models::TargetedFault::Effect::hold;
    hold.count = 1'000'000;
    hold.from = from;
    hold.until = until;
    hold.delay = by;
    wire.add_targeted_fault(std::move(hold));
  }
  /// Loses messages of a kind on a wire: `count` of them, from the `first` (1) on.
  static void lose(models::Wire& wire, Op op, std::uint64_t count = 1, std::uint64_t first = 1) {
    models::TargetedFault drop;
    drop.match = {.header = "store", .fields = {{"op", number(op)}}};
    drop.first = first;
    drop.count = count;
    wire.add_targeted_fault(std::move(drop));
  }

  Application* const store;
  Log log;
  Tap tap;

 private:
  static BoundWorkload workload_of(const Setup& s) {
    if (s.workload) return tools::bound<models::WorkloadOptions>("key-value", *s.workload);
    return tools::bound<models::WorkloadOptions>("script", s.script);
  }
  sim::Task<void> perform(Session session, std::uint64_t key, bool write) {
    if (write) {
      co_await store->put(session, sim::Key{key});
    } else {
      co_await store->get(session, sim::Key{key});
    }
  }
  template <class Begin>
  Ended wait_for(Begin&& begin) {
    const std::size_t before = ended();
    begin();
    for (int i = 0; i < 20'000 && ended() == before; ++i) advance(1_us);
    return ended() == before ? Ended{} : log.ended.back();
  }
};

inline constexpr Session kAlice{0, 0}, kBob{1, 0};

}  // namespace racksim::store::testing
