// A wire whose packets come back, and a made-up history. See single_parts.hpp.
#include "tools/bench/single_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "models/wire/wire.hpp"
#include "p4model/language/headers.hpp"
#include "sim/oracles/bounded_waiting_oracle.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/oracles/served_oracle.hpp"
#include "sim/oracles/single_writer_oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::tools {

namespace {

using namespace sim::literals;

/// Sends what arrives over the wire again.
struct SendAgain final : models::PacketSink {
  void receive(p4::PacketRef&& packet, unsigned) override {
    if (left == 0) return;
    --left;
    wire->transmit(std::move(packet), wire->free_at());
  }
  models::Wire* wire = nullptr;
  std::uint64_t left = 0;
};

using MakeOracle = std::function<std::unique_ptr<sim::Oracle>(const sim::EventLog&)>;

const std::map<std::string, MakeOracle>& makers() {
  static const std::map<std::string, MakeOracle> all{
      {"bounded-waiting",
       [](const auto& log) {
         return std::make_unique<sim::BoundedWaitingOracle>(log, sim::WaitingBounds{.overtakings = 1, .step = 1_ms},
                                                            sim::Waiting::accesses);
       }},
      {"data-value", [](const auto& log) { return std::make_unique<sim::DataValueOracle>(log); }},
      {"progress", [](const auto& log) { return std::make_unique<sim::ProgressOracle>(log); }},
      {"pso", [](const auto& log) { return std::make_unique<sim::MemoryModelOracle>(sim::MemoryModel::pso, log); }},
      {"served", [](const auto& log) { return std::make_unique<sim::ServedOracle>(log, sim::ServedRules{}); }},
      {"single-writer", [](const auto&) { return std::make_unique<sim::SingleWriterOracle>(); }}};
  return all;
}

constexpr std::size_t kSessions = 32, kKeys = 1024, kServers = 8;

/// Operations of sessions on the blocks of servers: in each round all write, or all read, each another key.
class History final : private sim::Observer {
 public:
  explicit History(std::uint64_t operations) {
    event_log_.attach(*this);
    for (std::size_t i = 0; i < kSessions; ++i) {
      sessions_.push_back(event_log_.add_session(fmt::format("session{}", i)));
    }
    for (std::uint64_t round = 0; round * kSessions < operations; ++round) {
      if (round % 2 == 0) {
        write_all(round);
      } else {
        read_all(round);
      }
    }
  }
  const sim::EventLog& event_log() const { return event_log_; }
  const std::vector<sim::Observation>& observations() const { return observations_; }

 private:
  void observe(const sim::Observation& observation) override { observations_.push_back(observation); }

  static std::uint64_t key(std::uint64_t round, std::size_t i) { return (round * 7 * kSessions + i * 31) % kKeys; }
  static sim::OperationId operation(std::uint64_t round, std::size_t i) {
    return sim::OperationId{sim::number_of_session(i, round + 1)};
  }
  sim::Time tick() { return now_ += 10_ns; }

  void write_all(std::uint64_t round) {
    constexpr auto kWrite = sim::OperationKind::write;
    const auto value = [&](std::size_t i) { return sim::Value{round * kSessions + i + 1}; };
    for (std::size_t i = 0; i < kSessions; ++i) {
      record_begun(event_log_, sessions_[i], tick(), operation(round, i), kWrite, sim::Key{key(round, i)}, value(i));
    }
    for (std::size_t i = 0; i < kSessions; ++i) {
      const sim::Key written{key(round, i)};
      const auto permit = [&](std::uint64_t server, sim::Permission permission) {
        record_permission(event_log_, sessions_[i], now_, operation(round, i), written, server, permission);
      };
      tick();
      permit(std::exchange(owners_[written], i % kServers), sim::Permission::none);
      permit(i % kServers, sim::Permission::write);
      record_performed(event_log_, sessions_[i], now_, operation(round, i), written, value(i));
      record_ended(event_log_, sessions_[i], now_, operation(round, i), kWrite, written, value(i));
      values_[written] = value(i);
    }
  }
  void read_all(std::uint64_t round) {
    constexpr auto kRead = sim::OperationKind::read;
    for (std::size_t i = 0; i < kSessions; ++i) {
      record_begun(event_log_, sessions_[i], tick(), operation(round, i), kRead, sim::Key{key(round, i)});
    }
    for (std::size_t i = 0; i < kSessions; ++i) {
      const sim::Key read{key(round, i)};
      record_ended(event_log_, sessions_[i], tick(), operation(round, i), kRead, read, values_[read]);
    }
  }

  sim::EventLog event_log_;
  std::vector<sim::Source> sessions_;
  std::vector<sim::Value> values_ = std::vector<sim::Value>(kKeys);
  std::vector<std::uint64_t> owners_ = std::vector<std::uint64_t>(kKeys);
  std::vector<sim::Observation> observations_;
  sim::Time now_;
};

}  // namespace

std::uint64_t wire_packets(std::uint64_t packets) {
  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  p4::PacketPool pool;
  models::PacketAccounting accounting(metrics);
  models::RackContext context{calendar, event_log, metrics, pool, accounting, 1};
  SendAgain sink;
  models::Wire wire(context, "a-b", 100'000'000'000, 400_ns, sink, 0);
  sink.wire = &wire;
  sink.left = packets;
  for (unsigned i = 0; i < 32; ++i) {
    auto packet = pool.make();
    packet->push(p4::Ethernet{1, 2, p4::kEtherTypeIpv4});
    packet->push(p4::Ipv4{});
    packet->push(p4::Udp{});
    packet->payload_bytes = 64 - p4::kFcsBytes - packet->header_bytes();
    wire.transmit(std::move(packet), {});
  }
  calendar.run_until();
  return wire.packets_arrived();
}

const std::vector<std::string>& single_oracles() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const auto& [name, make] : makers()) all.push_back(name);
    return all;
  }();
  return names;
}

std::uint64_t oracle_operations(const std::string& name, std::uint64_t operations) {
  // As long for any length up to this, so that a slope between two is of the oracle alone.
  const History history(std::max<std::uint64_t>(operations, 10'000));
  const auto oracle = makers().at(name)(history.event_log());
  const auto kinds = oracle->kinds();
  std::uint64_t done = 0;
  for (const sim::Observation& observation : history.observations()) {
    if (kinds.contains(observation.what)) oracle->observe(observation);
    if (observation.what != sim::Observed::operation_ended) continue;
    if (++done >= operations && done % kSessions == 0) break;  // with none under way
  }
  oracle->finish(history.observations().back().at);
  if (oracle->violation_count() > 0) throw std::runtime_error(oracle->violations().front().what);
  return done;
}

}  // namespace racksim::tools
