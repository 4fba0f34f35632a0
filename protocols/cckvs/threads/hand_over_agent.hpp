// What a node of a rack does about keys that come into the caches and go (hand_over.hpp): it carries the hand-over's
// messages, gives it the home's store, and keeps the requests that reach the home until they are answered.
//
// Control messages are handled by the node's first cache thread. A request is run by the thread that it reaches, on the
// store or on the cached object, both of which all threads of a node share (CRCW, §6.2).
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/cckvs/keys/hand_over.hpp"
#include "protocols/cckvs/threads/cache_thread.hpp"
#include "protocols/cckvs/threads/control_channels.hpp"
#include "protocols/cckvs/threads/home_requests.hpp"
#include "protocols/cckvs/threads/hot_set_counters.hpp"
#include "protocols/cckvs/threads/symmetric_cache.hpp"

namespace racksim::cckvs {

/// Is told of the changes that it has ordered.
class ChangeObserver {
 public:
  virtual void changed(sim::Key key) = 0;

 protected:
  ~ChangeObserver() = default;
};

class HandOverAgent final : public HandOverOutbox, public HomeRequests, public ControlHandler, CopyKeeper {
 public:
  struct Parts {
    Shard& shard;
    SymmetricCache& cache;
    ControlChannels& channels;
    HotSetCounters& counters;
    NodeId coordinator;
    std::uint64_t capacity;  ///< keys that a cache has room for
  };
  HandOverAgent(Shared& shared, const CacheOptions& options, NodeId node, const Parts& parts);

  /// The key is in all caches from the beginning.
  void begin_cached(sim::Key key);
  /// Whoever is told at the coordinator's node.
  void report_to(ChangeObserver& observer) { observer_ = &observer; }

  /// The coordinator's order to the key's home: to be given at the coordinator's node.
  void order(sim::Key key, bool install);

  const HandOver& hand_over() const { return hand_over_; }
  /// Whether sessions of this node use its copy of the key.
  bool uses_copy(sim::Key key) const override { return hand_over_.uses_copy(key); }
  /// Serves a request of a session here for a key whose home is this node, on a thread of it.
  sim::Task<models::Answer> serve(CacheThread& thread, StoreRequest request);

  bool is_under_way(sim::OperationId operation) const override { return asked_.find(operation) != nullptr; }
  void request(const StoreRequest& request, RequestOwner& owner, std::uint64_t token, models::Core& core,
               unsigned thread) override;
  StoreRequest answer_again(const StoreRequest& put) const override;
  void answer_came(NodeId home, const StoreRequest& answer, models::Core& core, unsigned thread) override;

  /// Whether no request waits and no change is under way here.
  bool quiescent() const { return asked_.size() == 0 && orders_.size() == 0; }
  void add_leaks(std::vector<models::Leak>& leaks) const;
  void crash();

 private:
  /// The request of a session here, in the coroutine that waits for its answer.
  struct OwnRequest;
  /// A request that has reached this node and has not been answered.
  struct Asked {
    StoreRequest request;
    RequestOwner* owner = nullptr;
    std::uint64_t token = 0;
    models::Core* core = nullptr;
  };
  /// A change that was ordered and is not over.
  struct Order {
    bool install = false;
    std::uint32_t undelivered = 0;  // of the messages that end an eviction
  };

  // HandOverOutbox.
  void tell_all(HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) override;
  void tell_home(NodeId home, HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) override;
  Stored load(sim::Key key) override;
  void store(sim::Key key, const Stored& stored) override;
  void served(const Stalled& request, sim::Key key, const Stored& stored) override;
  void send_home(NodeId home, sim::Key key, const Stalled& operation) override;

  // CopyKeeper.
  void ask(sim::Key key, const Stalled& operation) override;
  void event_ended(sim::Key key, unsigned thread) override;
  void ended(sim::OperationId operation, sim::Key key, const Stored& result) override;

  void control_came(NodeId from, const ControlMessage& message) override;
  void control_delivered(NodeId to, const ControlMessage& message) override;

  bool is_home(sim::Key key) const { return shared_.home(key).node == node_; }
  /// Has a thread do something about a key that may change the copy, and sees to what follows.
  template <class Event>
  void run(models::Core& core, unsigned thread, sim::Key key, sim::OperationId cause, Event&& event);
  template <class Event>
  void run_for_control(sim::Key key, Event&& event);
  /// What follows from anything that has happened to a key: puts that a seal waits for may be over, a change too.
  void see_to(sim::Key key);
  sim::Task<void> ask_when_sent(sim::OperationId operation, unsigned thread);
  void ask_now(const Asked& asked, unsigned thread);
  void answer(sim::OperationId operation, const StoreRequest& answer);
  void carry_out(sim::Key key, HandOverMessage order);
  void look_for_end(sim::Key key);
  void check_room() const;

  Shared& shared_;
  const CacheOptions& options_;
  NodeId node_;
  Parts parts_;
  HandOver hand_over_;
  ChangeObserver* observer_ = nullptr;
  models::Core* core_;         // of the thread that does something at this instant
  sim::FlatMap<Asked> asked_;  // by operation
  sim::FlatMap<Order> orders_;
  sim::Scope tasks_;
};

}  // namespace racksim::cckvs
