// The central-server algorithm (Stumm and Zhou, "Algorithms Implementing Distributed Shared Memory", IEEE Computer
// 23(5), 1990): nobody caches. A block's address tells its home, which serves every read and write of it by a message.
//
// Messages are datagrams, which may be lost, late or come twice. A client asks again until it is answered, and numbers
// its requests; a home carries out none a second time.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "p4model/language/headers.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/record/history.hpp"

namespace racksim::central_server {

namespace {

using namespace sim::literals;
using models::NodeId;

/// What the runs of a campaign should come to: `racksim fuzz` names those that none has reached.
struct Races : sim::RacePoints {
  sim::RacePoint late_answer = add("client: an answer to a request that is over");
  sim::RacePoint repeated_request = add("home: the latest request of a session comes again");
  sim::RacePoint old_request = add("home: a request comes when its session has made another");
};
constexpr Races races{};

struct Options final : models::ProtocolOptions {
  std::uint64_t block_bytes = 64;
  sim::Duration service = 200_ns;
  sim::Duration timeout = 100_us;
  bool at_most_once = true;

  void declare(sim::Parameters& p) override {
    p.size("block_bytes", block_bytes, 8, 1024, "unit of reads and writes, a power of two");
    p.length("service", service, 0_ns, 1_ms, "time that a home's core takes for a request").varied({200_ns, 1_us});
    p.length("timeout", timeout, 1_us, 1_s, "how long a client waits for an answer before it asks again")
        .varied({20_us, 100_us})
        .timeout();
    p.flag("at_most_once", at_most_once, "a home carries out no request that it has carried out before")
        .guards("an old write undoes a newer one", "central-server/mechanisms.json/without-at-most-once");
  }
  /// A home carries out one request after the other, between its sending and its answer: all of memory is linearizable.
  std::vector<std::string> promises() const override { return {"data-value", "sc"}; }
  sim::Duration longest_timeout(const models::RackOptions&) const override { return timeout; }
  models::StateSize state_size(std::uint64_t) const override { return {block_bytes, 0, 100}; }
  std::unique_ptr<models::Protocol> build(models::ProtocolContext& context) const override;
};

/// What it counts, and what of that is trouble.
struct Counters {
  explicit Counters(sim::Metrics& m)
      : requests(m.counter("central_server.requests", "packets", "Requests that clients sent.")),
        carried_out(m.counter("central_server.carried_out", "requests", "Requests that homes carried out.")),
        retransmissions(m.trouble("central_server.retransmissions", "packets", "Requests sent again after a timeout.")),
        repeated(m.trouble("central_server.repeated", "packets", "Requests that had come before.")) {}
  sim::Counter &requests, &carried_out, &retransmissions, &repeated;
};

struct Message {
  bool writes = false, is_answer = false;
  std::uint32_t session = 0;  ///< whose request it is
  std::uint64_t number = 0;   ///< of the session's request
  sim::Key block = 0;
  sim::Value value = 0;  ///< to write, or that was read

  /// A write brings the block to its home, the answer of a read from there.
  bool brings_block() const { return writes != is_answer; }
};

/// A queue pair of a node.
struct Place {
  NodeId node = 0;
  models::Qpn qpn = 0;
};

/// What all parts use.
struct Shared {
  models::Rack& rack;
  models::MemoryService& memory;
  Options options;
  sim::CoverageProbe coverage;
  Counters counters;

  /// A block's bytes are payload; what they and the message mean is the packet's content.
  void send(Place from, Place to, const Message& message, sim::OperationId operation) {
    p4::PacketRef packet = rack.make_packet(to.node, 0, static_cast<std::uint16_t>(to.qpn));
    packet->content = models::Content::of(message);
    packet->payload_bytes = 24 + (message.brings_block() ? static_cast<std::uint32_t>(options.block_bytes) : 0);
    packet->operation = operation;
    rack.server(from.node).nic().send_raw(from.qpn, std::move(packet));
  }
};

/// The home of blocks: a core of a server, and its memory.
class Home final : public models::PacketHandler {
 public:
  Home(Shared& shared, NodeId node, unsigned core)
      : shared_(shared),
        place_{node, shared.rack.server(node).nic().create_raw_qp(shared.rack.server(node).core(core), *this,
                                                                  shared.options.service)} {}

