// Insertion, removal and fetching. See cache_manager.hpp.
#include "protocols/switch_cache/cache_manager.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "protocols/switch_cache/messages.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/options/option_error.hpp"
#include "sim/record/history.hpp"

namespace racksim::switch_cache {

using models::NodeId;
using store::Message;
using store::Op;

namespace {

constexpr std::uint64_t kUntilAnswered = std::numeric_limits<std::uint64_t>::max();

Message message_for(Op op, store::KeyHash hash, sim::Key key) {
  Message message;
  message.store = {.op = store::number(op), .hkey_high = hash.high, .hkey_low = hash.low};
  message.key = key;
  return message;
}

}  // namespace

CacheManager::CacheManager(store::Shared& shared, const CacheLocation& location, const CacheOptions& options,
                           Counters& counters, const CacheProgram& program, const ControllerRaces& races,
                           bool tells_servers)
    : shared_(shared),
      options_(options),
      counters_(counters),
      program_(program),
      location_(location),
      races_(races),
      tells_servers_(tells_servers),
      clock_(shared.rack.calendar(), location.chassis().name() + "/control"),
      scope_(shared.rack.calendar()) {
  free_all_rows();
  location.control_cpu().listen(*this);
  shared.rack.observe_boots(*this, location.network_switch());
}

void CacheManager::free_all_rows() {
  free_indices_.assign(location_.chassis().pipes(), {});
  for (const unsigned pipe : location_.pipes()) {
    for (std::uint64_t index = options_.cache_entries; index-- > 0;) free_indices_[pipe].push_back(index);
  }
}

std::size_t CacheManager::room() const {
  std::size_t sum = 0;
  for (const auto& indices : free_indices_) sum += indices.size();
  return sum;
}

RowAt CacheManager::make_row(sim::Key key, bool usable) {
  const KeyHash hash = shared_.hash(key);
  RACKSIM_INVARIANT(has_room_for(hash) && !is_cached(key), "a new row is for a key without one, at a free index");
  auto& free = free_indices_[location_.pipe_of(hash)];
  const RowAt at{location_.pipe_of(hash), free.back()};
  RACKSIM_INVARIANT(std::none_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row.second.at == at; }),
                    "no two keys have one row");
  free.pop_back();
  rows_[hash] = {.key = key, .at = at, .usable = usable};
  return at;
}

std::optional<RowAt> CacheManager::insert_now(sim::Key key, bool usable) {
  if (!has_room_for(shared_.hash(key)) || is_cached(key)) return std::nullopt;
  const RowAt at = make_row(key, usable);
  const std::array<std::uint64_t, 1> data{at.index};
  location_.pipeline(at.pipe).add_entry(*program_.lookup, match(shared_.hash(key)), *program_.set_index, data);
  return at;
}

store::Version CacheManager::first_version(sim::Key key) {
  const KeyHash hash = shared_.hash(key);
  store::Version& version = versions_[hash];
  version = shared_.versions.ahead(version, 1);
  RACKSIM_INVARIANT(version != 0 && version <= shared_.versions.largest(), "a version that is given out is not 0");
  rows_.at(hash).versioned = true;
  return version;
}

void CacheManager::note_version(sim::Key key, RowAt at, store::Version version) {
  const KeyHash hash = shared_.hash(key);
  const auto row = rows_.find(hash);
  // While a row is made its STATE may still be that of the key before.
  if (row == rows_.end() || row->second.at != at || !row->second.usable) return;
  store::Version& last = versions_[hash];
  last = shared_.versions.latest(last, version);
}

sim::Task<bool> CacheManager::install(sim::Key key) {
  if (!has_room_for(shared_.hash(key)) || !cacheable(key) || is_cached(key)) co_return false;
  const Work work(*this);
  const std::uint32_t incarnation = incarnation_;
  const RowAt at = make_row(key, false);
  models::ControlSession pipe = cpu(at.pipe);
  ++counters_.installs.value;
  // Nobody uses the row until the lookup table leads to it.
  const store::Version state = shared_.safety ? first_version(key) : store::kNoVersion;
  co_await pipe.write(program_.state, at.index, state);
  co_await prepare_row(at);
  co_await pipe.write(program_.popularity, at.index, 0);
  if (booted_since(incarnation, races_.boot_while_installing)) co_return false;
  std::vector<p4::KeyMatch> row_key = match(shared_.hash(key));  // named: gcc 12 refuses a braced list in the operand
  std::vector<std::uint64_t> row_data{at.index};
  row_inserted(shared_.hash(key), at, state);
  co_await pipe.set_entry(program_.lookup, std::move(row_key), program_.set_index, std::move(row_data));
  if (booted_since(incarnation, races_.boot_while_installing)) co_return false;
  co_return co_await bring_value(key, races_.boot_while_installing);
}

