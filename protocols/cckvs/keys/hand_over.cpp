// Events of hand-overs, each through its table. See hand_over.hpp.
#include "protocols/cckvs/keys/hand_over.hpp"

#include <utility>

namespace racksim::cckvs {

HandOver::HandOver(NodeId self, std::uint32_t nodes, const Rules& rules, Cache& cache, HandOverOutbox& outbox,
                   sim::CoverageProbe coverage)
    : keys_{.self = self, .nodes = nodes, .rules = rules, .cache = cache, .outbox = outbox}, coverage_(coverage) {}

void HandOver::set_state(sim::Key key, const HandOverState& state) {
  if (state.home == HomeState::store && state.member == MemberState::absent) {
    keys_.states.erase(key);
  } else {
    keys_.states[key] = state;
  }
}

void HandOver::begin_cached(sim::Key key, NodeId home) {
  const bool is_home = home == keys_.self;
  set_state(key, {is_home ? HomeState::cached : HomeState::store, is_home ? MemberState::absent : MemberState::active,
                  static_cast<std::uint8_t>(home)});
}

void HandOver::run(HandOverStep step, HomeEvent event) {
  HandOverState state = state_of(step.key);
  const HomeState before = state.home;
  state.home_node = static_cast<std::uint8_t>(keys_.self);
  home_table().on(state.home, event, step, coverage_);
  if (state.home == before) return;
  set_state(step.key, state);
  release(step.key);
  settle(step.key);  // a home that seals may have nothing to wait for itself
}
void HandOver::run(HandOverStep step, MemberEvent event) {
  HandOverState state = state_of(step.key);
  state.home_node = static_cast<std::uint8_t>(step.from);
  member_table().on(state.member, event, step, coverage_);
  set_state(step.key, state);
}

void HandOver::receive(NodeId from, HandOverMessage message, sim::Key key, const std::optional<Stored>& copy) {
  const HandOverStep step{.at = keys_, .key = key, .from = from, .copy = copy};
  switch (message) {
    case HandOverMessage::order_install:
      return run(step, HomeEvent::install);
    case HandOverMessage::order_evict:
      return run(step, HomeEvent::evict);
    case HandOverMessage::installed:
      return run(step, HomeEvent::installed);
    case HandOverMessage::sealed:
      return run(step, HomeEvent::sealed);
    case HandOverMessage::install:
      return run(step, MemberEvent::install);
    case HandOverMessage::activate:
      return run(step, MemberEvent::activate);
    case HandOverMessage::seal:
      return run(step, MemberEvent::seal);
    case HandOverMessage::done:
      return run(step, MemberEvent::done);
    case HandOverMessage::changed:  // the coordinator's
      return;
  }
}
void HandOver::request(sim::Key key, const Stalled& operation) {
  run({.at = keys_, .key = key, .request = &operation}, operation.is_put ? HomeEvent::put : HomeEvent::get);
}

// Those that have to wait again are held again, in their order.
void HandOver::release(sim::Key key) {
  const HomeState state = home_state(key);
  HandOverChange* change = keys_.changes.find(key);
  if (change == nullptr || (state != HomeState::store && state != HomeState::cached)) return;
  const std::vector<Stalled> held = std::exchange(change->held, {});
  keys_.changes.erase(key);
  for (const Stalled& operation : held) request(key, operation);
}

void HandOver::receive_answer(NodeId home, sim::Key key, const Stored& stored) {
  const Rules& rules = keys_.rules;
  if (rules.consistency != Consistency::sc || rules.hand_over == Rules::HandOver::answers_ignored) return;
  keys_.cache.receive(home, {.key = key, .value = stored.value, .timestamp = stored.timestamp});
}

void HandOver::settle(sim::Key key) {
  const HandOverState state = state_of(key);
  if (keys_.has_own_puts(key)) return;
  if (state.home == HomeState::sealing && !keys_.changes[key].answered.test(keys_.self)) {
    receive(keys_.self, HandOverMessage::sealed, key, keys_.valid_copy(key));
  }
  if (state.member == MemberState::sealing || state.member == MemberState::leaving) {
    run({.at = keys_, .key = key, .from = state.home_node}, MemberEvent::puts_over);
  }
}

void HandOver::restore(sim::Key key, const HandOverState& state, const HandOverChange& change) {
  set_state(key, state);
  if (state.home == HomeState::installing || state.home == HomeState::sealing) {
    keys_.changes[key] = change;
  } else {
    keys_.changes.erase(key);
  }
}

}  // namespace racksim::cckvs
