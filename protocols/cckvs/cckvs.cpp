// Registration, assembly and inspection of ccKVS. See cckvs.hpp.
#include "protocols/cckvs/cckvs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "protocols/cckvs/keys/hand_over_step.hpp"
#include "protocols/cckvs/keys/key_step.hpp"
#include "protocols/cckvs/threads/races.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::cckvs {

namespace {

const sim::Registration<models::ProtocolEntry> registration({
    .name = "cckvs",
    .doc = "ccKVS: a sharded key-value store whose nodes all cache the hottest keys, consistently (EuroSys '18)",
    .make_options = [] { return std::make_shared<Options>(); },
    .tolerates = {"control-delay", "fast-clock", "nic-stall", "slow-core"},
    .coverage = {.states = {}, .messages = {}, .race_points = races.names()},
    .tables = {&lin_table().description(), &sc_table().description(), &home_table().description(),
               &member_table().description()},
    .work_shares = {{"of the operations were answered by a cache", "store.answers_by_cache", "store.answers"}},
});

}  // namespace

void Options::declare(sim::Parameters& p) {
  declare_nodes(p);
  declare_cache(p);
  declare_hot_set(p);
}

std::vector<std::string> Options::promises() const {
  if (rules.consistency == Consistency::lin) return {"data-value"};
  return {"sequential", "sessions"};
}

std::vector<std::string> Options::also_tolerates() const {
  std::vector<std::string> kinds;
  if (!rules.wraps_soon()) kinds = {"hold"};
  if (rules.retransmit) kinds.insert(kinds.end(), {"down", "drop", "partition"});
  if (rules.retransmit && !rules.wraps_soon()) kinds.insert(kinds.end(), {"duplicate", "noise"});
  return kinds;
}

// A put waits for its acknowledgements and not for other puts, under SC not even for those; a get waits while its copy is
// Invalid, which later puts may make it again: nothing bounds how often others are first. At one core a put has a message
// to or from each other node. Who has one credit sends one message a round trip.
std::optional<sim::WaitingBounds> Options::waiting(const models::RackOptions& rack) const {
  return sim::WaitingBounds{
      .waits_from = rack.rtt / 2,
      .headway = rack.rtt,
      .step = rack.rtt * 24,
      .work = (request_work + response_work + packet_work + store_work + message_work +
               work_of_connections(cache_threads_in_reach(0) + kvs_threads_in_reach(), rack.nodes)) *
                  static_cast<std::int64_t>(rack.nodes + 1) +
              rack.rtt / static_cast<std::int64_t>(std::min(consistency_credits, request_credits))};
}

models::StateSize Options::state_size(std::uint64_t nodes) const {
  models::StateSize size = cckvs::state_size();
  size.cache_objects = cache_keys.value_or(std::numeric_limits<std::uint64_t>::max());
  size.bytes_per_copy = 24;  // an entry; all caches share the map of the keys that they begin with
  if (!learning) return size;
  size.bytes_per_copy = 80;  // an entry and its place in maps of its own
  // A cache is not left with the keys that it begins with.
  size.fixed_bytes =
      nodes * cache_keys.value_or(0) * size.bytes_per_copy + learning_bytes(nodes, cache_keys.value_or(0));
  size.cache_objects = 0;
  return size;
}

std::unique_ptr<models::Protocol> Options::build(models::ProtocolContext& context) const {
  return std::make_unique<Cckvs>(context, *this);
}

Cckvs::Cckvs(models::ProtocolContext& context, const Options& options)
    : Cluster(context, options, "cckvs", options.probe_work),
      options_(options),
      caches_source_(context.rack.event_log().add_source("cckvs/caches")) {
  options.CacheOptions::check(context.rack, options);
  options.HotSetOptions::check(context.rack, options, options);
  if (options.rules.retransmit) shared().retransmit_after = options.retransmit_after;
  for (NodeId node = 0; node < shared().nodes(); ++node) {
    caches_.push_back(std::make_unique<SymmetricCache>(shared(), options_, node, context.coverage));
  }
  if (options.learning) build_hot_set();
  for (unsigned thread = 0; thread < options.cache_threads; ++thread) {
    for (NodeId a = 0; a < caches_.size(); ++a) {
      for (NodeId b = 0; b < caches_.size(); ++b) {
        if (a != b) caches_[a]->links(thread).meet(b, caches_[b]->links(thread));
      }
    }
  }
}