sim::Task<bool> CacheManager::bring_value(sim::Key key, sim::RacePoint if_booted) {
  const std::uint32_t incarnation = incarnation_;
  const bool fetched = co_await fetch(key);
  if (booted_since(incarnation, if_booted)) co_return false;
  const auto row = rows_.find(shared_.hash(key));
  if (row == rows_.end()) co_return false;
  row->second.usable = true;
  if (!fetched) co_await evict(key);
  co_return fetched;
}

sim::Task<void> CacheManager::evict(sim::Key key) {
  const KeyHash hash = shared_.hash(key);
  const auto row = rows_.find(hash);
  if (row == rows_.end() || !row->second.usable) co_return;
  const Work work(*this);
  const std::uint32_t incarnation = incarnation_;
  const RowAt at = row->second.at;
  models::ControlSession pipe = cpu(at.pipe);
  row->second.usable = false;
  ++counters_.evictions.value;
  row_removed(hash, at);
  co_await pipe.remove_entry(program_.lookup, match(hash));
  if (booted_since(incarnation, races_.boot_while_evicting)) co_return;
  co_await clear_row(key, at);
  if (booted_since(incarnation, races_.boot_while_evicting)) co_return;
  Message request = message_for(kEviction, hash, key);
  if (shared_.safety) {
    // No write gets a version any more: the last one is final.
    const std::uint64_t state = co_await pipe.read(program_.state, at.index);
    if (booted_since(incarnation, races_.boot_while_evicting)) co_return;
    request.safety.version = versions_[hash] = program_.version_in(state);
  }
  if (tells_servers_) {
    co_await ask(request, shared_.home_of(hash), kUntilAnswered);
    if (booted_since(incarnation, races_.boot_while_evicting)) co_return;
  }
  rows_.erase(hash);
  free_indices_[at.pipe].push_back(at.index);
  RACKSIM_INVARIANT(rows_.size() + room() == options_.cache_entries * location_.pipes().size(),
                    "each row of the tables is a key's or free");
}

sim::Task<bool> CacheManager::fetch(sim::Key key) {
  const Work work(*this);
  const KeyHash hash = shared_.hash(key);
  const Message request = message_for(kFetchRequest, hash, key);
  const bool fetched = co_await ask(request, shared_.home_of(hash), options_.fetch_attempts);
  if (!fetched) {
    ++counters_.failed_fetches.value;
    shared_.coverage.race(races_.fetch_given_up);
  }
  co_return fetched;
}

sim::Task<bool> CacheManager::ask(Message request, unsigned server, std::uint64_t attempts) {
  const std::uint32_t incarnation = incarnation_;
  const std::uint32_t seq = next_seq_++;
  PendingRequest pending(clock_.calendar());
  pending_[seq] = &pending;
  request.store.seq = seq;
  bool success = false;
  for (std::uint64_t attempt = 0; attempt < attempts && !success && incarnation == incarnation_; ++attempt) {
    if (request.store.operation() == kFetchRequest) ++counters_.fetches.value;
    pending.fragments = 0;
    location_.control_cpu().send(
        make_message(shared_, request, store::kFirstPort, {shared_.node_of(server), shared_.port_of(server)}, 0));
    const sim::Time began = clock_.calendar().now();
    success = co_await pending.answered.wait_for(clock_, patience(attempt));
    if (success || incarnation != incarnation_) continue;
    sim::record_sent_again(
        shared_.rack.event_log(), location_.control_cpu().network_source(), clock_.calendar().now(), 0,
        {.why = sim::SentAgain::timeout, .key = request.key, .since = began, .given_up = attempt + 1 == attempts});
  }
  pending_.erase(seq);
  co_return success;
}

void CacheManager::on_packet(p4::PacketRef packet) {
  if (!store::is_message(*packet)) return;
  const Message message = read_message(shared_, *packet);
  const Op op = message.store.operation();
  if (op == kFetchReply || op == kEvictionReply) return answered(message);
  other(message, store::sender_of(*packet));
}

void CacheManager::answered(const Message& reply) {
  const auto found = pending_.find(static_cast<std::uint32_t>(reply.store.seq));
  if (found == pending_.end()) return shared_.coverage.race(races_.late_reply);
  PendingRequest& pending = *found->second;
  // All packets of one attempt: StarCache has dropped those of another, and with one missing nobody who waits for the
  // item is ever served the whole of it.
  if (reply.safety.version != pending.version) pending.fragments = 0;
  pending.version = store::Version{reply.safety.version};
  pending.fragments |= std::uint64_t{1} << (reply.fragment % 64);
  const bool fetched = reply.store.operation() == kFetchReply;
  if (fetched && std::popcount(pending.fragments) < static_cast<int>(reply.store.flag)) return;
  pending.answered.notify_all();
}

