// Clone table, request queues and reports. See cache_manager.hpp.
#include "protocols/starcache/cache_manager.hpp"

#include <array>
#include <map>
#include <utility>

#include "models/packets/addressing.hpp"
#include "protocols/starcache/clone_tables.hpp"
#include "protocols/starcache/messages.hpp"
#include "protocols/switch_cache/messages.hpp"

namespace racksim::starcache {

using models::NodeId;
using store::Message;
using store::Op;
using switch_cache::high_half;
using switch_cache::low_half;
using switch_cache::pair;

// A server need not know what is cached unless it orders writes by versions.
CacheManager::CacheManager(store::Shared& shared, const switch_cache::CacheLocation& location,
                           const StarCacheOptions& options, Counters& counters, const StarProgram& program)
    : switch_cache::CacheManager(shared, location, options, counters, program, controller_races, shared.safety),
      options_(options),
      program_(program) {
  configure_switch();
  if (!options.same_entries) return;
  for (unsigned other = 0; other < shared.rack.switches(); ++other) {
    if (other == location.network_switch() || !has_servers(shared.rack, other)) continue;
    replicas_.push_back(std::make_unique<ReplicaSwitch>(shared, other, program));
  }
}

void CacheManager::configure_switch() {
  fill_clone_tables(shared(), location().network_switch(), location().pipes(), program_);
  for (unsigned server = 0; server < shared().servers(); ++server) {
    const NodeId node = shared().node_of(server);
    const std::array<std::uint64_t, 1> address{models::ipv4_of(node)};
    const unsigned home = location().pipe_of_server(server);
    const std::array<std::uint64_t, 1> recirculation{location().chassis().recirculation_port(home)};
    for (unsigned pipe = 0; pipe < location().chassis().pipes(); ++pipe) {
      if (server % options_.partitions != 0) continue;  // an entry a node
      p4::Pipeline& pipeline = location().pipeline(pipe);
      if (program_.own_request != nullptr) {
        pipeline.add_entry(*program_.own_request, address, *program_.own_server, {});
        pipeline.add_entry(*program_.own_reply, address, *program_.own_server, {});
      }
      if (program_.fetch_pipe != nullptr && pipe != home) {
        pipeline.add_entry(*program_.fetch_pipe, address, *program_.to_pipe, recirculation);
      }
    }
  }
}

void CacheManager::preload(std::span<const sim::Key> hottest) {
  std::map<unsigned, std::uint64_t> seen;  // by pipe
  for (const sim::Key key : hottest) {
    if (seen[location().pipe_of(shared().hash(key))]++ >= options_.cache_size) continue;
    const auto row = insert_now(key, false);
    if (!row) continue;
    p4::RegisterFile& registers = location().pipeline(row->pipe).registers();
    const std::uint64_t state = shared().safety ? pair(*program_.state, first_version(key), 0) : 0;
    if (shared().safety) registers.write(program_.state->id, row->index, state);
    registers.write(program_.queue->id, row->index, pair(*program_.queue, 0, 1));
    row_inserted(shared().hash(key), *row, state);
  }
  clock().after<&CacheManager::begin_fetches>(sim::Duration{}, *this);
}

void CacheManager::row_inserted(store::KeyHash hash, RowAt row, std::uint64_t state) {
  for (auto& replica : replicas_) replica->insert(hash, row, state);
}

void CacheManager::row_removed(store::KeyHash hash, RowAt row) {
  for (auto& replica : replicas_) replica->remove(hash, row);
}

void CacheManager::begin_fetches() {
  for (const sim::Key key : cached()) scope().spawn(fetch_in_background(key));
}

sim::Task<void> CacheManager::fetch_in_background(sim::Key key) {
  co_await bring_value(key, races.boot_while_fetching);
}

// As printed, what waits here since the row's last key is answered with the wrong key, and corrected (§3.6). The
// packets of an item are counted from 1; as printed, the count that the last key left behind stays.
sim::Task<void> CacheManager::prepare_row(RowAt row) {
  const std::uint32_t before = incarnation();
  models::ControlSession pipe = cpu(row.pipe);
  const std::uint64_t queue = co_await pipe.read(program_.queue, row.index);
  if (incarnation() != before) co_return;
  if (!shared().safety && high_half(*program_.queue, queue) != 0) co_return;
  co_await pipe.write(program_.queue, row.index, pair(*program_.queue, low_half(*program_.queue, queue), 1));
}

// A cache packet of an evicted key is dropped (§3.3), so nobody serves what still waits for it. As printed, those
// requests stay until the index has a new key, and are lost if it gets none (§3.8).
sim::Task<void> CacheManager::clear_row(sim::Key key, RowAt row) {
  if (options_.evicted_requests == StarCacheOptions::EvictedRequests::paper) co_return;
  const std::uint32_t before = incarnation();
  models::ControlSession pipe = cpu(row.pipe);
  const std::uint64_t queue = co_await pipe.read(program_.queue, row.index);
  const std::uint64_t length = low_half(*program_.queue, queue), size = options_.queue_size;
  if (length == 0) co_return;
  const std::uint64_t front = co_await pipe.read(program_.front, row.index);
  shared().coverage.race(races.requests_sent_on);
  std::vector<sim::Task<void>> requests;
  for (std::uint64_t i = 0; i < length; ++i) {
    requests.push_back(send_on(key, row.pipe, row.index * size + (front + i) % size));
  }
  co_await sim::gather(std::move(requests));
  if (incarnation() != before) co_return;
  co_await pipe.write(program_.queue, row.index, pair(*program_.queue, 0, 1));
  if (incarnation() != before) co_return;
  co_await pipe.write(program_.front, row.index, (front + length) % size);
}

// As a correction request, which no cache logic touches: the key may be inserted again by the time it passes.
sim::Task<void> CacheManager::send_on(sim::Key key, unsigned pipe, std::uint64_t request_index) {
  const std::uint32_t before = incarnation();
  models::ControlSession session = cpu(pipe);
  const std::uint64_t ip = co_await session.read(program_.client_ip, request_index);
  const std::uint64_t port = co_await session.read(program_.client_port, request_index);
  const std::uint64_t seq = co_await session.read(program_.client_seq, request_index);
  if (incarnation() != before) co_return;
  const store::KeyHash hash = shared().hash(key);
  const unsigned server = shared().home_of(hash);
  Message request;
  request.store = {
      .op = store::number(Op::correction_request), .seq = seq, .hkey_high = hash.high, .hkey_low = hash.low};
  request.measure.partition = server % options_.partitions;
  request.key = key;
  location().control_cpu().send(make_message(shared(), request, static_cast<std::uint16_t>(port),
                                             {shared().node_of(server), shared().port_of(server)}, 0),
                                models::node_of_ipv4(ip));
}

std::optional<Message> CacheManager::copy_in(const p4::Packet& packet) const {
  const auto* store = packet.find<store::StoreHeader>();
  if (store == nullptr) return std::nullopt;
  const Op op = store->operation();
  if (op != Op::read_reply && op != Op::write_reply && op != switch_cache::kFetchReply) return std::nullopt;
  const auto row = row_of(store::KeyHash{store->hkey_high, store->hkey_low});
  if (!row) return std::nullopt;
  const std::uint64_t state = location().pipeline(row->pipe).registers().read(program_.state->id, row->index);
  if (!program_.is_valid(state)) return std::nullopt;
  Message message = read_message(shared(), const_cast<p4::Packet&>(packet));
  const bool stale = shared().safety && message.safety.version != program_.version_in(state);
  return stale && options_.drop_stale ? std::nullopt : std::optional(std::move(message));
}

std::set<RowAt> CacheManager::served(std::set<RowAt>) const {
  std::map<RowAt, std::set<unsigned>> packets;
  std::set<RowAt> served;
  for_each_copy([&](const Message& message) {
    const RowAt row = *row_of(hash_in(message));
    std::set<unsigned>& numbers = packets[row];
    numbers.insert(message.fragment);
    if (numbers.size() >= message.store.flag) served.insert(row);
  });
  return served;
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
  location().control_cpu().send(make_message(shared(), reply, store::kFirstPort, from, 0));
}

}  // namespace racksim::starcache