void Cckvs::build_hot_set() {
  std::vector<HotSet::Node> nodes;
  for (NodeId node = 0; node < shared().nodes(); ++node) nodes.push_back({own_shard(node), *caches_[node]});
  hot_set_ = std::make_unique<HotSet>(shared(), options_, options_, *options_.cache_keys, nodes);
}

void Cckvs::preload(std::span<const sim::Key> hottest) {
  const std::uint64_t wanted = options_.cache_keys.value_or(hottest.size());
  if (wanted > hottest.size() && !options_.learning) {
    throw sim::OptionError("/protocol/cckvs/cache_keys", fmt::format("{}", wanted),
                           fmt::format("at most the {} hottest keys that the workload tells", hottest.size()));
  }
  const std::size_t begun = std::min<std::uint64_t>(wanted, hottest.size());
  preloaded_.assign(hottest.begin(), hottest.begin() + static_cast<std::ptrdiff_t>(begun));
  caches_.front()->keys().begin_with(preloaded_);
  for (const auto& cache : caches_) {
    if (cache != caches_.front()) cache->keys().begin_with(caches_.front()->cache());
  }
  if (hot_set_ != nullptr) hot_set_->begin_with(preloaded_);
}

void Cckvs::add_actors(sim::Engine& engine, std::span<const sim::HostId> nodes) {
  if (hot_set_ != nullptr) hot_set_->coordinator().add_actor(engine, nodes[options_.coordinator]);
}

bool Cckvs::is_stored(sim::Key key) const {
  if (hot_set_ == nullptr) return !caches_.front()->has(key);
  const auto at = static_cast<NodeId>(home(key).node);
  return hot_set_->agent(at).hand_over().home_state(key) == HomeState::store;
}

std::vector<sim::Key> Cckvs::cached_keys() const {
  return hot_set_ == nullptr ? preloaded_ : hot_set_->keys();
}

// A session that puts at one node and gets at another misses its own put, or reads a new value and then an old one.
void Cckvs::do_describe_clients(const models::ClientBehaviour& clients) {
  const bool sc = options_.rules.consistency == Consistency::sc;
  if (!sc || options_.unsafe_sessions || clients.routing == models::ClientRouting::pinned) return;
  throw sim::OptionError("/workload/clients", "clients that go from node to node",
                         "\"pinned\": SC holds only for sessions that keep to a node (or unsafe_sessions)");
}

sim::Task<models::Answer> Cckvs::serve(CacheThread& thread, StoreRequest request, sim::OperationId operation) {
  if (hot_set_ != nullptr) hot_set_->look_at(request.key, thread);
  if (uses_cache(thread.node(), request.key)) {
    const std::optional<models::Answer> answer = co_await caches_[thread.node()]->serve(thread, request, operation);
    if (answer) co_return *answer;
  }
  const bool asks_agent = hot_set_ != nullptr && home(request.key).node == thread.node();
  sim::Task<models::Answer> by_home =
      asks_agent ? hot_set_->agent(thread.node()).serve(thread, request) : thread.serve_from_store(request, operation);
  const models::Answer answer = co_await std::move(by_home);
  co_return answer;
}

bool Cckvs::uses_cache(NodeId node, sim::Key key) const {
  return hot_set_ == nullptr ? caches_[node]->has(key) : hot_set_->agent(node).uses_copy(key);
}

// The copy of its home stands for the home, whose store has what the key had before it was cached (§4: write-back).
void Cckvs::show_state(sim::StateVisitor& visitor) const {
  Cluster::show_state(visitor);
  const std::vector<sim::Key> keys = cached_keys();
  std::vector<bool> written(keys.size());
  for (const auto& cache : caches_) {
    for_each_copy(cache->cache(), keys, [&](std::size_t i, const Entry& entry) {
      if (entry.value != sim::kNeverWritten) written[i] = true;
    });
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (written[i] && !is_stored(keys[i])) show_written(keys[i], visitor);  // else on its way
  }
}