  Place place() const { return place_; }
  const std::map<std::uint64_t, sim::Value>& blocks() const { return blocks_; }

  void on_packet(p4::PacketRef packet) override {
    const auto request = packet->content.as<Message>();
    const Place client{models::node_of_ipv4(packet->get<p4::Ipv4>().src), models::Qpn{packet->get<p4::Udp>().src_port}};
    Message& latest = answered_[request.session];
    const bool comes_again = request.number <= latest.number;
    if (comes_again) {
      const bool is_latest = request.number == latest.number;
      shared_.coverage.race(is_latest ? races.repeated_request : races.old_request);
      ++shared_.counters.repeated.value;
      if (shared_.options.at_most_once) {
        // The answer may have been lost. That to an older request nobody waits for.
        if (is_latest) shared_.send(place_, client, latest, packet->operation);
        return;
      }
    }
    sim::Value& value = blocks_[request.block];
    if (request.writes) value = request.value;
    if (request.writes && !comes_again) shared_.memory.performed(packet->operation, request.block, value);
    ++shared_.counters.carried_out.value;
    Message answer = request;
    answer.is_answer = true;
    answer.value = value;
    if (!comes_again) latest = answer;
    shared_.send(place_, client, answer, packet->operation);
  }

 private:
  Shared& shared_;
  Place place_;
  std::map<std::uint64_t, sim::Value> blocks_;
  std::map<std::uint32_t, Message> answered_;  // by session: the answer to its latest request
};

/// An application thread, as the memory service asks it.
class Client final : public models::MemoryPort, public models::PacketHandler {
 public:
  Client(Shared& shared, const std::vector<std::unique_ptr<Home>>& homes, models::Session session, std::uint32_t index)
      : shared_(shared),
        homes_(homes),
        server_(shared.rack.server(session.node)),
        place_{session.node, server_.nic().create_raw_qp(server_.core(session.thread), *this)},
        answered_(shared.rack.calendar()) {
    asked_.session = index;
  }

  sim::Task<void> read(models::MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) override {
    values.front() = co_await ask(false, access.first, sim::kNeverWritten, operation);
  }
  sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) override {
    co_await ask(true, access.first, value, operation);
  }

  void on_packet(p4::PacketRef packet) override {
    const auto answer = packet->content.as<Message>();
    if (!waiting_ || answer.number != asked_.number) return shared_.coverage.race(races.late_answer);
    waiting_ = false;
    asked_.value = answer.value;
    answered_.notify_all();
  }

  bool waiting() const { return waiting_; }
  const Message& asked() const { return asked_; }

 private:
  sim::Task<sim::Value> ask(bool writes, sim::Key block, sim::Value value, sim::OperationId operation) {
    asked_ = {writes, false, asked_.session, asked_.number + 1, block, value};
    waiting_ = true;
    send(operation);
    while (waiting_) {
      if (co_await answered_.wait_for(server_.clock(), shared_.options.timeout)) continue;
      ++shared_.counters.retransmissions.value;
      const sim::Time now = shared_.rack.calendar().now();
      sim::record_sent_again(shared_.rack.event_log(), server_.nic().source(), now, operation,
                             {sim::SentAgain::timeout, block, now - shared_.options.timeout});
      send(operation);
    }
    co_return asked_.value;
  }
  void send(sim::OperationId operation) {
    ++shared_.counters.requests.value;
    shared_.send(place_, homes_[shared_.memory.home_of(asked_.block)]->place(), asked_, operation);
  }

