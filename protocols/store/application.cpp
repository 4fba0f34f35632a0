// Assembly and inspection of the application. See application.hpp.
#include "protocols/store/application.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/packets/addressing.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/store/answer_labels.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::store {

namespace {

unsigned clients_of(const models::ProtocolContext& context, const StoreOptions& options) {
  const auto nodes = context.rack.nodes();
  const auto cores = context.rack.options().cores;
  if (const auto& roles = context.rack.options().roles; roles.compute || roles.memory) {
    throw sim::OptionError("/rack/roles", "roles, which place the servers of a memory service",
                           "none: a store's servers are the last server_nodes");
  }
  if (nodes <= options.server_nodes) {
    throw sim::OptionError("server_nodes", fmt::format("{} server nodes", options.server_nodes),
                           fmt::format("less than the {} nodes of the rack, so that some are clients", nodes));
  }
  if (options.partitions > cores || context.threads_per_node > cores) {
    const bool servers = options.partitions > cores;
    throw sim::OptionError(servers ? "partitions" : "/workload/threads",
                           fmt::format("{}", servers ? options.partitions : context.threads_per_node),
                           fmt::format("at most a node's {} cores", cores));
  }
  return static_cast<unsigned>(nodes - options.server_nodes);
}

}  // namespace

Application::Application(models::ProtocolContext& context, const StoreOptions& options, bool safety)
    : KeyValueService(context.rack.calendar(), context.rack.event_log(), context.rack.metrics(),
                      clients_of(context, options), context.threads_per_node, answer_labels(),
                      context.sessions_per_thread),
      shared_{context.rack, options, KeyValueService::client_nodes(), safety, Counters{context.rack.metrics()}},
      threads_per_node_(context.threads_per_node),
      final_source_(context.rack.event_log().add_source("store")) {
  for (NodeId node = 0; node < shared_.client_nodes; ++node) {
    for (unsigned thread = 0; thread < context.threads_per_node; ++thread) {
      const models::Session session{node, static_cast<std::uint16_t>(thread)};
      clients_.push_back(std::make_unique<Client>(shared_, session, static_cast<RepeatedAnswers&>(*this)));
    }
  }
  for (unsigned server = 0; server < shared_.servers(); ++server) {
    partitions_.push_back(std::make_unique<Partition>(shared_, server));
  }
  context.rack.metrics().computed(
      "store.balancing_efficiency", "share",
      "throughput of the slowest server over that of the fastest (StarCache §5.3)",
      [this] { return balancing_efficiency(); }, sim::Shown::always);
}

void Application::do_describe_items(const models::ItemSizes& sizes) {
  constexpr unsigned kMostPackets = 64;
  const std::uint32_t room = kMostPayload - shared_.header_bytes();
  if (sizes.key_bytes >= room) {
    throw sim::OptionError("/workload/key_bytes", fmt::format("a key of {} bytes", sizes.key_bytes),
                           fmt::format("less than the {} bytes of a packet, so that a value has room", room));
  }
  shared_.sizes = sizes;
  const std::uint32_t largest = std::max(sizes.small_value_bytes, sizes.large_value_bytes);
  const std::uint64_t most = std::uint64_t{shared_.value_room()} * kMostPackets;
  if (largest > most) {
    throw sim::OptionError("/workload", fmt::format("a value of {} bytes", largest),
                           fmt::format("at most {} packets of {} bytes", kMostPackets, shared_.value_room()));
  }
}

sim::Task<models::Answer> Application::do_get(models::Session session, sim::Key key, sim::OperationId operation) {
  return client(session).get(key, operation);
}

sim::Task<models::Answer> Application::do_put(models::Session session, sim::Key key, sim::Value value,
                                              sim::OperationId operation) {
  return client(session).put(key, value, operation);
}

void Application::node_crashed(NodeId node) {
  sessions_died(node);
  for (const auto& partition : partitions_) {
    if (shared_.node_of(partition->server()) == node) partition->crash();
  }
}

double Application::balancing_efficiency() const {
  const auto [slowest, fastest] =
      std::minmax_element(partitions_.begin(), partitions_.end(), [](const auto& one, const auto& other) {
        return one->served_counter().in_window() < other->served_counter().in_window();
      });
  const auto most = static_cast<double>((*fastest)->served_counter().in_window());
  return most > 0 ? static_cast<double>((*slowest)->served_counter().in_window()) / most : 0;
}

