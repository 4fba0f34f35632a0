// The hand-over of a key between "at its home only" and "cached everywhere", at one node.
//
// The paper has one sentence for it (ccKVS §4: on eviction the home checks whether its copy was modified), and done
// literally that loses acknowledged puts and serves stale values. Here the home runs a change in steps, one at a time
// for a key (home_step.hpp), and the others follow (member_step.hpp), so that requests go on:
//
//   Store -> Installing -> Cached:  all get a copy, and use it when all have one;
//   Cached -> Sealing -> Store:     nobody uses its copy any more, all end their puts and tell what they have; the
//                                   greatest is written back, and the copies go.
//
// Control messages travel in order between home and node, and none is lost. Versions go on rising: the store keeps the
// timestamp, so that old messages of a key do no harm to its next life in the caches. Nothing here knows a network.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocols/cckvs/keys/cache.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::cckvs {

enum class HomeEvent : std::uint8_t;
enum class MemberEvent : std::uint8_t;
struct HomeStep;
struct MemberStep;

/// Of a key, at its home.
enum class HomeState : std::uint8_t { store, installing, cached, sealing, count };
/// Of a key, at another node.
enum class MemberState : std::uint8_t {
  absent,
  installed,  ///< there is a copy, which its sessions do not use yet
  active,
  sealing,  ///< its sessions do not use the copy any more, and puts of its own are under way
  sealed,   ///< and none is
  leaving,  ///< the copy is not needed any more, but puts of its own are under way: with a faulty rule alone
  count
};

/// What a hand-over has to tell, and the home's store. Nobody may call the hand-over from in here.
class HandOverOutbox {
 public:
  virtual ~HandOverOutbox() = default;

  // Control messages: from the home to all others, and back.
  virtual void install_all(sim::Key key, const Stored& copy) = 0;
  virtual void activate_all(sim::Key key) = 0;
  virtual void seal_all(sim::Key key) = 0;
  virtual void done_all(sim::Key key) = 0;
  virtual void tell_installed(NodeId home, sim::Key key) = 0;
  /// With what the copy holds, if it is Valid.
  virtual void tell_sealed(NodeId home, sim::Key key, const std::optional<Stored>& copy) = 0;

  virtual Stored load(sim::Key key) = 0;
  virtual void store(sim::Key key, const Stored& stored) = 0;
  /// The store has served a request, and holds this.
  virtual void served(const Stalled& request, sim::Key key, const Stored& stored) = 0;
  /// An operation of this node's session that waited for the copy goes to the home.
  virtual void send_home(NodeId home, sim::Key key, const Stalled& operation) = 0;
};

class HandOver {
 public:
  /// What a node knows of a key that is not just in its home's store.
  struct Part {
    HomeState home = HomeState::store;
    MemberState member = MemberState::absent;
    std::uint8_t home_node = 0;  ///< of a member

    bool operator==(const Part&) const = default;
  };
  /// A change under way, at the home.
  struct Change {
    NodeSet answered;
    std::optional<Stored> greatest;  ///< of the Valid copies that SEALED told of
    std::vector<Stalled> held;       ///< requests that wait for its end
  };

  /// Of node `self` among `nodes`. Cache and outbox must outlive it.
  HandOver(NodeId self, std::uint32_t nodes, const Rules& rules, Cache& cache, HandOverOutbox& outbox,
           sim::CoverageProbe coverage = {});

  /// The key is cached from the beginning, and installed in the cache here.
  void begin_cached(sim::Key key, NodeId home);

  // At the home.
  /// The coordinator's orders: only for a key that is in the store, or cached.
  void order_install(sim::Key key);
  void order_evict(sim::Key key);
  HomeState home_state(sim::Key key) const { return part_of(key).home; }
  /// A get or put by whichever node's session that has reached this node, the key's home. It is answered through this
  /// outbox, or the cache's.
  void request(sim::Key key, const Stalled& operation);
  void receive_installed(NodeId from, sim::Key key);
  void receive_sealed(NodeId from, sim::Key key, const std::optional<Stored>& copy);

  // At the others.
  void receive_install(NodeId home, sim::Key key, const Stored& copy);
  void receive_activate(sim::Key key);
  void receive_seal(sim::Key key);
  void receive_done(sim::Key key);
  /// The home's answer to a request of this node, under SC: a copy that is older takes it, or a session would read new
  /// at the home and then old here.
  void receive_answer(NodeId home, sim::Key key, const Stored& stored);
  MemberState member_state(sim::Key key) const { return part_of(key).member; }

  /// Whether the sessions of this node, which is not the key's home, use its own copy: else their requests go to the
  /// home.
  bool is_active(sim::Key key) const { return part_of(key).member == MemberState::active; }
  /// To be called after each event of the cache about this key: puts may be over that a seal waits for.
  void settle(sim::Key key);

  const Change* change(sim::Key key) const { return changes_.find(key); }
  Part part_of(sim::Key key) const;
  /// Adds the keys that are not just in their homes' stores, in no order that means anything.
  void add_keys(std::vector<sim::Key>& keys) const {
    parts_.for_each([&](std::uint64_t key, const Part&) { keys.push_back(sim::Key(key)); });
  }
  /// Puts what is known of a key into the place of what is here.
  void restore(sim::Key key, const Part& part, const Change& change);

 private:
  friend struct HomeStep;
  friend struct MemberStep;

  void run_home(HomeStep& step, HomeEvent event);
  void run_member(MemberStep& step, MemberEvent event);
  void set_part(sim::Key key, const Part& part);
  bool has_own_puts(sim::Key key) const;
  /// What the copy here holds; nothing unless it is Valid.
  std::optional<Stored> valid_copy(sim::Key key) const;
  /// Requests that were held are served if the key's state lets them.
  void release(sim::Key key);

  NodeId self_;
  std::uint32_t nodes_;
  Rules rules_;
  Cache& cache_;
  HandOverOutbox& outbox_;
  sim::CoverageProbe coverage_;
  sim::FlatMap<Part> parts_;
  sim::FlatMap<Change> changes_;
};

}  // namespace racksim::cckvs
