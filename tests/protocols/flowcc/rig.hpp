// A rack with FlowCC, the micro benchmark and all oracles, small enough for tests, run on the bare calendar.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/faults/faults.hpp"
#include "models/workloads/micro_workload.hpp"
#include "protocols/flowcc/flowcc.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/oracles/quiescence_oracle.hpp"
#include "sim/oracles/served_oracle.hpp"
#include "sim/oracles/single_writer_oracle.hpp"
#include "sim/oracles/values_at_rest_oracle.hpp"
#include "tests/protocols/judging.hpp"

namespace racksim::flowcc::testing {

using namespace sim::literals;

/// What a test varies. The defaults are a contended, tiny rack: 4 nodes, few blocks, caches that must evict.
struct Setup {
  std::uint64_t seed = 1;
  models::RackOptions rack;
  FlowCcOptions flowcc;
  models::MicroOptions micro;
  sim::ScheduleOrder order;
  std::uint64_t operations = 2'000;
  sim::Duration limit = 1'000_ms;  ///< of the time until the operations are done
  sim::Duration drain = 10_ms;
  bool watched = true;  ///< whether the oracles see the run

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

class Rig : sim::StateVisitor {
 public:
  explicit Rig(const Setup& s)
      : setup(s),
        calendar(s.order),
        rack(calendar, journal, metrics, s.rack, s.seed),
        data_value(journal),
        progress(journal),
        served(journal, {.settling = s.drain}) {
    models::ProtocolContext context{rack, s.micro.threads_per_node()};
    protocol = std::make_unique<FlowCc>(context, s.flowcc);
    models::WorkloadContext workload_context{rack, *protocol};
    workload = s.micro.build(workload_context);
    rack.observe_crashes(*workload);
    rack.observe_crashes(*protocol);
    workload->warm_up();
    protocol->show_state(*this);
    if (s.watched) {
      for (sim::Oracle* oracle : oracles()) journal.attach(*oracle);
      journal.attach(served);
    }
  }

  /// Runs the workload's operations, then judges.
  void run() {
    workload->notify_after(setup.operations, [this] { calendar.stop(); });
    protocol->start_measuring();
    faults.start();
    workload->start();
    calendar.run_until(sim::Time{} + setup.limit);
    protocol->stop_measuring();
    workload->stop();
    judge();
  }

  /// Ends the faults, drains, and lets the oracles judge.
  void judge() {
    // Switch and NIC hand packets to wires ahead of their start, a stepped pass later than a fused one.
    const sim::Time healed = calendar.now() + 10_us;
    for (models::NodeId node = 0; node < rack.nodes(); ++node) {
      rack.uplink(node).set_faults({}, healed);
      rack.downlink(node).set_faults({}, healed);
    }
    faults.heal();
    calendar.run_until(calendar.now() + setup.drain);
    for (models::Leak& leak : protocol->leaks()) quiescence.report(leak.kind, calendar.now(), std::move(leak.what));
    const bool judges_values = setup.watched && at_rest();
    if (judges_values) protocol->show_state(values_at_rest);
    for (sim::Oracle* oracle : oracles()) {
      if (oracle != &values_at_rest || judges_values) oracle->finish(calendar.now());
    }
    served.finish(calendar.now());
    protocol->record_final_state();
    balance = racksim::testing::packet_balance(rack);
  }

  /// Begins one access, outside the workload. `ended`, if given, gets the instant of its end.
  void begin(models::Session session, models::GlobalAddress address, bool write, sim::Time* ended = nullptr) {
    script.spawn(perform(session, address, write, ended));
  }
  /// Performs one access and lets all that it caused come to rest; returns how long the access took.
  sim::Duration access(models::Session session, models::GlobalAddress address, bool write) {
    const sim::Time begun = calendar.now();
    sim::Time ended = sim::Time::max();
    begin(session, address, write, &ended);
    calendar.run_until(begun + 300_us);
    return ended - begun;
  }
  /// A block that the workload has declared shared, so that the switch may own it.
  models::GlobalAddress shared_block(std::uint64_t i) const {
    return models::GlobalAddress::at(static_cast<models::NodeId>(i % rack.nodes()),
                                     i / rack.nodes() * setup.flowcc.block_bytes);
  }
  /// The value of one of FlowCC's counters.
  std::uint64_t counter(const std::string& name) const {
    return std::get<sim::Counter>(metrics.find("flowcc." + name)->value).value;
  }

  /// Whether nothing is under way any more.
  bool at_rest() {
    return workload->running() == 0 && script.running() == 0 && protocol->quiescent() && rack.packets_in_flight() == 0;
  }
  std::vector<sim::Oracle*> oracles() { return {&single_writer, &data_value, &progress, &quiescence, &values_at_rest}; }
  /// The first violation of each oracle, one a line; empty when all is well.
  std::string violations() { return racksim::testing::first_violations(oracles(), balance); }

  Setup setup;
  sim::Calendar calendar;
  sim::Journal journal;
  sim::Metrics metrics;
  models::Rack rack;
  std::unique_ptr<FlowCc> protocol;
  std::unique_ptr<models::Workload> workload;
  models::FaultSchedule faults{rack};  ///< to be filled before `run`
  sim::SingleWriterOracle single_writer;
  sim::DataValueOracle data_value;
  sim::ProgressOracle progress;
  sim::QuiescenceOracle quiescence;
  sim::ValuesAtRestOracle values_at_rest{data_value};
  sim::ServedOracle served;  ///< not among `oracles()`: many tests have timeouts that are too short on purpose
  std::optional<sim::Violation> balance;
  sim::Scope script{calendar};

 private:
  sim::Task<void> perform(models::Session session, models::GlobalAddress address, bool write, sim::Time* ended) {
    if (write) {
      co_await protocol->write(session, address);
    } else {
      co_await protocol->read(session, address);
    }
    if (ended != nullptr) *ended = calendar.now();
  }
  void home(std::uint64_t block, std::uint64_t value) override { data_value.initial_value(block, value); }
  void copy(std::uint64_t block, sim::Holder holder, std::uint64_t value, sim::CopyState state) override {
    const bool dirty = state == sim::CopyState::dirty;
    if (dirty) home(block, value);
    const auto permission = dirty ? sim::Permission::write : sim::Permission::read;
    single_writer.observe({sim::Time{},
                           sim::Observed::permission,
                           {},
                           0,
                           {block, holder.number(), static_cast<std::uint64_t>(permission)}});
  }
  void lost(std::uint64_t) override {}
};

}  // namespace racksim::flowcc::testing
