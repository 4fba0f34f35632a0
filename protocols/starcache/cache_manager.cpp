// Clone table, request queues and reports. See cache_manager.hpp.
#include "protocols/starcache/cache_manager.hpp"

#include <array>
#include <utility>

#include "models/packets/addressing.hpp"
#include "protocols/starcache/messages.hpp"

namespace racksim::starcache {

using models::NodeId;
using store::Message;
using store::Op;

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
CacheManager::CacheManager(store::Shared& shared, const StarCacheOptions& options, Counters& counters,
                           const StarProgram& program)
    : switch_cache::CacheManager(shared, options, counters, program, shared.safety),
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

void CacheManager::preload(const std::vector<sim::Key>& keys) {
  p4::RegisterFile& registers = shared().rack.chassis().pipeline(kPipe).registers();
  for (const sim::Key key : keys) {
    const auto index = insert_now(key, false);
    if (!index) continue;
    if (shared().safety) registers.write(program_.state->id, *index, pair(*program_.state, first_version(key), 0));
    registers.write(program_.queue->id, *index, pair(*program_.queue, 0, 1));
  }
  clock().after<&CacheManager::begin_fetches>(sim::Duration{}, *this);
}

void CacheManager::begin_fetches() {
  for (const sim::Key key : cached()) scope().spawn(fetch_in_background(key));
}

sim::Task<void> CacheManager::fetch_in_background(sim::Key key) {
  co_await bring_value(key, CommonRace::boot_while_fetching);
}

// As printed, what waits here since the row's last key is answered with the wrong key, and corrected (§3.6). The
// packets of an item are counted from 1; as printed, the count that the last key left behind stays.
sim::Task<void> CacheManager::prepare_row(std::uint64_t index) {
  const std::uint32_t before = incarnation();
  const std::uint64_t queue = co_await cpu().read(program_.queue, index);
  if (incarnation() != before) co_return;
  if (!shared().safety && high_half(*program_.queue, queue) != 0) co_return;
  co_await cpu().write(program_.queue, index, pair(*program_.queue, low_half(*program_.queue, queue), 1));
}

// A cache packet of an evicted key is dropped (§3.3), so nobody serves what still waits for it. As printed, those
// requests stay until the index has a new key, and are lost if it gets none (§3.8).
sim::Task<void> CacheManager::clear_row(sim::Key key, std::uint64_t index) {
  if (options_.evicted_requests == StarCacheOptions::EvictedRequests::paper) co_return;
  const std::uint32_t before = incarnation();
  const std::uint64_t queue = co_await cpu().read(program_.queue, index);
  const std::uint64_t length = low_half(*program_.queue, queue), size = options_.queue_size;
  if (length == 0) co_return;
  const std::uint64_t front = co_await cpu().read(program_.front, index);
  shared().coverage.race(RacePoint::requests_sent_on);
  std::vector<sim::Task<void>> requests;
  for (std::uint64_t i = 0; i < length; ++i) requests.push_back(send_on(key, index * size + (front + i) % size));
  co_await sim::gather(std::move(requests));
  if (incarnation() != before) co_return;
  co_await cpu().write(program_.queue, index, pair(*program_.queue, 0, 1));
  if (incarnation() != before) co_return;
  co_await cpu().write(program_.front, index, (front + length) % size);
}

// As a correction request, which no cache logic touches: the key may be inserted again by the time it passes.
sim::Task<void> CacheManager::send_on(sim::Key key, std::uint64_t request_index) {
  const std::uint32_t before = incarnation();
  const std::uint64_t ip = co_await cpu().read(program_.client_ip, request_index);
  const std::uint64_t port = co_await cpu().read(program_.client_port, request_index);
  const std::uint64_t seq = co_await cpu().read(program_.client_seq, request_index);
  if (incarnation() != before) co_return;
  const store::KeyHash hash = shared().hash(key);
  const unsigned server = shared().home_of(hash);
  Message request;
  request.store = {
      .op = store::number(Op::correction_request), .seq = seq, .hkey_high = hash.high, .hkey_low = hash.low};
  request.measure.partition = server % options_.partitions;
  request.key = key;
  shared().rack.control_cpu().send(make_message(shared(), request, static_cast<std::uint16_t>(port),
                                                {shared().node_of(server), shared().port_of(server)}, 0),
                                   models::node_of_ipv4(ip));
}

void CacheManager::other(const Message& message, store::Address from) {
  if (message.store.operation() != kReport) return;
  if (report_) {
    const auto partitions = static_cast<unsigned>(options_.partitions);
    report_((from.node - shared().client_nodes) * partitions + from.port - store::kFirstPort,
            static_cast<std::uint32_t>(message.store.seq));
  }
  Message reply = message;
  reply.store.set(kReportReply);
  shared().rack.control_cpu().send(make_message(shared(), reply, store::kFirstPort, from, 0));
}

void CacheManager::note_race(CommonRace race) const {
  const auto point = [&] {
    switch (race) {
      case CommonRace::boot_while_installing:
        return RacePoint::boot_while_installing;
      case CommonRace::boot_while_evicting:
        return RacePoint::boot_while_evicting;
      case CommonRace::boot_while_fetching:
        return RacePoint::boot_while_fetching;
      case CommonRace::fetch_given_up:
        return RacePoint::fetch_given_up;
      case CommonRace::late_reply:
        break;
    }
    return RacePoint::late_reply_to_controller;
  };
  shared().coverage.race(point());
}

}  // namespace racksim::starcache
