// A rack with NetCache, the key-value workload and the oracles, small enough for tests, run on the bare calendar.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "models/faults/faults.hpp"
#include "models/workloads/key_value_workload.hpp"
#include "protocols/netcache/netcache.hpp"
#include "sim/oracles/answer_oracle.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/oracles/quiescence_oracle.hpp"
#include "sim/oracles/torn_oracle.hpp"
#include "sim/oracles/values_at_rest_oracle.hpp"
#include "tests/protocols/judging.hpp"

namespace racksim::netcache::testing {

using namespace sim::literals;

/// What a test varies. The defaults are a tiny rack with few, hot, small items: two client nodes, two server nodes.
struct Setup {
  std::uint64_t seed = 1;
  models::RackOptions rack;
  NetCacheOptions netcache;
  models::KeyValueOptions workload;
  std::uint64_t operations = 2'000;
  bool rounds = false;  ///< whether the controller keeps its rounds
  sim::Duration limit = 100_ms;
  sim::Duration drain = 20_ms;

  Setup() {
    rack.nodes = 4;
    rack.cores = 4;
    netcache.server_nodes = 2;
    netcache.partitions = 2;
    netcache.cache_entries = 16;
    netcache.preload = 32;
    netcache.timeout = 200_us;
    netcache.attempts = 50;
    netcache.service_work = 1_us;
    netcache.update_timeout = 50_us;
    netcache.fetch_timeout = 100_us;
    netcache.round = 200_us;
    netcache.threshold = 3;
    netcache.sketch_width = 64;
    workload.threads = 2;
    workload.keys = 100;
    workload.rate = 1'500'000;
    workload.write_ratio = 0.3;
    workload.small_share = 0.9;
    workload.zipf = 1.2;
    workload.swap_keys = 8;
  }
};

/// 1 % loss, 5 % duplication, 10 % of the packets late by up to 20 us.
inline models::WireFaults harsh() {
  models::WireFaults faults;
  faults.loss = 0.01;
  faults.duplicate = 0.05;
  faults.reorder = 0.1;
  faults.reorder_delay = 20_us;
  return faults;
}

class Rig {
 public:
  explicit Rig(const Setup& s)
      : setup(s), rack(calendar, journal, metrics, s.rack, s.seed), data_value(journal), progress(journal) {
    models::ProtocolContext context{rack, s.workload.threads_per_node()};
    protocol = std::make_unique<NetCache>(context, s.netcache);
    models::WorkloadContext workload_context{rack, *protocol};
    workload = s.workload.build(workload_context);
    rack.observe_crashes(*workload);
    rack.observe_crashes(*protocol);
    workload->warm_up();
    for (sim::Oracle* oracle : oracles()) journal.attach(*oracle);
  }

  /// Runs the workload's operations, then ends the faults, drains, and lets the oracles judge.
  void run() {
    workload->notify_after(setup.operations, [this] { calendar.stop(); });
    faults.start();
    if (setup.rounds) script.spawn(keep_rounds());
    workload->start();
    calendar.run_until(sim::Time{} + setup.limit);
    workload->stop();
    const sim::Time healed = calendar.now() + 10_us;
    for (models::NodeId node = 0; node < rack.nodes(); ++node) {
      rack.uplink(node).set_faults({}, healed);
      rack.downlink(node).set_faults({}, healed);
    }
    faults.heal();
    calendar.run_until(calendar.now() + setup.drain);
    stop_rounds = true;
    calendar.run_until(calendar.now() + setup.drain);
    for (models::Leak& leak : protocol->leaks()) quiescence.report(leak.kind, calendar.now(), std::move(leak.what));
    const bool at_rest = workload->running() == 0 && protocol->quiescent() && rack.packets_in_flight() == 0;
    if (at_rest) protocol->show_state(values_at_rest);
    for (sim::Oracle* oracle : oracles()) {
      if (oracle != &values_at_rest || at_rest) oracle->finish(calendar.now());
    }
    protocol->record_final_state();
    balance = racksim::testing::packet_balance(rack);
  }

  /// Gets or puts one item, outside the workload, and lets all that it caused come to rest.
  void get(std::uint64_t key) {
    script.spawn(perform_get(key));
    calendar.run_until(calendar.now() + 300_us);
  }
  void put(std::uint64_t key) {
    script.spawn(perform_put(key));
    calendar.run_until(calendar.now() + 300_us);
  }

  std::uint64_t counter(const std::string& name) const {
    return std::get<sim::Counter>(metrics.find(name)->value).value;
  }
  std::uint64_t register_of(const p4::RegisterArray* array, std::uint64_t index = 0) {
    return rack.chassis().pipeline(0).registers().read(array->id, index);
  }
  std::uint64_t hits() { return register_of(protocol->program().hits); }
  /// A preloaded key.
  std::uint64_t hot_key() { return protocol->manager().cached().front(); }

  std::vector<sim::Oracle*> oracles() {
    return {&data_value, &progress, &quiescence, &answers, &torn, &values_at_rest};
  }
  /// The first violation of each oracle, one a line; empty when all is well.
  std::string violations() { return racksim::testing::first_violations(oracles(), balance); }

  Setup setup;
  sim::Calendar calendar;
  sim::Journal journal;
  sim::Metrics metrics;
  models::Rack rack;
  std::unique_ptr<NetCache> protocol;
  std::unique_ptr<models::Workload> workload;
  models::FaultSchedule faults{rack};  ///< to be filled before `run`
  sim::DataValueOracle data_value;
  sim::ProgressOracle progress;
  sim::QuiescenceOracle quiescence;
  sim::ValuesAtRestOracle values_at_rest{data_value};
  sim::AnswerOracle answers{sim::StrayAnswer::wrong_key, journal};
  sim::TornOracle torn{journal};
  std::optional<sim::Violation> balance;
  sim::Scope script{calendar};
  bool stop_rounds = false;

 private:
  sim::Task<void> perform_get(std::uint64_t key) { co_await protocol->get({0, 0}, key); }
  sim::Task<void> perform_put(std::uint64_t key) { co_await protocol->put({0, 0}, key); }
  sim::Task<void> keep_rounds() {
    while (!stop_rounds) {
      co_await sim::sleep_for(rack.server(0).clock(), setup.netcache.round);
      co_await protocol->controller().round();
    }
  }
};

}  // namespace racksim::netcache::testing
