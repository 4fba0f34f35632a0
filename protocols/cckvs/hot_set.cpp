// Assembly and inspection. See hot_set.hpp.
#include "protocols/cckvs/hot_set.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/oracles/oracle.hpp"

namespace racksim::cckvs {

HotSet::HotSet(Shared& shared, const CacheOptions& cache, const HotSetOptions& options, std::uint64_t capacity,
               const std::vector<Node>& nodes)
    : options_(options),
      counters_{shared.rack.metrics()},
      channels_(shared, cache.retransmit_after, cache.message_work) {
  std::vector<ControlHandler*> handlers;
  for (NodeId node = 0; node < nodes.size(); ++node) {
    agents_.push_back(
        std::make_unique<HandOverAgent>(shared, cache, node,
                                        HandOverAgent::Parts{nodes[node].shard, nodes[node].cache, channels_, counters_,
                                                             static_cast<NodeId>(options.coordinator), capacity}));
    handlers.push_back(agents_.back().get());
    shared.home_requests.push_back(agents_.back().get());
  }
  shared.stamps_answers = cache.rules.consistency == Consistency::sc;
  channels_.connect(std::move(handlers));
  coordinator_ = std::make_unique<Coordinator>(shared.rack, options, capacity,
                                               agent(static_cast<NodeId>(options.coordinator)), counters_);
}

void HotSet::begin_with(std::span<const sim::Key> keys) {
  for (const auto& agent : agents_) {
    for (const sim::Key key : keys) agent->begin_cached(key);
  }
  coordinator_->begin_with(keys);
}

void HotSet::look_at(sim::Key key, CacheThread& thread) {
  if (thread.node() == options_.coordinator) thread.core().charge(coordinator_->look_at(key));
}

bool HotSet::quiescent() const {
  return channels_.idle() && coordinator_->idle() &&
         std::all_of(agents_.begin(), agents_.end(), [](const auto& agent) { return agent->quiescent(); });
}

std::vector<sim::Key> HotSet::keys() const {
  std::vector<sim::Key> keys;
  for (const auto& agent : agents_) agent->hand_over().add_keys(keys);
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// All caches hold the same keys (§4) when no change is under way.
void HotSet::add_leaks(const std::vector<NodeId>& nodes, std::vector<models::Leak>& leaks) const {
  for (const NodeId node : nodes) agents_[node]->add_leaks(leaks);
  if (!quiescent()) return;
  for (const sim::Key key : keys()) {
    std::string with, without;
    for (const NodeId node : nodes) {
      std::string& where = agents_[node]->uses_copy(key) ? with : without;
      where += fmt::format("{}node{}", where.empty() ? "" : ", ", node);
    }
    if (with.empty() || without.empty()) continue;
    leaks.push_back({"leaked-entry",
                     fmt::format("key {} is in the caches of {} and not of {}", sim::printed_key(key), with, without),
                     {key, {}}});
  }
}

void HotSet::crash(NodeId node) {
  agents_[node]->crash();
  channels_.crash(node);
}

}  // namespace racksim::cckvs