bool Application::quiescent() const {
  return std::all_of(clients_.begin(), clients_.end(), [](const auto& client) { return client->outstanding() == 0; });
}

std::string Application::server_name(unsigned server) const {
  return fmt::format("server {} of node{}", server, shared_.node_of(server));
}

std::string Application::answers(sim::Key key, bool) const {
  return server_name(shared_.home_of(shared_.hash(key)));
}

void Application::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& client : clients_) {
    const std::string who = fmt::format("node{}/thread{}", client->session().node, client->session().thread);
    client->visit_requests([&](sim::Key key, bool write, std::uint32_t seq, std::uint64_t timeouts) {
      waits.push_back({.who = who,
                       .whom = answers(key, write),
                       .why = fmt::format("an answer to the {} of key {} (SEQ {}), {} attempts in vain",
                                          write ? "put" : "get", sim::printed_key(key), seq, timeouts)});
    });
  }
}

std::vector<models::Leak> Application::leaks() const {
  std::vector<models::Leak> leaks;
  for (const auto& client : clients_) {
    if (client->outstanding() == 0) continue;
    leaks.push_back({"stuck-request",
                     fmt::format("node{}/thread{}: {} requests without an answer", client->session().node,
                                 client->session().thread, client->outstanding()),
                     {}});
  }
  for (const auto& partition : partitions_) {
    for (const sim::Key key : partition->torn_items()) {
      leaks.push_back({"torn",
                       fmt::format("server {}: item {} is stored in parts of different writes", partition->server(),
                                   sim::printed_key(key)),
                       {key, {}}});
    }
    if (partition->kept_in_vain() == 0) continue;
    leaks.push_back({"leaked-entry",
                     fmt::format("server {}: keeps packets of {} writes that have taken effect", partition->server(),
                                 partition->kept_in_vain()),
                     {}});
  }
  return leaks;
}

std::optional<std::uint64_t> Application::fate_of(sim::Key key) const {
  const KeyHash hash = shared_.hash(key);
  return hash.low ^ hash.high;
}

void Application::show_state(sim::StateVisitor& visitor) const {
  for (const auto& partition : partitions_) {
    partition->visit_items([&](sim::Key key, sim::Value value) {
      if (shared_.home_of(shared_.hash(key)) == partition->server()) visitor.home(key, value);
    });
  }
}

void Application::record_final_state() {
  for (const auto& partition : partitions_) {
    shared_.rack.event_log().record(sim::Observed::final_state, final_source_, calendar().now(),
                                    sim::OperationId{partition->server()}, partition->digest(), partition->served());
  }
}

const char* Application::name_of(Op op) const {
  switch (op) {
    case Op::read_request:
      return "R-REQ";
    case Op::read_reply:
      return "R-REP";
    case Op::write_request:
      return "W-REQ";
    case Op::write_reply:
      return "W-REP";
    case Op::correction_request:
      return "CRN-REQ";
    case Op::write_refused:
      return "W-REFUSED";
  }
  return "?";
}

std::optional<models::PacketDescription> Application::describe(const p4::Packet& packet) const {
  if (!is_message(packet)) return std::nullopt;
  auto& readable = const_cast<p4::Packet&>(packet);
  const Message message = read_message(shared_, readable);
  models::PacketDescription description;
  description.label = fmt::format("{} seq {}", name_of(message.store.operation()), message.store.seq);
  if (message.store.flag != 0) description.label += fmt::format(" flag {}", message.store.flag);
  if (shared_.safety) description.label += fmt::format(" version {}", message.safety.version);
  description.key = message.key;
  description.part = message.fragment > 0;
  const auto party = [&](NodeId node, std::uint64_t port) {
    if (models::is_control_cpu(node)) return std::string(models::kControllerParty);
    return fmt::format("n{}.{}{}", node, node < shared_.client_nodes ? "t" : "p", port - kFirstPort);
  };
  const auto& ip = readable.get<p4::Ipv4>();
  const auto& udp = readable.get<p4::Udp>();
  description.from = party(models::node_of_ipv4(ip.src), udp.src_port);
  description.to = party(models::node_of_ipv4(ip.dst), udp.dst_port);
  return description;
}

}  // namespace racksim::store
