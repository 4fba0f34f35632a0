// A key between "at its home only" and "cached everywhere", as two tables (hand_over.hpp): the home's and that of every
// other node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/service/transition_table.hpp"
#include "protocols/cckvs/keys/cache.hpp"
#include "sim/record/flat_map.hpp"

namespace racksim::cckvs {

/// Of a key, at its home.
enum class HomeState : std::uint8_t { store, installing, cached, sealing, count };
enum class HomeEvent : std::uint8_t { get, put, install, evict, installed, sealed, count };

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
enum class MemberEvent : std::uint8_t {
  install,
  activate,
  seal,
  puts_over,  ///< the last put of this node is
  done,
  count
};

/// What nodes tell each other about a key.
enum class HandOverMessage : std::uint8_t {
  order_install,  ///< the coordinator to the key's home
  order_evict,
  changed,  ///< and back: the change is over, and has reached all
  install,  ///< the home to the others, with what it has
  activate,
  seal,
  done,
  installed,  ///< and back
  sealed      ///< with what the copy holds, if it is Valid
};

/// As charts have it.
constexpr const char* name_of(HandOverMessage message) {
  switch (message) {
    case HandOverMessage::order_install:
      return "order INSTALL";
    case HandOverMessage::order_evict:
      return "order EVICT";
    case HandOverMessage::changed:
      return "CHANGED";
    case HandOverMessage::install:
      return "INSTALL";
    case HandOverMessage::activate:
      return "ACTIVATE";
    case HandOverMessage::seal:
      return "SEAL";
    case HandOverMessage::done:
      return "DONE";
    case HandOverMessage::installed:
      return "INSTALLED";
    case HandOverMessage::sealed:
      return "SEALED";
  }
  return "";
}

/// What a hand-over has to tell, and the home's store. Nobody may call the hand-over from in here.
class HandOverOutbox {
 public:
  virtual ~HandOverOutbox() = default;

  /// From the home to all others, and back.
  virtual void tell_all(HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) = 0;
  virtual void tell_home(NodeId home, HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) = 0;

  virtual Stored load(sim::Key key) = 0;
  virtual void store(sim::Key key, const Stored& stored) = 0;
  /// The store has served a request, and holds this.
  virtual void served(const Stalled& request, sim::Key key, const Stored& stored) = 0;
  /// An operation of this node's session that waited for the copy goes to the home.
  virtual void send_home(NodeId home, sim::Key key, const Stalled& operation) = 0;
};

/// What a node knows of a key that is not just in its home's store.
struct HandOverState {
  HomeState home = HomeState::store;
  MemberState member = MemberState::absent;
  std::uint8_t home_node = 0;  ///< of a member

  bool operator==(const HandOverState&) const = default;
  /// Whether the node's sessions use its copy.
  bool uses_copy() const { return home == HomeState::cached || member == MemberState::active; }
};

/// A change under way, at the home.
struct HandOverChange {
  NodeSet answered;
  std::optional<Stored> greatest;  ///< of the Valid copies that SEALED told of
  std::vector<Stalled> held;       ///< requests that wait for its end
};

/// What a node knows of its keys, and whom it tells.
struct HandOverKeys {
  NodeId self;
  std::uint32_t nodes;
  Rules rules;
  Cache& cache;
  HandOverOutbox& outbox;
  sim::FlatMap<HandOverState> states{};
  sim::FlatMap<HandOverChange> changes{};

  HandOverState state_of(sim::Key key) const {
    const HandOverState* state = states.find(key);
    return state == nullptr ? HandOverState{} : *state;
  }
  bool has_own_puts(sim::Key key) const {
    const Work* work = cache.work(key);
    return work != nullptr && !work->puts.empty();
  }
  /// What the copy here holds; nothing unless it is Valid.
  std::optional<Stored> valid_copy(sim::Key key) const {
    const Entry& entry = *cache.find(key);
    if (entry.header.state != CacheState::valid) return std::nullopt;
    return Stored{entry.header.timestamp(), entry.value};
  }
};

/// One event of one key at one node.
struct HandOverStep {
  HandOverKeys& at;
  sim::Key key;
  const Stalled* request = nullptr;  ///< of get and put
  NodeId from = 0;                   ///< of messages; at a member, the home
  std::optional<Stored> copy = {};   ///< of install and sealed

  sim::KeyAndOperations key_and_operations() const {
    sim::KeyAndOperations about{key, {}};
    if (request != nullptr) about.operations.push_back(request->operation);
    return about;
  }
  bool follows(Rules::HandOver rule) const { return at.rules.hand_over == rule; }
};

using HomeTable = models::TransitionTable<HomeState, HomeEvent, HandOverStep>;
const HomeTable& home_table();
using MemberTable = models::TransitionTable<MemberState, MemberEvent, HandOverStep>;
const MemberTable& member_table();

}  // namespace racksim::cckvs
