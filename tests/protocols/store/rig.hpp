// A rack with a store (StarCache §4), all oracles and a log of what operations came to, small enough for tests, run on
// the bare calendar: by a script, operation by operation, or by the random workload.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/faults/faults.hpp"
#include "models/workloads/key_value_workload.hpp"
#include "protocols/store/application.hpp"
#include "sim/oracles/answer_oracle.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/oracles/quiescence_oracle.hpp"
#include "sim/oracles/served_oracle.hpp"
#include "sim/oracles/torn_oracle.hpp"
#include "sim/oracles/values_at_rest_oracle.hpp"
#include "sim/record/history.hpp"
#include "tests/protocols/judging.hpp"

namespace racksim::store::testing {

using namespace sim::literals;
using models::Session;

/// What a test varies besides the protocol's options. Nodes 0 and 1 are clients unless the options say otherwise.
struct Setup {
  std::uint64_t seed = 1;
  models::RackOptions rack;
  models::ItemSizes items;
  unsigned threads = 1;
  std::vector<std::uint64_t> preload;
  std::optional<models::KeyValueOptions> workload;  ///< instead of a script; it tells sizes and hottest keys itself
  std::uint64_t operations = 600;                   ///< of the workload
  sim::Duration limit = 50_ms;                      ///< of the time until they are done
  sim::Duration drain = 20_ms;
  sim::Coverage* coverage = nullptr;  ///< if a run is to mark what it exercises; the tap then sees nothing

  Setup() {
    rack.nodes = 3;
    rack.cores = 4;
    items.small_share = 1;
  }
};

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

/// Messages of the application as they enter the switch's ingress.
class Tap final : public models::PassWatcher {
 public:
  explicit Tap(models::SwitchChassis& chassis) : first_recirculation_port_(chassis.recirculation_port(0)) {}
  void before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) override {
    const auto* store = packet.find<StoreHeader>();
    if (store != nullptr) ++(metadata.port == first_recirculation_port_ ? circulating : arrived)[store->op % kOps];
  }
  void after_ingress(const p4::Packet&, const p4::IngressMetadata&, const p4::Verdict&) override {}
  std::uint64_t of(Op op) const { return arrived[number(op)]; }

  static constexpr std::size_t kOps = 256;
  std::array<std::uint64_t, kOps> arrived{}, circulating{};

 private:
  unsigned first_recirculation_port_;
};

class Rig : models::CrashObserver {
 public:
  template <class Options>
  Rig(const Setup& s, const Options& o)
      : setup(s),
        options(std::make_shared<Options>(o)),
        rack(calendar, journal, metrics, s.rack, s.seed),
        data_value(journal),
        progress(journal),
        returned_key(sim::StrayAnswer::wrong_key, journal),
        answered_once(sim::StrayAnswer::repeated, journal),
        torn(journal),
        served(journal, {.settling = s.drain, .fate = [this](std::uint64_t key) { return protocol->fate_of(key); }}),
        tap(rack.chassis()) {
    models::ProtocolContext context{rack, s.workload ? s.workload->threads_per_node() : s.threads,
                                    sim::CoverageProbe(s.coverage)};
    protocol = options->build(context);
    store = &dynamic_cast<Application&>(*protocol);
    for (models::NodeId node = 0; node < rack.nodes(); ++node) {
      scripts_.push_back(std::make_unique<sim::Scope>(calendar));
    }
    if (s.workload) {
      models::WorkloadContext workload_context{rack, *protocol};
      workload = s.workload->build(workload_context);
      rack.observe_crashes(*workload);
      workload->warm_up();
    } else {
      store->describe_items(s.items);
      store->preload(s.preload);
    }
    rack.observe_crashes(*this);
    rack.observe_crashes(*protocol);
    for (sim::Oracle* oracle : oracles()) journal.attach(*oracle);
    journal.attach(answered_once);
    journal.attach(served);
    journal.attach(log);
    if (s.coverage == nullptr) rack.chassis().watch(tap);
  }

