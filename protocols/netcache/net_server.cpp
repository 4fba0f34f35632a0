// Updates and blocked writes of a server. See net_server.hpp.
#include "protocols/netcache/net_server.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "models/packets/addressing.hpp"
#include "protocols/netcache/coverage.hpp"
#include "protocols/netcache/messages.hpp"
#include "sim/options/option_error.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"

namespace racksim::netcache {

using store::Message;
using store::Op;

namespace {
models::Core& agent_core(store::Shared& shared, const store::Partition& partition) {
  models::Server& node = shared.rack.server(shared.node_of(partition.server()));
  const std::uint64_t partitions = shared.options.partitions;
  if (partitions >= node.cores()) {
    throw sim::OptionError(
        "partitions", fmt::format("{}", partitions),
        fmt::format("less than the {} cores of a node: one is for NetCache's server agent", node.cores()));
  }
  return node.core(partitions, "server_agent");
}
}  // namespace

NetServer::NetServer(store::Shared& shared, const switch_cache::CacheLocation& location, const NetCacheOptions& options,
                     Counters& counters, store::Partition& partition)
    : CachingServer(shared, location, partition),
      options_(options),
      counters_(counters),
      nic_(shared.rack.server(shared.node_of(partition.server())).nic()),
      clock_(shared.rack.server(shared.node_of(partition.server())).clock()),
      qpn_(nic_.create_raw_qp(agent_core(shared, partition), *this)) {}

void NetServer::preloaded(sim::Key key, store::Version version) {
  order().executed(shared().hash(key), version);
  if (!shared().safety) cached_.insert(key);
}

std::size_t NetServer::holding() const {
  std::size_t sum = 0;
  for (const auto& [key, update] : updates_) sum += update.held.size();
  return sum;
}

void NetServer::add_waits(const std::string& server, std::vector<sim::Wait>& waits) const {
  for (const auto& [key, update] : updates_) {
    waits.push_back(
        {.who = server,
         .whom = "switch",
         .why = fmt::format("the acknowledgement of an update of key {}, sent {} times; {} writes wait for it",
                            sim::printed_key(sim::Key{key}), update.attempts, update.held.size())});
  }
}

bool NetServer::holds_write(const Message& request, store::Address from, sim::OperationId operation) {
  const auto found = updates_.find(request.key);
  if (found == updates_.end()) return false;
  std::deque<HeldWrite>& held = found->second.held;
  const auto before = std::find_if(held.begin(), held.end(), [&](const HeldWrite& write) {
    return write.from == from && write.request.store.seq == request.store.seq;
  });
  if (before != held.end()) {
    shared().coverage.race(races.held_write_repeated);
    // The same write, sent again: it has a later version, unless it has overtaken itself.
    if (shared().versions.after(store::Version{request.safety.version},
                                store::Version{before->request.safety.version})) {
      before->request = request;
    }
    return true;
  }
  ++counters_.held_writes.value;
  shared().coverage.race(races.write_held);
  held.push_back({request, from, operation});
  return true;
}

void NetServer::refused(bool has_version) const {
  shared().coverage.race(has_version ? races.rule_i : races.rule_ii);
}

void NetServer::executed_write(const Message& request) {
  // A write that has taken effect before is sent again with a version of its own, for which the switch waits.
  if (shared().safety ? request.safety.version != 0 : cached_.contains(request.key)) update(request);
}

void NetServer::fetched(const Message& request) {
  if (!shared().safety) cached_.insert(request.key);
  update(request);
}

void NetServer::evicted(const Message& message) {
  cached_.erase(message.key);
  const auto found = updates_.find(message.key);
  if (found == updates_.end()) return;
  // What is held of before the eviction is refused now and not when the update ends: an update that a switch without
  // state leaves unanswered may outlast several boots, after which an old version would pass for a new one
  // (store/version.hpp).
  const std::deque<HeldWrite> held = std::exchange(found->second.held, {});
  for (const HeldWrite& write : held) {
    if (order().admits(hash_in(write.request), store::Version{write.request.safety.version})) {
      updates_.at(message.key).held.push_back(write);
    } else {
      partition().resume(write.request, write.from, write.operation);
    }
  }
}

void NetServer::update(const Message& cause) {
  const auto [found, fresh] = updates_.try_emplace(cause.key);
  if (!fresh) shared().coverage.race(races.update_superseded);
  Update& update = found->second;
  update.hkey_high = cause.store.hkey_high;
  update.hkey_low = cause.store.hkey_low;
  update.number = next_number_++;
  update.attempts = 0;
  clock_.calendar().cancel(update.timer);
  send_update(cause.key);
}

// The value that the item has now belongs to the newest version: writes of other versions have been refused, or wait.
void NetServer::send_update(sim::Key key) {
  const auto found = updates_.find(key);
  if (found == updates_.end()) return;
  ++counters_.updates.value;
  const auto patience = [&](std::uint64_t attempt) {
    return NetCacheOptions::patience(options_.update_timeout, attempt);
  };
  if (const std::uint64_t attempts = found->second.attempts; attempts > 0) {
    shared().coverage.race(races.update_repeated);
    const sim::Time now = clock_.calendar().now();
    sim::record_sent_again(shared().rack.event_log(), nic_.source(), now, 0,
                           {sim::SentAgain::timeout, key, now - patience(attempts - 1)});
  }
  Message message;
  message.store = {.op = store::number(kCacheUpdate),
                   .seq = found->second.number,
                   .hkey_high = found->second.hkey_high,
                   .hkey_low = found->second.hkey_low};
  message.measure.partition = server() % options_.partitions;
  message.safety.version = order().newest(shared().hash(key));
  message.key = key;
  message.value = partition().value_of(key);
  message.value_in_header = true;
  // The switch answers; were it not for the program the packet would go to the controller.
  nic_.send_raw(qpn_, make_message(shared(), message, static_cast<std::uint16_t>(qpn_), controller(), 0));
  found->second.timer = clock_.after<&NetServer::send_update>(patience(found->second.attempts++), *this, key);
}

void NetServer::on_packet(p4::PacketRef packet) {
  if (!store::is_message(*packet)) return;
  const Message message = read_message(shared(), *packet);
  if (message.store.operation() != kCacheUpdateReply) return;
  const auto found = updates_.find(message.key);
  if (found == updates_.end()) return;
  if (found->second.number != message.store.seq) {
    return shared().coverage.race(races.acknowledgement_of_earlier_update);
  }
  if (message.store.flag == 0) ++counters_.stale_updates.value;
  acknowledged(message.key);
}

void NetServer::acknowledged(sim::Key key) {
  const auto found = updates_.find(key);
  clock_.calendar().cancel(found->second.timer);
  std::deque<HeldWrite> held = std::move(found->second.held);
  updates_.erase(found);
  // The first that takes effect begins an update, which holds the others again.
  for (const HeldWrite& write : held) {
    const auto again = updates_.find(key);
    if (again != updates_.end()) {
      shared().coverage.race(races.next_held_write_updates);
      again->second.held.push_back(write);
    } else {
      partition().resume(write.request, write.from, write.operation);
    }
  }
}

void NetServer::crash() {
  if (!updates_.empty()) shared().coverage.race(races.crash_forgets_update);
  for (auto& [key, update] : updates_) clock_.calendar().cancel(update.timer);
  updates_.clear();
}

}  // namespace racksim::netcache
