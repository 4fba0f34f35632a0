// Clone table, request queues and reports. See cache_manager.hpp.
#include "protocols/starcache/cache_manager.hpp"

#include <array>

#include "models/addressing.hpp"
#include "models/control_wait.hpp"
#include "sim/history.hpp"

namespace racksim::starcache {

using models::NodeId;
using nocache::Message;
using nocache::Op;

namespace {

/// The halves of an array of pairs, as the control plane sees an entry.
std::uint64_t low_half(const p4::RegisterArray& array, std::uint64_t entry) {
  return entry & p4::mask_of(array.width.bits);
}
std::uint64_t high_half(const p4::RegisterArray& array, std::uint64_t entry) {
  return entry >> array.width.bits;
}
std::uint64_t pair(const p4::RegisterArray& array, std::uint64_t low, std::uint64_t high) {
  return high << array.width.bits | low;
}

}  // namespace

// A server need not know what is cached unless it orders writes by versions.
CacheManager::CacheManager(nocache::Shared& shared, const StarCacheOptions& options, Counters& counters,
                           const StarProgram& program)
    : cached_store::CacheManager(shared, options, counters, program, shared.safety),
      options_(options),
      program_(program) {
  configure_switch();
}

// The clone of what goes to a client goes to the recirculation port (§3.5, Figure 6); the controller counts as one.
void CacheManager::configure_switch() {
  models::SwitchChassis& chassis = shared().rack.chassis();
  const auto add = [&](NodeId node, unsigned port, std::uint16_t group) {
    const auto recirculation = static_cast<std::uint16_t>(chassis.recirculation_port(kPipe));
    chassis.replication().set_group(group, {{0, {static_cast<std::uint16_t>(port), recirculation}}});
    const std::array<std::uint64_t, 1> key{models::ipv4_of(node)};
    const std::array<std::uint64_t, 2> data{group, models::mac_of(node)};
    chassis.pipeline(kPipe).add_entry(*program_.clone, key, *program_.clone_to, data);
  };
  for (NodeId node = 0; node < shared().client_nodes; ++node) {
    add(node, shared().rack.port_of(node), static_cast<std::uint16_t>(node + 1));
  }
  add(models::kControlCpuNode, chassis.cpu_port(), static_cast<std::uint16_t>(shared().client_nodes + 1));
}

void CacheManager::preload(const std::vector<std::uint64_t>& keys) {
  p4::RegisterFile& registers = shared().rack.chassis().pipeline(kPipe).registers();
  for (const std::uint64_t key : keys) {
    const auto index = insert_now(key, false);
    if (!index) continue;
    if (shared().safety) registers.write(program_.state->id, *index, pair(*program_.state, first_version(key), 0));
    registers.write(program_.queue->id, *index, pair(*program_.queue, 0, 1));
  }
  clock().after<&CacheManager::begin_fetches>(sim::Duration{}, *this);
}

void CacheManager::begin_fetches() {
  for (const std::uint64_t key : cached()) scope().spawn(fetch_in_background(key));
}

sim::Task<void> CacheManager::fetch_in_background(std::uint64_t key) {
  co_await bring_value(key, Mishap::boot_while_fetching);
}

// What waits here since the row's last key is answered with the wrong key, and corrected (§3.6). The packets of an item
// are counted from 1; as printed, the count that the last key left behind stays.
sim::Task<void> CacheManager::prepare_row(std::uint64_t index) {
  const std::uint64_t queue = co_await models::read_register(cpu(), kPipe, program_.queue->name, index);
  if (low_half(*program_.queue, queue) > 0) shared().coverage.race(RacePoint::index_reused_with_requests);
  if (!shared().safety && high_half(*program_.queue, queue) != 0) co_return;
  co_await models::write_register(cpu(), kPipe, program_.queue->name, index,
                                  pair(*program_.queue, low_half(*program_.queue, queue), 1));
}

// A cache packet of an evicted key is dropped (§3.3), and nobody answers what still waits for it: clients ask again.
// The oracle `served` is told, only when there is such a request, since it cannot know what the paper gives away.
void CacheManager::removed_from_switch(std::uint64_t index) {
  const p4::RegisterFile& registers = shared().rack.chassis().pipeline(kPipe).registers();
  if (low_half(*program_.queue, registers.read(program_.queue->id, index)) == 0) return;
  sim::record_disturbance(shared().rack.journal(), cpu().network_source(), clock().calendar().now(), 0,
                          sim::Disturbance::lost);
}

void CacheManager::other(const Message& message, nocache::Address from) {
  if (message.store.operation() != Op::report) return;
  if (report_) {
    const auto partitions = static_cast<unsigned>(options_.partitions);
    report_((from.node - shared().client_nodes) * partitions + from.port - nocache::kFirstPort,
            static_cast<std::uint32_t>(message.store.seq));
  }
  Message reply = message;
  reply.store.set(Op::report_reply);
  cpu().send(make_message(shared(), reply, nocache::kFirstPort, from, 0));
}

void CacheManager::met(Mishap mishap) const {
  const auto point = [&] {
    switch (mishap) {
      case Mishap::boot_while_installing:
        return RacePoint::boot_while_installing;
      case Mishap::boot_while_evicting:
        return RacePoint::boot_while_evicting;
      case Mishap::boot_while_fetching:
        return RacePoint::boot_while_fetching;
      case Mishap::fetch_given_up:
        return RacePoint::fetch_given_up;
      case Mishap::late_reply:
        break;
    }
    return RacePoint::late_reply_to_controller;
  };
  shared().coverage.race(point());
}

}  // namespace racksim::starcache