  /// Runs the workload's operations, then judges.
  void run_workload() {
    workload->notify_after(setup.operations, [this] { calendar.stop(); });
    faults.start();
    workload->start();
    calendar.run_until(sim::Time{} + setup.limit);
    workload->stop();
    judge();
  }
  void run(sim::Duration length) { calendar.run_until(calendar.now() + length); }
  /// Ends the faults, drains, and lets the oracles judge.
  void judge() {
    for (models::NodeId node = 0; node < rack.nodes(); ++node) {
      rack.uplink(node).heal(calendar.now() + 10_us);
      rack.downlink(node).heal(calendar.now() + 10_us);
    }
    faults.heal();
    const sim::Time end = calendar.now() + setup.drain;
    if (workload) {
      do run(100_us);
      while (calendar.now() < end && !at_rest());
    } else {
      run(setup.drain);
    }
    for (models::Leak& leak : protocol->leaks()) quiescence.report(leak.kind, calendar.now(), std::move(leak.what));
    if (at_rest()) protocol->show_state(values_at_rest);
    for (sim::Oracle* oracle : oracles()) {
      if (oracle != &values_at_rest || at_rest()) oracle->finish(calendar.now());
    }
    served.finish(calendar.now());
    protocol->record_final_state();
    balance = racksim::testing::packet_balance(rack);
  }

  void get(Session session, std::uint64_t key) { scripts_[session.node]->spawn(perform(session, key, false)); }
  void put(Session session, std::uint64_t key) { scripts_[session.node]->spawn(perform(session, key, true)); }
  /// One operation from its beginning to its end, or 20 ms.
  Ended get_now(Session session, std::uint64_t key) {
    return wait_for([&] { get(session, key); });
  }
  Ended put_now(Session session, std::uint64_t key) {
    return wait_for([&] { put(session, key); });
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
  /// Has the packets that start on a wire in a window arrive late, by up to `by`, so that others overtake them.
  static void hold_back(models::Wire& wire, sim::Duration by, sim::Time from, sim::Time until) {
    models::WireFaults faults;
    faults.reorder = 1;
    faults.reorder_delay = by;
    wire.set_faults(faults, from, until);
  }
  /// Loses messages of a kind on a wire: `count` of them, from the `first` (1) on.
  static void lose(models::Wire& wire, Op op, std::uint64_t count = 1, std::uint64_t first = 1) {
    models::TargetedFault drop;
    drop.match = {.header = "store", .fields = {{"op", number(op)}}};
    drop.first = first;
    drop.count = count;
    wire.add_targeted_fault(std::move(drop));
  }

  std::uint64_t counter(const std::string& name) const {
    return std::get<sim::Counter>(metrics.find(name)->value).value;
  }
  std::vector<sim::Oracle*> oracles() {
    return {&data_value, &progress, &returned_key, &torn, &quiescence, &values_at_rest};
  }
  /// The first violation of each oracle but "answered-once" and "served", one a line; empty when all is well.
  std::string violations() { return racksim::testing::first_violations(oracles(), balance); }

  Setup setup;
  std::shared_ptr<const models::ProtocolOptions> options;  ///< protocols refer to them
  sim::Calendar calendar;
  sim::Journal journal;
  sim::Metrics metrics;
  models::Rack rack;
  std::unique_ptr<models::Protocol> protocol;
  Application* store = nullptr;
  std::unique_ptr<models::Workload> workload;
  models::FaultSchedule faults{rack};
  sim::DataValueOracle data_value;
  sim::ProgressOracle progress;
  sim::AnswerOracle returned_key, answered_once;
  sim::TornOracle torn;
  sim::QuiescenceOracle quiescence;
  sim::ValuesAtRestOracle values_at_rest{data_value};
  sim::ServedOracle served;  ///< not among `oracles()`: scripts lose packets in ways that no fault reports
  std::optional<sim::Violation> balance;
  Log log;
  Tap tap;

 private:
  void node_crashed(models::NodeId node) override { scripts_[node]->cancel_all(); }
  sim::Task<void> perform(Session session, std::uint64_t key, bool write) {
    if (write) {
      co_await store->put(session, key);
    } else {
      co_await store->get(session, key);
    }
  }
  bool at_rest() {
    return (!workload || workload->running() == 0) && protocol->quiescent() &&
           rack.packets_in_flight() == rack.chassis().packets_circulating();
  }
  template <class Begin>
  Ended wait_for(Begin&& begin) {
    const std::size_t before = ended();
    begin();
    for (int i = 0; i < 20'000 && ended() == before; ++i) run(1_us);
    return ended() == before ? Ended{} : log.ended.back();
  }

  std::vector<std::unique_ptr<sim::Scope>> scripts_;  // by node
};

inline constexpr Session kAlice{0, 0}, kBob{1, 0};

}  // namespace racksim::store::testing