  Shared& shared_;
  const std::vector<std::unique_ptr<Home>>& homes_;  // by node
  models::Server& server_;
  Place place_;
  Message asked_;  // its latest request
  bool waiting_ = false;
  sim::Signal answered_;
};

models::MemoryShape shape_of(const models::ProtocolContext& context, const Options& options) {
  const auto nodes = static_cast<unsigned>(context.rack.nodes());
  return {.nodes = nodes,
          .roles = context.rack.options().roles.of(nodes),
          .threads_per_node = context.threads_per_node,
          .block_bytes = options.block_bytes};
}

class CentralServer final : public models::Protocol, public models::MemoryService {
 public:
  CentralServer(models::ProtocolContext& context, const Options& options)
      : MemoryService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                      shape_of(context, options)),
        shared_{context.rack, *this, options, context.coverage, Counters(context.rack.metrics())},
        source_(context.rack.event_log().add_source("central-server")) {
    for (NodeId node = 0; node < context.rack.nodes(); ++node) {
      // On the core behind those of the application's threads.
      homes_.push_back(std::make_unique<Home>(shared_, node, context.threads_per_node));
    }
    for (std::size_t i = 0; i < sessions(); ++i) {
      clients_.push_back(std::make_unique<Client>(shared_, homes_, session_number(i), static_cast<std::uint32_t>(i)));
    }
  }

  models::Service& service() override { return *this; }
  void show_state(sim::StateVisitor& visitor) const override {
    for_each_block([&](NodeId, sim::Key block, sim::Value value) {
      if (value != sim::kNeverWritten) visitor.home(block, value);
    });
  }
  /// Crashes are not in the algorithm: whoever needs a home that has crashed waits for ever.
  void node_crashed(NodeId node) override { sessions_died(node); }
  bool quiescent() const override {
    return std::none_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->waiting(); });
  }
  std::vector<models::Leak> leaks() const override {
    std::vector<models::Leak> leaks;
    for (const auto& client : clients_) {
      if (!client->waiting()) continue;
      const Message& asked = client->asked();
      leaks.push_back(
          {"stuck-request", fmt::format("request {} of session {}", asked.number, asked.session), {asked.block, {}}});
    }
    return leaks;
  }
  void record_final_state() override {
    for_each_block([&](NodeId node, sim::Key block, sim::Value value) {
      event_log().record(sim::Observed::final_state, source_, calendar().now(), sim::OperationId{node}, block, value);
    });
  }
  std::optional<models::PacketDescription> describe(const p4::Packet& packet) const override {
    if (!packet.content.holds<Message>()) return std::nullopt;
    const auto message = packet.content.as<Message>();
    const models::Session session = session_number(message.session);
    models::PacketDescription description{
        fmt::format("{}{} {}", message.writes ? "WRITE" : "READ", message.is_answer ? " DONE" : "", message.number),
        message.block, fmt::format("n{}.t{}", session.node, session.thread),
        fmt::format("n{}.home", home_of(message.block))};
    if (message.is_answer) std::swap(description.from, description.to);
    return description;
  }

 protected:
  models::MemoryPort& port(models::Session session) override { return *clients_[index_of(session)]; }

 private:
  template <class Visit>
  void for_each_block(Visit&& visit) const {
    for (NodeId node = 0; node < homes_.size(); ++node) {
      for (const auto& [block, value] : homes_[node]->blocks()) visit(node, sim::Key{block}, value);
    }
  }

  Shared shared_;
  sim::Source source_;
  std::vector<std::unique_ptr<Home>> homes_;      // by node
  std::vector<std::unique_ptr<Client>> clients_;  // by session
};

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<CentralServer>(context, *this);
}

const sim::Registration<models::ProtocolEntry> registration({
    .name = "central-server",
    .doc = "a home serves all reads and writes of a block, nobody caches (Stumm and Zhou, 1990)",
    .make_options = [] { return std::make_shared<Options>(); },
    .tolerates = {"down", "drop", "duplicate", "fast-clock", "hold", "nic-stall", "noise", "partition", "slow-core"},
    .coverage = {.states = {}, .messages = {}, .race_points = races.names()},
});

}  // namespace

}  // namespace racksim::central_server
