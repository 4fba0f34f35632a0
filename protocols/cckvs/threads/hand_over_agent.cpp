// Requests at homes, and hand-overs on a rack. See hand_over_agent.hpp.
#include "protocols/cckvs/threads/hand_over_agent.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/host/core_wait.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::cckvs {

HandOverAgent::HandOverAgent(Shared& shared, const CacheOptions& options, NodeId node, const Parts& parts)
    : shared_(shared),
      options_(options),
      node_(node),
      parts_(parts),
      hand_over_(node, shared.nodes(), options.rules, parts.cache.keys(), *this, shared.coverage),
      core_(&shared.rack.server(node).core(0)),
      tasks_(shared.rack.calendar()) {
  parts_.cache.keep_by(*this);
}

void HandOverAgent::begin_cached(sim::Key key) {
  hand_over_.begin_cached(key, static_cast<NodeId>(shared_.home(key).node));
}

template <class Event>
void HandOverAgent::run(models::Core& core, unsigned thread, sim::Key key, sim::OperationId cause, Event&& event) {
  core_ = &core;
  SymmetricCache::Writing writing(parts_.cache, thread, key, cause);
  event();
  see_to(key);
  core.charge(writing.hold_lock_if_changed(shared_.options.store_work, core));
}
template <class Event>
void HandOverAgent::run_for_control(sim::Key key, Event&& event) {
  models::Core& core = shared_.rack.server(node_).core(0);
  run(core, 0, key, 0, event);
}

// Requests.

struct HandOverAgent::OwnRequest final : RequestOwner {
  explicit OwnRequest(sim::Calendar& calendar) : answered(calendar) {}
  void request_served(std::uint64_t, const StoreRequest& with) override {
    answer = with;
    is_over = true;
    answered.notify_all();
  }
  StoreRequest answer;
  bool is_over = false;
  sim::Signal answered;
};

sim::Task<models::Answer> HandOverAgent::serve(CacheThread& thread, StoreRequest asked) {
  co_await models::occupy(thread.core(), shared_.options.store_work);
  OwnRequest own(shared_.rack.calendar());
  request(asked, own, 0, thread.core(), thread.thread());
  if (!own.is_over) co_await own.answered.wait();
  co_return thread.answer_of(own.answer, AnsweredBy::local_store);
}

void HandOverAgent::request(const StoreRequest& request, RequestOwner& owner, std::uint64_t token, models::Core& core,
                            unsigned thread) {
  RACKSIM_INVARIANT(!is_under_way(request.operation), "an operation asks its key's home once at a time");
  const Asked asked{request, &owner, token, &core};
  asked_[request.operation] = asked;
  // As a session's put waits for credits (SymmetricCache::serve).
  if (request.put != 0 && options_.rules.consistency == Consistency::sc && parts_.cache.links(thread).has_waiting()) {
    tasks_.spawn(ask_when_sent(request.operation, thread));
  } else {
    ask_now(asked, thread);
  }
  if (is_under_way(request.operation)) ++parts_.counters.held.value;
}

sim::Task<void> HandOverAgent::ask_when_sent(sim::OperationId operation, unsigned thread) {
  CacheLinks& links = parts_.cache.links(thread);
  while (links.has_waiting()) co_await links.sent().wait();
  const Asked asked = *asked_.find(operation);
  ask_now(asked, thread);
}

void HandOverAgent::ask_now(const Asked& asked, unsigned thread) {
  const StoreRequest& request = asked.request;
  run(*asked.core, thread, request.key, request.operation, [&] {
    hand_over_.request(request.key, {request.operation, request.put != 0, request.value});
  });
}

void HandOverAgent::answer(sim::OperationId operation, const StoreRequest& answer) {
  const Asked asked = *asked_.find(operation);
  asked_.erase(operation);
  asked.owner->request_served(asked.token, answer);
}

// From the store. Operations of sessions here that waited for the copy, when it was sealed, are the cache's.
void HandOverAgent::served(const Stalled& request, sim::Key key, const Stored& stored) {
  const Asked* asked = asked_.find(request.operation);
  if (asked == nullptr) {
    parts_.cache.end(request.operation, stored.value);
    return;
  }
  StoreRequest answered = asked->request;
  answered.timestamp = stored.timestamp;
  if (!request.is_put) {
    const sim::Time now = shared_.rack.calendar().now();
    const sim::Duration cost = shared_.options.store_work;
    if (parts_.shard.read(answered, now - cost, *asked->core, shared_.options.seqlocks)) {
      ++shared_.counters.read_retries.value;
      shared_.coverage.race(races.read_of_store_meets_write);
      asked->core->charge(parts_.shard.find(key)->lock.free_in(now) + cost);
    }
  }
  answer(request.operation, answered);
}

// From the cached object.
void HandOverAgent::ended(sim::OperationId operation, sim::Key, const Stored& result) {
  const Asked* asked = asked_.find(operation);
  if (asked == nullptr) return;  // its session has died
  StoreRequest answered = asked->request;
  answered.timestamp = result.timestamp;
  answered.value = answered.other = result.value;
  answer(operation, answered);
}

StoreRequest HandOverAgent::answer_again(const StoreRequest& put) const {
  StoreRequest answer = put;
  const Entry* entry = parts_.cache.cache().find(put.key);
  if (entry != nullptr) {
    answer.timestamp = entry->header.timestamp();
    answer.value = entry->value;
  } else if (const Shard::Object* object = parts_.shard.find(put.key)) {
    answer.timestamp = object->timestamp;
    answer.value = object->value;
  }
  return answer;
}

void HandOverAgent::answer_came(NodeId home, const StoreRequest& answer, models::Core& core, unsigned thread) {
  run(core, thread, answer.key, answer.operation, [&] {
    hand_over_.receive_answer(home, answer.key, {answer.timestamp, answer.value});
  });
}

