// Updates and blocked writes of a server. See net_server.hpp.
#include "protocols/netcache/net_server.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "models/packets/addressing.hpp"
#include "protocols/netcache/coverage.hpp"
#include "sim/record/history.hpp"

namespace racksim::netcache {

using nocache::Message;
using nocache::Op;

namespace {
models::Core& agent_core(nocache::Shared& shared, const nocache::Partition& partition) {
  models::Server& node = shared.rack.server(shared.node_of(partition.server()));
  const std::uint64_t partitions = shared.options.partitions;
  if (partitions >= node.cores()) {
    throw std::runtime_error(fmt::format("{} partitions leave no core of a node's {} to the server agent of NetCache",
                                         partitions, node.cores()));
  }
  return node.core(partitions);
}
}  // namespace

NetServer::NetServer(nocache::Shared& shared, const NetCacheOptions& options, Counters& counters,
                     nocache::Partition& partition)
    : shared_(shared),
      options_(options),
      counters_(counters),
      partition_(partition),
      nic_(shared.rack.server(shared.node_of(partition.server())).nic()),
      clock_(shared.rack.server(shared.node_of(partition.server())).clock()),
      qpn_(nic_.create_raw_qp(agent_core(shared, partition), *this)),
      order_(shared.versions) {
  partition.extend(*this);
}

void NetServer::preloaded(std::uint64_t key, std::uint64_t version) {
  order_.executed(shared_.hash(key), version);
  if (!shared_.safety) cached_.insert(key);
}

std::size_t NetServer::holding() const {
  std::size_t sum = 0;
  for (const auto& [key, update] : updates_) sum += update.held.size();
  return sum;
}

bool NetServer::holds_write(const Message& request, nocache::Address from, std::uint64_t operation) {
  const auto found = updates_.find(request.key);
  if (found == updates_.end()) return false;
  std::deque<HeldWrite>& held = found->second.held;
  const auto before = std::find_if(held.begin(), held.end(), [&](const HeldWrite& write) {
    return write.from == from && write.request.store.seq == request.store.seq;
  });
  if (before != held.end()) {
    shared_.coverage.race(RacePoint::held_write_repeated);
    // The same write, sent again: it has a later version, unless it has overtaken itself.
    if (shared_.versions.after(request.safety.version, before->request.safety.version)) before->request = request;
    return true;
  }
  ++counters_.held_writes.value;
  shared_.coverage.race(RacePoint::write_held);
  held.push_back({request, from, operation});
  return true;
}

bool NetServer::admits_write(const Message& request) {
  if (!shared_.safety || order_.admits(hash_in(request), request.safety.version)) return true;
  shared_.coverage.race(request.safety.version == 0 ? RacePoint::rule_ii : RacePoint::rule_i);
  return false;
}

void NetServer::written(const Message& request) {
  order_.executed(hash_in(request), request.safety.version);
  // A write that has taken effect before is sent again with a version of its own, for which the switch waits.
  if (shared_.safety ? request.safety.version != 0 : cached_.contains(request.key)) update(request);
}

void NetServer::fetched(const Message& request) {
  order_.executed(hash_in(request), request.safety.version);
  if (!shared_.safety) cached_.insert(request.key);
  update(request);
}

void NetServer::other(const Message& message, nocache::Address from) {
  if (message.store.operation() != Op::eviction) return;
  order_.evicted(hash_in(message), message.safety.version);
  cached_.erase(message.key);
  Message reply = message;
  reply.store.set(Op::eviction_reply);
  partition_.send(reply, from, 0);
}

void NetServer::update(const Message& cause) {
  const auto [found, fresh] = updates_.try_emplace(cause.key);
  if (!fresh) shared_.coverage.race(RacePoint::update_superseded);
  Update& update = found->second;
  update.hkey_high = cause.store.hkey_high;
  update.hkey_low = cause.store.hkey_low;
  update.number = next_number_++;
  update.attempts = 0;
  clock_.calendar().cancel(update.timer);
  send_update(cause.key);
}

// The value that the item has now belongs to the newest version: writes of other versions have been refused, or wait.
void NetServer::send_update(std::uint64_t key) {
  const auto found = updates_.find(key);
  if (found == updates_.end()) return;
  ++counters_.updates.value;
  const auto patience = [&](std::uint64_t attempt) {
    return NetCacheOptions::patience(options_.update_timeout, attempt);
  };
  if (const std::uint64_t attempts = found->second.attempts; attempts > 0) {
    shared_.coverage.race(RacePoint::update_repeated);
    const sim::Time now = clock_.calendar().now();
    sim::record_sent_again(shared_.rack.journal(), nic_.source(), now, 0,
                           {sim::SentAgain::timeout, key, now - patience(attempts - 1)});
  }
  Message message;
  message.store = {nocache::number(Op::cache_update), found->second.number, found->second.hkey_high,
                   found->second.hkey_low, 0};
  message.measure.partition = partition_.server() % options_.partitions;
  message.safety.version = order_.newest(shared_.hash(key));
  message.key = key;
  message.value = partition_.value_of(key);
  message.value_in_header = true;
  // The switch answers; were it not for the program the packet would go to the controller.
  nic_.send_raw(qpn_, make_message(shared_, message, static_cast<std::uint16_t>(qpn_),
                                   {models::kControlCpuNode, nocache::kFirstPort}, 0));
  found->second.timer = clock_.after<&NetServer::send_update>(patience(found->second.attempts++), *this, key);
}

void NetServer::on_packet(p4::PacketRef packet) {
  if (!nocache::is_message(*packet)) return;
  const Message message = read_message(shared_, *packet);
  if (message.store.operation() != Op::cache_update_reply) return;
  const auto found = updates_.find(message.key);
  if (found == updates_.end()) return;
  if (found->second.number != message.store.seq) {
    return shared_.coverage.race(RacePoint::acknowledgement_of_earlier_update);
  }
  if (message.store.flag == 0) ++counters_.stale_updates.value;
  acknowledged(message.key);
}

void NetServer::acknowledged(std::uint64_t key) {
  const auto found = updates_.find(key);
  clock_.calendar().cancel(found->second.timer);
  std::deque<HeldWrite> held = std::move(found->second.held);
  updates_.erase(found);
  // The first that takes effect begins an update, which holds the others again.
  for (const HeldWrite& write : held) {
    const auto again = updates_.find(key);
    if (again != updates_.end()) {
      shared_.coverage.race(RacePoint::next_held_write_updates);
      again->second.held.push_back(write);
    } else {
      partition_.resume(write.request, write.from, write.operation);
    }
  }
}

void NetServer::crash() {
  if (!updates_.empty()) shared_.coverage.race(RacePoint::crash_forgets_update);
  for (auto& [key, update] : updates_) clock_.calendar().cancel(update.timer);
  updates_.clear();
}

}  // namespace racksim::netcache
