// Insertion, removal and fetching. See cache_manager.hpp.
#include "protocols/starcache/cache_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <stdexcept>

#include "models/addressing.hpp"
#include "models/control_wait.hpp"

namespace racksim::starcache {

using models::NodeId;
using nocache::Message;
using nocache::Op;

namespace {

constexpr std::uint64_t kUntilAnswered = std::numeric_limits<std::uint64_t>::max();

Message message_for(Op op, nocache::KeyHash hash, std::uint64_t key) {
  Message message;
  message.store = {nocache::number(op), 0, hash.high, hash.low, 0};
  message.key = key;
  return message;
}

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

CacheManager::CacheManager(nocache::Shared& shared, const StarCacheOptions& options, Counters& counters,
                           const StarProgram& program)
    : shared_(shared),
      options_(options),
      counters_(counters),
      program_(program),
      cpu_(shared.rack.control_cpu()),
      clock_(shared.rack.calendar(), "switch/control"),
      scope_(shared.rack.calendar()) {
  models::SwitchChassis& chassis = shared.rack.chassis();
  for (NodeId node = 0; node < shared.rack.nodes(); ++node) {
    if (chassis.pipe_of(shared.rack.port_of(node)) != kPipe) {
      throw std::runtime_error(
          fmt::format("node {} is plugged into another pipe of the switch than node 0: clients, servers and cache "
                      "packets must share "
                      "one (StarCache §3.10); {} ports are in a pipe",
                      node, chassis.options().ports_per_pipe));
    }
  }
  for (std::uint64_t index = options.cache_entries; index-- > 0;) free_indices_.push_back(index);
  cpu_.listen(*this);
  shared.rack.observe_boots(*this);
  fill_clone_table();
}

// The clone of what goes to a client goes to the recirculation port (§3.5, Figure 6); the controller counts as one.
void CacheManager::fill_clone_table() {
  models::SwitchChassis& chassis = shared_.rack.chassis();
  const auto add = [&](NodeId node, unsigned port, std::uint16_t group) {
    const auto recirculation = static_cast<std::uint16_t>(chassis.recirculation_port(kPipe));
    chassis.replication().set_group(group, {{0, {static_cast<std::uint16_t>(port), recirculation}}});
    const std::array<std::uint64_t, 1> key{models::ipv4_of(node)};
    const std::array<std::uint64_t, 2> data{group, models::mac_of(node)};
    chassis.pipeline(kPipe).add_entry(*program_.clone, key, *program_.clone_to, data);
  };
  for (NodeId node = 0; node < shared_.client_nodes; ++node) {
    add(node, shared_.rack.port_of(node), static_cast<std::uint16_t>(node + 1));
  }
  add(models::kControlCpuNode, chassis.cpu_port(), static_cast<std::uint16_t>(shared_.client_nodes + 1));
}

void CacheManager::preload(const std::vector<std::uint64_t>& keys) {
  p4::Pipeline& pipeline = shared_.rack.chassis().pipeline(kPipe);
  for (const std::uint64_t key : keys) {
    const KeyHash hash = shared_.hash(key);
    if (free_indices_.empty() || rows_.contains(hash)) continue;
    const std::uint64_t index = free_indices_.back();
    free_indices_.pop_back();
    rows_[hash] = {key, index, false};
    if (shared_.safety) pipeline.registers().write(program_.state->id, index, pair(*program_.state, new_version(), 0));
    pipeline.registers().write(program_.queue->id, index, pair(*program_.queue, 0, 1));
    const std::array<std::uint64_t, 2> words{hash.high, hash.low};
    const std::array<std::uint64_t, 1> data{index};
    pipeline.add_entry(*program_.lookup, words, *program_.set_index, data);
  }
  clock_.after<&CacheManager::begin_fetches>(sim::Duration{}, *this);
}

void CacheManager::begin_fetches() {
  for (const std::uint64_t key : cached()) scope_.spawn(fetch_in_background(key));
}

sim::Task<void> CacheManager::fetch_in_background(std::uint64_t key) {
  const std::uint32_t incarnation = incarnation_;
  const bool fetched = co_await fetch(key);
  if (booted_since(incarnation, RacePoint::boot_while_fetching)) co_return;
  const auto row = rows_.find(shared_.hash(key));
  if (row == rows_.end()) co_return;
  row->second.usable = true;
  if (!fetched) co_await evict(key);
}

sim::Task<bool> CacheManager::install(std::uint64_t key) {
  const KeyHash hash = shared_.hash(key);
  if (free_indices_.empty() || rows_.contains(hash)) co_return false;
  const Work work(*this);
  const std::uint32_t incarnation = incarnation_;
  const std::uint64_t index = free_indices_.back();
  free_indices_.pop_back();
  rows_[hash] = {key, index, false};
  ++counters_.installs.value;
  // Nobody uses the row until the lookup table leads to it.
  const std::uint64_t state = shared_.safety ? pair(*program_.state, new_version(), 0) : 0;
  co_await models::write_register(cpu_, kPipe, program_.state->name, index, state);
  const std::uint64_t queue = co_await models::read_register(cpu_, kPipe, program_.queue->name, index);
  if (low_half(*program_.queue, queue) > 0) shared_.coverage.race(RacePoint::index_reused_with_requests);
  // What waits here since the row's last key is answered with the wrong key, and corrected (§3.6). The packets of an
  // item are counted from 1; as printed, the count that the last key left behind stays.
  if (shared_.safety || high_half(*program_.queue, queue) == 0) {
    co_await models::write_register(cpu_, kPipe, program_.queue->name, index,
                                    pair(*program_.queue, low_half(*program_.queue, queue), 1));
  }
  co_await models::write_register(cpu_, kPipe, program_.popularity->name, index, 0);
  if (booted_since(incarnation, RacePoint::boot_while_installing)) co_return false;
  std::vector<p4::KeyMatch> row_key = match(hash);  // named: gcc 12 refuses a braced list in the operand
  std::vector<std::uint64_t> row_data{index};
  co_await models::set_entry(cpu_, kPipe, program_.lookup->name, std::move(row_key), program_.set_index->name,
                             std::move(row_data));
  if (booted_since(incarnation, RacePoint::boot_while_installing)) co_return false;
  const bool fetched = co_await fetch(key);
  if (booted_since(incarnation, RacePoint::boot_while_installing)) co_return false;
  rows_[hash].usable = true;
  if (!fetched) co_await evict(key);
  co_return fetched;
}

sim::Task<void> CacheManager::evict(std::uint64_t key) {
  const KeyHash hash = shared_.hash(key);
  const auto row = rows_.find(hash);
  if (row == rows_.end() || !row->second.usable) co_return;
  const Work work(*this);
  const std::uint32_t incarnation = incarnation_;
  const std::uint64_t index = row->second.index;
  row->second.usable = false;
  ++counters_.evictions.value;
  co_await models::remove_entry(cpu_, kPipe, program_.lookup->name, match(hash));
  if (booted_since(incarnation, RacePoint::boot_while_evicting)) co_return;
  if (shared_.safety) {
    // No write gets a version any more: the last one is final.
    const std::uint64_t state = co_await models::read_register(cpu_, kPipe, program_.state->name, index);
    if (booted_since(incarnation, RacePoint::boot_while_evicting)) co_return;
    const std::uint64_t last = low_half(*program_.state, state);
    newest_version_ = std::max(newest_version_, last & 0xff'ffff);
    Message request = message_for(Op::eviction, hash, key);
    request.safety.version = last;
    co_await ask(request, server_of(hash, shared_.servers()), kUntilAnswered);
    if (booted_since(incarnation, RacePoint::boot_while_evicting)) co_return;
  }
  rows_.erase(hash);
  free_indices_.push_back(index);
}

sim::Task<bool> CacheManager::fetch(std::uint64_t key) {
  const Work work(*this);
  const KeyHash hash = shared_.hash(key);
  const Message request = message_for(Op::fetch_request, hash, key);
  const bool fetched = co_await ask(request, server_of(hash, shared_.servers()), options_.fetch_attempts);
  if (!fetched) {
    ++counters_.failed_fetches.value;
    shared_.coverage.race(RacePoint::fetch_given_up);
  }
  co_return fetched;
}

sim::Task<bool> CacheManager::ask(Message request, unsigned server, std::uint64_t attempts) {
  const std::uint32_t incarnation = incarnation_;
  const std::uint32_t seq = next_seq_++;
  Question question(clock_.calendar());
  asking_[seq] = &question;
  request.store.seq = seq;
  bool success = false;
  for (std::uint64_t attempt = 0; attempt < attempts && !success && incarnation == incarnation_; ++attempt) {
    if (request.store.operation() == Op::fetch_request) ++counters_.fetches.value;
    question.fragments = 0;
    cpu_.send(
        make_message(shared_, request, nocache::kFirstPort, {shared_.node_of(server), shared_.port_of(server)}, 0));
    success = co_await question.answered.wait_for(clock_, options_.fetch_timeout);
  }
  asking_.erase(seq);
  co_return success;
}

void CacheManager::on_packet(p4::PacketRef packet) {
  if (!nocache::is_message(*packet)) return;
  const Message message = read_message(shared_, *packet);
  const nocache::Address from = nocache::sender_of(*packet);
  switch (message.store.operation()) {
    case Op::fetch_reply:
    case Op::eviction_reply: {
      const auto asking = asking_.find(static_cast<std::uint32_t>(message.store.seq));
      if (asking == asking_.end()) return shared_.coverage.race(RacePoint::late_reply_to_controller);
      Question& question = *asking->second;
      // All packets of one attempt: those of another do not circulate any more, and with one missing nobody who waits
      // for the item is ever served the whole of it.
      if (message.safety.version != question.version) question.fragments = 0;
      question.version = message.safety.version;
      question.fragments |= std::uint64_t{1} << (message.fragment % 64);
      const bool fetched = message.store.operation() == Op::fetch_reply;
      if (fetched && std::popcount(question.fragments) < static_cast<int>(message.store.flag)) return;
      return question.answered.notify_all();
    }
    case Op::report: {
      const auto partitions = static_cast<unsigned>(options_.partitions);
      if (report_) {
        report_((from.node - shared_.client_nodes) * partitions + from.port - nocache::kFirstPort,
                static_cast<std::uint32_t>(message.store.seq));
      }
      Message reply = message;
      reply.store.set(Op::report_reply);
      return cpu_.send(make_message(shared_, reply, nocache::kFirstPort, from, 0));
    }
    default:
      return;
  }
}

std::vector<std::uint64_t> CacheManager::cached() const {
  std::vector<const Row*> rows;
  for (const auto& [hash, row] : rows_) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return a->index < b->index; });
  std::vector<std::uint64_t> keys;
  for (const Row* row : rows) keys.push_back(row->key);
  return keys;
}

bool CacheManager::is_cached(std::uint64_t key) const {
  return rows_.contains(shared_.hash(key));
}

std::uint64_t CacheManager::index_of(std::uint64_t key) const {
  return rows_.at(shared_.hash(key)).index;
}

std::optional<std::uint64_t> CacheManager::index_of(KeyHash hash) const {
  const auto row = rows_.find(hash);
  return row == rows_.end() ? std::nullopt : std::optional(row->second.index);
}

bool CacheManager::booted_since(std::uint32_t incarnation, RacePoint point) const {
  if (incarnation == incarnation_) return false;
  shared_.coverage.race(point);
  return true;
}

void CacheManager::switch_booted() {
  ++incarnation_;
  newest_version_ = 0;
  fill_clone_table();
  scope_.spawn(start_over());
}

// Tasks that were under way notice the boot and end; an operation that they had posted before may still be executed, so
// all rows are removed before any is made.
sim::Task<void> CacheManager::start_over() {
  const std::uint32_t incarnation = incarnation_;
  while (working_ > 0 || cpu_.outstanding() > 0) co_await sim::sleep_for(clock_, options_.fetch_timeout);
  if (incarnation != incarnation_) co_return;
  const std::vector<std::uint64_t> keys = cached();
  for (const std::uint64_t key : keys) {
    std::vector<p4::KeyMatch> hash = match(shared_.hash(key));
    co_await models::remove_entry(cpu_, kPipe, program_.lookup->name, std::move(hash));
    if (incarnation != incarnation_) co_return;
  }
  for (const auto& [hash, row] : rows_) free_indices_.push_back(row.index);
  std::sort(free_indices_.rbegin(), free_indices_.rend());
  rows_.clear();
  for (unsigned server = 0; shared_.safety && server < shared_.servers(); ++server) scope_.spawn(tell_boot(server));
  for (const std::uint64_t key : keys) scope_.spawn(install_in_background(key));
}

sim::Task<void> CacheManager::tell_boot(unsigned server) {
  Message request = message_for(Op::eviction, {}, 0);
  request.store.flag = 1;
  request.safety.version = std::uint64_t{incarnation_ & 0xff} << 24;
  co_await ask(request, server, kUntilAnswered);
}

sim::Task<void> CacheManager::install_in_background(std::uint64_t key) {
  co_await install(key);
}

}  // namespace racksim::starcache
