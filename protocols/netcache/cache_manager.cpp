// Insertion, removal and fetching. See cache_manager.hpp.
#include "protocols/netcache/cache_manager.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "models/control_wait.hpp"

namespace racksim::netcache {

using models::NodeId;
using nocache::Message;
using nocache::Op;
using nocache::ValueHeader;

namespace {

constexpr unsigned kPipe = 0;
constexpr std::uint64_t kUntilAnswered = std::numeric_limits<std::uint64_t>::max();

Message message_for(Op op, nocache::KeyHash hash, std::uint64_t key) {
  Message message;
  message.store = {nocache::number(op), 0, hash.high, hash.low, 0};
  message.key = key;
  return message;
}

}  // namespace

CacheManager::CacheManager(nocache::Shared& shared, const NetCacheOptions& options, Counters& counters,
                           const NetProgram& program)
    : shared_(shared),
      options_(options),
      counters_(counters),
      program_(program),
      cpu_(shared.rack.control_cpu()),
      clock_(shared.rack.calendar(), "switch/control"),
      scope_(shared.rack.calendar()) {
  models::SwitchChassis& chassis = shared.rack.chassis();
  for (NodeId node = 0; node < shared.rack.nodes(); ++node) {
    if (chassis.pipe_of(shared.rack.port_of(node)) == kPipe) continue;
    throw std::runtime_error(
        fmt::format("node {} is plugged into another pipe of the switch than node 0, and each pipe has a cache of its "
                    "own: clients and servers must share one; {} ports are in a pipe",
                    node, chassis.options().ports_per_pipe));
  }
  for (std::uint64_t index = options.cache_entries; index-- > 0;) free_indices_.push_back(index);
  cpu_.listen(*this);
  shared.rack.observe_boots(*this);
  set_report_group();
}

void CacheManager::set_report_group() {
  models::SwitchChassis& chassis = shared_.rack.chassis();
  chassis.replication().set_group(kReportGroup, {{0, {static_cast<std::uint16_t>(chassis.cpu_port())}}});
}

bool CacheManager::cacheable(std::uint64_t key) const {
  return shared_.sizes.key_bytes <= kMostKeyBytes && shared_.sizes.value_bytes(key) <= kMostValueBytes;
}

std::vector<p4::KeyMatch> CacheManager::match(std::uint64_t key) const {
  const nocache::KeyHash hash = shared_.hash(key);
  return {hash.high, hash.low};
}

std::vector<CacheManager::Preloaded> CacheManager::preload(std::span<const std::uint64_t> keys) {
  p4::Pipeline& pipeline = shared_.rack.chassis().pipeline(kPipe);
  std::vector<Preloaded> preloaded;
  for (const std::uint64_t key : keys) {
    if (free_indices_.empty()) break;
    if (!cacheable(key) || is_cached(key)) continue;
    const std::uint64_t index = free_indices_.back();
    free_indices_.pop_back();
    rows_[key] = {index, true};
    const std::uint64_t version = shared_.safety ? new_version() : 0;
    const std::uint64_t valid = std::uint64_t{1} << (shared_.safety ? program_.state->width.bits : 0);
    pipeline.registers().write(program_.state->id, index, valid | version);
    for (unsigned i = 0; i < kValueArrays; ++i) {
      pipeline.registers().write(program_.values[i]->id, index, ValueHeader::word(0, i));
    }
    const std::array<std::uint64_t, 1> data{index};
    pipeline.add_entry(*program_.lookup, match(key), *program_.set_index, data);
    preloaded.push_back({key, version});
  }
  return preloaded;
}

sim::Task<bool> CacheManager::install(std::uint64_t key) {
  if (free_indices_.empty() || !cacheable(key) || is_cached(key)) co_return false;
  const Work work(*this);
  const std::uint32_t incarnation = incarnation_;
  const std::uint64_t index = free_indices_.back();
  free_indices_.pop_back();
  rows_[key] = {index, false};
  ++counters_.installs.value;
  // Nobody uses the row until the lookup table leads to it.
  const std::uint64_t state = shared_.safety ? new_version() : 0;
  co_await models::write_register(cpu_, kPipe, program_.state->name, index, state);
  co_await models::write_register(cpu_, kPipe, program_.popularity->name, index, 0);
  if (incarnation != incarnation_) co_return false;
  std::vector<p4::KeyMatch> row_key = match(key);  // named: gcc 12 refuses a braced list in the operand
  std::vector<std::uint64_t> row_data{index};
  co_await models::set_entry(cpu_, kPipe, program_.lookup->name, std::move(row_key), program_.set_index->name,
                             std::move(row_data));
  if (incarnation != incarnation_) co_return false;
  const bool fetched = co_await fetch(key);
  if (incarnation != incarnation_) co_return false;
  rows_[key].usable = true;
  if (!fetched) co_await evict(key);
  co_return fetched;
}

sim::Task<void> CacheManager::evict(std::uint64_t key) {
  const auto row = rows_.find(key);
  if (row == rows_.end() || !row->second.usable) co_return;
  const Work work(*this);
  const std::uint32_t incarnation = incarnation_;
  const std::uint64_t index = row->second.index;
  row->second.usable = false;
  ++counters_.evictions.value;
  std::vector<p4::KeyMatch> row_key = match(key);
  co_await models::remove_entry(cpu_, kPipe, program_.lookup->name, std::move(row_key));
  if (incarnation != incarnation_) co_return;
  Message request = message_for(Op::eviction, shared_.hash(key), key);
  if (shared_.safety) {
    // No write gets a version any more: the last one is final.
    const std::uint64_t state = co_await models::read_register(cpu_, kPipe, program_.state->name, index);
    if (incarnation != incarnation_) co_return;
    const std::uint64_t last = state & p4::mask_of(program_.state->width.bits);
    newest_version_ = std::max(newest_version_, last & 0xff'ffff);
    request.safety.version = last;
  }
  co_await ask(request, server_of(key), kUntilAnswered);
  if (incarnation != incarnation_) co_return;
  rows_.erase(key);
  free_indices_.push_back(index);
}

sim::Task<bool> CacheManager::fetch(std::uint64_t key) {
  const Work work(*this);
  const Message request = message_for(Op::fetch_request, shared_.hash(key), key);
  const bool fetched = co_await ask(request, server_of(key), options_.fetch_attempts);
  if (!fetched) ++counters_.failed_fetches.value;
  co_return fetched;
}

sim::Task<bool> CacheManager::ask(Message request, unsigned server, std::uint64_t attempts) {
  const std::uint32_t incarnation = incarnation_;
  const std::uint32_t seq = next_seq_++;
  sim::Signal answered(clock_.calendar());
  asking_[seq] = &answered;
  request.store.seq = seq;
  bool success = false;
  for (std::uint64_t attempt = 0; attempt < attempts && !success && incarnation == incarnation_; ++attempt) {
    if (request.store.operation() == Op::fetch_request) ++counters_.fetches.value;
    cpu_.send(
        make_message(shared_, request, nocache::kFirstPort, {shared_.node_of(server), shared_.port_of(server)}, 0));
    success = co_await answered.wait_for(clock_, NetCacheOptions::patience(options_.fetch_timeout, attempt));
  }
  asking_.erase(seq);
  co_return success;
}

void CacheManager::on_packet(p4::PacketRef packet) {
  if (!nocache::is_message(*packet)) return;
  const Message message = read_message(shared_, *packet);
  switch (message.store.operation()) {
    case Op::fetch_reply:
    case Op::eviction_reply: {
      const auto asking = asking_.find(static_cast<std::uint32_t>(message.store.seq));
      if (asking != asking_.end()) asking->second->notify_all();
      return;
    }
    case Op::read_request:  // a copy of one for a hot key
      ++counters_.hot_reports.value;
      if (hot_key_) hot_key_(message.key);
      return;
    default:
      return;
  }
}

std::vector<std::uint64_t> CacheManager::cached() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
  for (const auto& [key, row] : rows_) rows.emplace_back(row.index, key);
  std::sort(rows.begin(), rows.end());
  std::vector<std::uint64_t> keys;
  for (const auto& [index, key] : rows) keys.push_back(key);
  return keys;
}

void CacheManager::switch_booted() {
  ++incarnation_;
  newest_version_ = 0;
  set_report_group();
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
    std::vector<p4::KeyMatch> row_key = match(key);
    co_await models::remove_entry(cpu_, kPipe, program_.lookup->name, std::move(row_key));
    if (incarnation != incarnation_) co_return;
  }
  for (const auto& [key, row] : rows_) free_indices_.push_back(row.index);
  std::sort(free_indices_.rbegin(), free_indices_.rend());
  rows_.clear();
  for (unsigned server = 0; server < shared_.servers(); ++server) scope_.spawn(tell_boot(server));
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

}  // namespace racksim::netcache