// Keys that stay lie as they were preloaded: in a cache of millions a look-up for each costs more than the run.
template <class Visit>
void Cckvs::for_each_copy(const Cache& cache, std::span<const sim::Key> keys, Visit&& visit) const {
  if (hot_set_ == nullptr) {
    const std::span<const Entry> copies = cache.entries();
    for (std::size_t i = 0; i < keys.size(); ++i) visit(i, copies[i]);
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (const Entry* copy = cache.find(keys[i])) visit(i, *copy);
  }
}

void Cckvs::show_written(sim::Key key, sim::StateVisitor& visitor) const {
  const auto at = static_cast<NodeId>(home(key).node);
  if (node_is_lost(at)) return visitor.lost(key);
  for (NodeId node = 0; node < caches_.size(); ++node) {
    const Entry* copy = caches_[node]->cache().find(key);
    if (copy == nullptr) continue;
    const Entry& entry = *copy;
    if (node == at) {
      visitor.home(key, entry.value);
    } else if (entry.header.state == CacheState::valid && !node_is_lost(node)) {
      visitor.copy(key, sim::Holder::node(node), entry.value, sim::CopyState::clean);
    }
  }
}

void Cckvs::node_crashed(NodeId node) {
  Cluster::node_crashed(node);
  caches_[node]->crash();
  if (hot_set_ != nullptr) hot_set_->crash(node);
}

bool Cckvs::quiescent() const {
  return Cluster::quiescent() && (hot_set_ == nullptr || hot_set_->quiescent()) &&
         shared().rack.accounting().expected_in_flight() == 0 &&
         std::all_of(caches_.begin(), caches_.end(), [](const auto& cache) {
           const auto& links = cache->all_links();
           return cache->waiting() == 0 && cache->unreadable() == 0 &&
                  std::all_of(links.begin(), links.end(), [](const auto& of_thread) {
                    return !of_thread->has_waiting() && !of_thread->has_unposted() && !of_thread->has_unknown();
                  });
         });
}

void Cckvs::add_waits(std::vector<sim::Wait>& waits) const {
  Cluster::add_waits(waits);
  for (const auto& cache : caches_) cache->add_waits(waits);
  if (hot_set_ != nullptr) hot_set_->add_waits(waits);
}

std::vector<models::Leak> Cckvs::leaks() const {
  std::vector<models::Leak> leaks = Cluster::leaks();
  std::vector<NodeId> alive;
  const std::vector<sim::Key> keys = cached_keys();
  for (NodeId node = 0; node < caches_.size(); ++node) {
    if (node_is_lost(node)) continue;
    alive.push_back(node);
    caches_[node]->add_waiting(leaks);
    const Cache& cache = caches_[node]->cache();
    const auto is_valid = [](const Entry& entry) { return entry.header.state == CacheState::valid; };
    if (!cache.at_rest() || !std::all_of(cache.entries().begin(), cache.entries().end(), is_valid)) {
      for_each_copy(cache, keys, [&](std::size_t i, const Entry& entry) {
        if (is_valid(entry) && cache.work(keys[i]) == nullptr) return;
        leaks.push_back({"wrong-metadata",
                         fmt::format("node{}: key {} of version {}.{} is not Valid, or a put of it is under way", node,
                                     sim::printed_key(keys[i]), entry.header.version, entry.header.writer),
                         {keys[i], {}}});
      });
    }
    for (const auto& links : caches_[node]->all_links()) links->add_leaks(leaks);
  }
  if (hot_set_ != nullptr) hot_set_->add_leaks(alive, leaks);
  return leaks;
}

void Cckvs::record_final_state() {
  Cluster::record_final_state();
  const std::vector<sim::Key> keys = cached_keys();
  for (NodeId node = 0; node < caches_.size(); ++node) {
    std::uint64_t digest = 0;
    for_each_copy(caches_[node]->cache(), keys, [&](std::size_t, const Entry& entry) {
      digest = digest * 0x100000001b3 + (entry.value ^ std::uint64_t{entry.header.version} << 32);
    });
    shared().rack.event_log().record(sim::Observed::final_state, caches_source_, calendar().now(),
                                     sim::OperationId{node}, digest, 0);
  }
}

}  // namespace racksim::cckvs
