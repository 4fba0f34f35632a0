// The hand-over of a key between "at its home only" and "cached everywhere", at one node.
//
// The paper has one sentence for it (ccKVS §4: on eviction the home checks whether its copy was modified), and done
// literally that loses acknowledged puts and serves stale values. Here the home runs a change in steps, one at a time
// for a key, and the others follow (hand_over_step.hpp), so that requests go on:
//
//   Store -> Installing -> Cached:  all get a copy, and use it when all have one;
//   Cached -> Sealing -> Store:     nobody uses its copy any more, all end their puts and tell what they have; the
//                                   greatest is written back, and the copies go.
//
// Control messages travel in order between home and node, and none is lost. Versions go on rising: the store keeps the
// timestamp, so that old messages of a key do no harm to its next life in the caches. Nothing here knows a network.
#pragma once

#include <optional>
#include <vector>

#include "protocols/cckvs/keys/hand_over_step.hpp"

namespace racksim::cckvs {

class HandOver {
 public:
  /// Of node `self` among `nodes`. Cache and outbox must outlive it.
  HandOver(NodeId self, std::uint32_t nodes, const Rules& rules, Cache& cache, HandOverOutbox& outbox,
           sim::CoverageProbe coverage = {});

  /// The key is cached from the beginning, and installed in the cache here.
  void begin_cached(sim::Key key, NodeId home);

  /// The coordinator's order, only to install a key that is in the store or to evict one that is cached; what another
  /// node tells the key's home; or what the home tells this node.
  void receive(NodeId from, HandOverMessage message, sim::Key key, const std::optional<Stored>& copy = {});

  // At the home.
  HomeState home_state(sim::Key key) const { return state_of(key).home; }
  /// A get or put by whichever node's session that has reached this node, the key's home. It is answered through this
  /// outbox, or the cache's.
  void request(sim::Key key, const Stalled& operation);

  // At the others.
  /// The home's answer to a request of this node, under SC: a copy that is older takes it, or a session would read new
  /// at the home and then old here.
  void receive_answer(NodeId home, sim::Key key, const Stored& stored);

  /// Whether the sessions of this node use its copy of the key: else their requests go to the home.
  bool uses_copy(sim::Key key) const { return state_of(key).uses_copy(); }
  /// To be called after each event of the cache about this key: puts may be over that a seal waits for.
  void settle(sim::Key key);

  const HandOverChange* change(sim::Key key) const { return keys_.changes.find(key); }
  HandOverState state_of(sim::Key key) const { return keys_.state_of(key); }
  /// Adds the keys that are not just in their homes' stores, in no order that means anything.
  void add_keys(std::vector<sim::Key>& keys) const {
    keys_.states.for_each([&](std::uint64_t key, const HandOverState&) { keys.push_back(sim::Key(key)); });
  }
  /// Puts what is known of a key into the place of what is here.
  void restore(sim::Key key, const HandOverState& state, const HandOverChange& change);

 private:
  void run(HandOverStep step, HomeEvent event);
  void run(HandOverStep step, MemberEvent event);
  void set_state(sim::Key key, const HandOverState& state);
  /// Requests that were held are served if the key's state lets them.
  void release(sim::Key key);

  HandOverKeys keys_;
  sim::CoverageProbe coverage_;
};

}  // namespace racksim::cckvs