std::vector<sim::Key> CacheManager::cached() const {
  std::vector<const Row*> rows;
  for (const auto& [hash, row] : rows_) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) {
    return std::pair(a->at.pipe, a->at.index) < std::pair(b->at.pipe, b->at.index);
  });
  std::vector<sim::Key> keys;
  for (const Row* row : rows) keys.push_back(row->key);
  return keys;
}

std::vector<models::Leak> CacheManager::leaks() const {
  std::vector<models::Leak> leaks;
  if (busy() > 0) return leaks;
  const std::size_t all = options_.cache_entries * location_.pipes().size();
  if (rows_.size() + room() != all) {
    leaks.push_back(
        {"leaked-entry",
         fmt::format("controller: {} keys are cached and {} table indices are free, of {}", rows_.size(), room(), all),
         {}});
  }
  std::size_t entries = 0;
  for (const unsigned pipe : location_.pipes()) entries += location_.pipeline(pipe).entries(*program_.lookup);
  if (entries != rows_.size()) {
    leaks.push_back(
        {"leaked-entry",
         fmt::format("switch: its lookup table has {} entries, for {} keys that are cached", entries, rows_.size()),
         {}});
  }
  return leaks;
}

std::vector<models::Leak> CacheManager::dead_keys() const {
  const sim::EventLog& event_log = shared_.rack.event_log();
  if (event_log.count(sim::Observed::disturbance) + event_log.count(sim::Observed::operation_given_up) > 0) return {};
  std::set<RowAt> valid;
  for (const auto& [hash, row] : rows_) {
    if (program_.is_valid(location_.pipeline(row.at.pipe).registers().read(program_.state->id, row.at.index))) {
      valid.insert(row.at);
    }
  }
  const std::set<RowAt> serves = served(valid);
  std::vector<models::Leak> leaks;
  for (const sim::Key key : cached()) {
    const RowAt at = row_of(key);
    if (serves.contains(at)) continue;
    leaks.push_back({"dead-entry",
                     fmt::format("switch: key {} is cached at index {} of pipe {}, and {}", sim::printed_key(key),
                                 at.index, at.pipe,
                                 valid.contains(at) ? "not all packets of its value circulate there"
                                                    : "its value is invalid, though nobody writes or fetches it"),
                     {key, {}}});
  }
  return leaks;
}

bool CacheManager::is_cached(sim::Key key) const {
  return rows_.contains(shared_.hash(key));
}

RowAt CacheManager::row_of(sim::Key key) const {
  return rows_.at(shared_.hash(key)).at;
}

std::optional<RowAt> CacheManager::row_of(KeyHash hash) const {
  const auto row = rows_.find(hash);
  return row == rows_.end() ? std::nullopt : std::optional(row->second.at);
}

bool CacheManager::booted_since(std::uint32_t incarnation, sim::RacePoint race) const {
  if (incarnation == incarnation_) return false;
  shared_.coverage.race(race);
  return true;
}

// Whoever is under way notices the boot when what it waits for ends, and does nothing more; what it had posted to the
// switch has no effect (models/switch/control_cpu.hpp). So the table is as empty as the switch's at once.
void CacheManager::switch_booted() {
  ++incarnation_;
  const std::vector<sim::Key> keys = cached();
  for (const auto& [hash, row] : rows_) {
    free_indices_[row.at.pipe].push_back(row.at.index);
    row_removed(hash, row.at);
    if (!row.versioned) continue;
    store::Version& last = versions_[hash];
    last = shared_.versions.ahead(last, shared_.versions.leap());
  }
  for (auto& indices : free_indices_) std::sort(indices.rbegin(), indices.rend());
  rows_.clear();
  RACKSIM_INVARIANT(room() == options_.cache_entries * location_.pipes().size(),
                    "after a boot all rows of the tables are free");
  configure_switch();
  // What the cache held before comes first, in the order of its indices; then what an earlier boot has left over.
  const std::set<sim::Key> earlier = std::exchange(lost_, {keys.begin(), keys.end()});
  for (const sim::Key key : keys) scope_.spawn(reinstall(key));
  for (const sim::Key key : earlier) {
    if (lost_.insert(key).second) scope_.spawn(reinstall(key));
  }
}

sim::Task<void> CacheManager::reinstall(sim::Key key) {
  const std::uint32_t incarnation = incarnation_;
  if (tells_servers_) {
    const KeyHash hash = shared_.hash(key);
    Message request = message_for(kEviction, hash, key);
    if (shared_.safety) request.safety.version = versions_[hash];
    co_await ask(request, shared_.home_of(hash), kUntilAnswered);
    if (incarnation != incarnation_) co_return;
  }
  lost_.erase(key);
  co_await install(key);
}

}  // namespace racksim::switch_cache