// The cache's operations and events.

void HandOverAgent::ask(sim::Key key, const Stalled& operation) {
  if (is_home(key)) return hand_over_.request(key, operation);
  parts_.cache.keys().run(key, operation);
}

void HandOverAgent::event_ended(sim::Key key, unsigned thread) {
  core_ = &shared_.rack.server(node_).core(thread);
  see_to(key);
}

void HandOverAgent::see_to(sim::Key key) {
  hand_over_.settle(key);
  if (!parts_.cache.has(key)) parts_.cache.forget(key);
  look_for_end(key);
}

// The store.

Stored HandOverAgent::load(sim::Key key) {
  const Shard::Object* object = parts_.shard.find(key);
  return object == nullptr ? Stored{{}, sim::kNeverWritten} : Stored{object->timestamp, object->value};
}

// What comes back as it went into the caches has not been modified, and is not written (§4).
void HandOverAgent::store(sim::Key key, const Stored& stored) {
  const bool comes_back = hand_over_.home_state(key) == HomeState::sealing;
  if (comes_back && load(key) == stored) return;
  if (comes_back) ++parts_.counters.write_backs.value;
  core_->charge(
      parts_.shard.write(key, stored.value, shared_.rack.calendar().now(), shared_.options.store_work, *core_));
  parts_.shard.stamp(key, stored.timestamp);
}

// Messages.

void HandOverAgent::tell_all(HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) {
  if (message == HandOverMessage::done) orders_[key].undelivered = shared_.nodes() - 1;
  for (NodeId to = 0; to < shared_.nodes(); ++to) {
    if (to != node_) tell_home(to, message, key, copy);
  }
}
void HandOverAgent::tell_home(NodeId home, HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) {
  ++parts_.counters.messages.value;
  parts_.channels.send(node_, home,
                       {.key = key, .copy = copy.value_or(Stored{}), .message = message, .has_copy = copy.has_value()});
}
void HandOverAgent::send_home(NodeId, sim::Key, const Stalled& operation) {
  ++parts_.counters.moved.value;
  parts_.cache.move_away(operation.operation);
}

void HandOverAgent::control_came(NodeId from, const ControlMessage& message) {
  switch (message.message) {
    case HandOverMessage::changed:
      return observer_->changed(message.key);
    case HandOverMessage::order_install:
    case HandOverMessage::order_evict:
      return carry_out(message.key, message.message);
    default:
      run_for_control(message.key, [&] {
        hand_over_.receive(from, message.message, message.key,
                           message.has_copy ? std::optional(message.copy) : std::nullopt);
      });
      if (message.message == HandOverMessage::install) check_room();
  }
}

// Orders. An eviction is over when all have dropped the key: the next one to be installed finds room everywhere.

void HandOverAgent::order(sim::Key key, bool install) {
  const HandOverMessage order = install ? HandOverMessage::order_install : HandOverMessage::order_evict;
  const auto home = static_cast<NodeId>(shared_.home(key).node);
  home == node_ ? carry_out(key, order) : tell_home(home, order, key, {});
}

void HandOverAgent::carry_out(sim::Key key, HandOverMessage order) {
  const bool install = order == HandOverMessage::order_install;
  orders_[key] = {.install = install};
  run_for_control(key, [&] { hand_over_.receive(parts_.coordinator, order, key); });
  if (install) check_room();
}

void HandOverAgent::control_delivered(NodeId, const ControlMessage& message) {
  if (message.message != HandOverMessage::done) return;
  --orders_.find(message.key)->undelivered;
  look_for_end(message.key);
}

void HandOverAgent::look_for_end(sim::Key key) {
  const Order* order = orders_.find(key);
  if (order == nullptr || order->undelivered > 0) return;
  const bool install = order->install;
  if (hand_over_.home_state(key) != (install ? HomeState::cached : HomeState::store)) return;
  orders_.erase(key);
  ++(install ? parts_.counters.installs : parts_.counters.evictions).value;
  if (parts_.coordinator == node_) return observer_->changed(key);
  tell_home(parts_.coordinator, HandOverMessage::changed, key, {});
}

void HandOverAgent::check_room() const {
  RACKSIM_INVARIANT(parts_.cache.cache().size() <= parts_.capacity || options_.rules.hand_over != Rules::HandOver::safe,
                    "a key is installed when all caches have room for it");
}

void HandOverAgent::add_leaks(std::vector<models::Leak>& leaks) const {
  std::vector<std::uint64_t> waiting, changing;
  asked_.for_each([&](std::uint64_t operation, const Asked&) { waiting.push_back(operation); });
  orders_.for_each([&](std::uint64_t key, const Order&) { changing.push_back(key); });
  std::sort(waiting.begin(), waiting.end());
  std::sort(changing.begin(), changing.end());
  for (const std::uint64_t operation : waiting) {
    const StoreRequest& request = asked_.find(operation)->request;
    leaks.push_back({"stuck-request",
                     fmt::format("node{}: the {} of key {} waits at its home", node_, request.put != 0 ? "put" : "get",
                                 sim::printed_key(request.key)),
                     {request.key, {sim::OperationId(operation)}}});
  }
  for (const std::uint64_t key : changing) {
    leaks.push_back({"stuck-request",
                     fmt::format("node{}: key {} is on its way {} the caches", node_, sim::printed_key(sim::Key(key)),
                                 orders_.find(key)->install ? "into" : "out of"),
                     {sim::Key(key), {}}});
  }
}

void HandOverAgent::crash() {
  tasks_.cancel_all();
  asked_ = {};
}

}  // namespace racksim::cckvs
