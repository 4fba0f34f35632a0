// The exploration's steps, and what they do. See explored_caches.hpp.
#include "protocols/cckvs/explored/explored_caches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "protocols/cckvs/explored/explored_node.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::cckvs {

using Pending = ExploredState::Session::Pending;
using Stage = ExploredState::Session::Stage;

ExploredCaches::ExploredCaches(const ExploreOptions& options, NodeId home)
    : options_(options),
      scope_{options.judges_linearizations(), options.hands_over()},
      home_(home),
      session_nodes_(options.session_nodes()) {
  const auto nodes = static_cast<std::uint32_t>(options_.nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    nodes_.push_back(std::make_unique<Node>(*this, node, nodes, options_.cache_rules(), options_.coverage));
  }
}

ExploredCaches::~ExploredCaches() = default;

std::string ExploredCaches::initial() {
  ExploredState state;
  state.copies.resize(options_.nodes);
  state.sessions.resize(session_nodes_.size());
  for (NodeId node = 0; options_.cached_at_first && node < options_.nodes; ++node) {
    ExploredState::Copy& copy = state.copies[node];
    copy.entry.emplace();
    if (!scope_.hand_overs) continue;
    HandOver& hand_over = nodes_[node]->hand_over;
    hand_over.begin_cached(kKey, home_);
    copy.hand_over = hand_over.state_of(kKey);
  }
  return state.encoded(scope_);
}

// Which steps there are.

std::vector<ExploredCaches::Step> ExploredCaches::steps_of(const ExploredState& state) const {
  std::vector<Step> steps;
  add_operations(state, steps);
  add_messages(state, steps);
  if (scope_.hand_overs) add_hand_over(state, steps);
  if (options_.is_lin() && options_.rules.retransmit) add_timeouts(state, steps);
  return steps;
}

void ExploredCaches::add_operations(const ExploredState& state, std::vector<Step>& steps) const {
  if (!options_.clients) {
    for (std::uint8_t node = 0; node < state.copies.size(); ++node) {
      const Header& header = state.copies[node].entry->header;
      if (header.state == CacheState::valid && header.version < options_.last_version()) {
        steps.push_back({Step::Action::put, node});
      }
    }
    return;
  }
  const bool may_put = state.puts < options_.puts && (options_.wrap || state.puts < options_.last_version());
  for (std::size_t session = 0; session < state.sessions.size(); ++session) {
    const Session& one = state.sessions[session];
    if (one.pending != Pending::none || one.begun == options_.operations) continue;
    const auto begin = [&](NodeId node) {
      steps.push_back({Step::Action::get, static_cast<std::uint8_t>(node), session});
      if (may_put) steps.push_back({Step::Action::put, static_cast<std::uint8_t>(node), session});
    };
    if (!options_.sessions_roam) {
      begin(session_nodes_[session]);
      continue;
    }
    for (NodeId node = 0; node < options_.nodes; ++node) begin(node);
  }
}

void ExploredCaches::add_messages(const ExploredState& state, std::vector<Step>& steps) const {
  const bool ordered = options_.network == ExploreOptions::Network::fifo;
  for (std::size_t i = 0; i < state.flights.size(); ++i) {
    const Flight& flight = state.flights[i];
    const bool again = i > 0 && (ordered ? flight.is_on_way_of(state.flights[i - 1]) : flight == state.flights[i - 1]);
    if (again) continue;
    steps.push_back({Step::Action::deliver, flight.to, i});
    if (state.losses < options_.losses) steps.push_back({Step::Action::lose, 0, i});
    if (state.duplicates < options_.duplicates) steps.push_back({Step::Action::duplicate, 0, i});
  }
}

void ExploredCaches::add_hand_over(const ExploredState& state, std::vector<Step>& steps) const {
  for (std::size_t session = 0; session < state.sessions.size(); ++session) {
    const Session& one = state.sessions[session];
    if (one.pending == Pending::none) continue;
    if (one.stage == Stage::request)
      steps.push_back({Step::Action::request, static_cast<std::uint8_t>(home_), session});
    if (one.stage == Stage::answer) steps.push_back({Step::Action::answer, one.node, session});
  }
  for (std::size_t i = 0; i < state.controls.size(); ++i) {
    if (i > 0 && state.controls[i].is_on_way_of(state.controls[i - 1])) continue;
    steps.push_back({Step::Action::control, state.controls[i].to, i});
  }
  const HomeState at_home = state.copies[home_].hand_over.home;
  if (state.changes < options_.changes && (at_home == HomeState::store || at_home == HomeState::cached)) {
    steps.push_back({Step::Action::change, static_cast<std::uint8_t>(home_)});
  }
}

void ExploredCaches::add_timeouts(const ExploredState& state, std::vector<Step>& steps) const {
  if (!is_still(state) && state.timeouts == options_.timeouts) return;
  for (std::uint8_t node = 0; node < state.copies.size(); ++node) {
    const auto& entry = state.copies[node].entry;
    if (entry && entry->header.state != CacheState::valid) steps.push_back({Step::Action::timeout, node});
  }
}

// What they do.

void ExploredCaches::take_step(const Step& step) {
  wrong_.clear();
  const auto flight = [&] { return now_.flights.begin() + static_cast<std::ptrdiff_t>(step.index); };
  switch (step.action) {
    case Step::Action::get:
    case Step::Action::put:
      return options_.clients ? begin(step) : begin_without_clients(step.node);
    case Step::Action::request: {
      Session& session = now_.sessions[step.index];
      session.stage = Stage::home;
      const Stalled operation = operation_of(step.index, session);
      return run(step.node, [&](Node& node) { node.hand_over.request(kKey, operation); });
    }
    case Step::Action::answer:
      return deliver_answer(step);
    case Step::Action::deliver:
      return deliver(step);
    case Step::Action::lose:
      ++now_.losses;
      now_.flights.erase(flight());
      return;
    case Step::Action::duplicate: {
      ++now_.duplicates;
      const Flight copy = *flight();
      now_.flights.insert(flight(), copy);
      return;
    }
    case Step::Action::control:
      return deliver_control(step);
    case Step::Action::timeout:
      if (!is_still(now_)) ++now_.timeouts;
      return run(step.node, [](Node& node) { node.cache.time_out(kKey); });
    case Step::Action::change:
      ++now_.changes;
      return run(step.node, [](Node& node) {
        const bool install = node.hand_over.home_state(kKey) == HomeState::store;
        node.hand_over.receive(0, install ? HandOverMessage::order_install : HandOverMessage::order_evict, kKey);
      });
  }
}

Stalled ExploredCaches::operation_of(std::size_t session, const Session& of) {
  const bool is_put = of.pending == Pending::put;
  return {sim::OperationId(session + 1), is_put, is_put ? sim::Value(of.value) : sim::Value{}};
}

void ExploredCaches::begin(const Step& step) {
  Session& session = now_.sessions[step.index];
  const bool is_put = step.action == Step::Action::put;
  ++session.begun;
  session.pending = is_put ? Pending::put : Pending::get;
  session.stage = Stage::cache;
  session.node = step.node;
  session.value = is_put ? ++now_.puts : std::uint8_t{0};
  if (options_.is_lin()) {
    if (is_put) {
      now_.linearizations.begin_write(step.index, session.value);
    } else {
      now_.linearizations.begin_read(step.index);
    }
  }
  const bool at_home = scope_.hand_overs && step.node == home_;
  if (scope_.hand_overs && !at_home && !now_.copies[step.node].hand_over.uses_copy()) {
    session.stage = Stage::request;
    return;
  }
  const Stalled operation = operation_of(step.index, session);
  run(step.node, [&](Node& node) {
    if (at_home) return node.hand_over.request(kKey, operation);
    node.cache.run(kKey, operation);
  });
}

// The put's value is what tells it from all others: its timestamp, as a number.
void ExploredCaches::begin_without_clients(NodeId node) {
  const std::uint64_t version = now_.copies[node].entry->header.version + 1;
  const sim::Value value(1 + version * options_.nodes + node);
  run(node, [&](Node& at) { at.cache.put(kKey, sim::OperationId(node + 1u), value); });
}

void ExploredCaches::deliver(const Step& step) {
  const Flight flight = now_.flights[step.index];
  now_.flights.erase(now_.flights.begin() + static_cast<std::ptrdiff_t>(step.index));
  run(step.node, [&](Node& node) { node.cache.receive(flight.from, flight.message(kKey)); });
}

void ExploredCaches::deliver_control(const Step& step) {
  const Control control = now_.controls[step.index];
  now_.controls.erase(now_.controls.begin() + static_cast<std::ptrdiff_t>(step.index));
  run(step.node, [&](Node& node) { node.hand_over.receive(control.from, control.message, kKey, control.copy); });
}

void ExploredCaches::deliver_answer(const Step& step) {
  const Stored answer = now_.sessions[step.index].answer;
  run(step.node, [&](Node& node) { node.hand_over.receive_answer(home_, kKey, answer); });
  ended(step.index, static_cast<std::uint8_t>(answer.value));
}

// The node's objects are made to be in the state, and the state is what they are in afterwards.
template <class Event>
void ExploredCaches::run(NodeId number, const Event& event) {
  Node& node = *nodes_[number];
  ExploredState::Copy& copy = now_.copies[number];
  const bool is_home = number == home_;
  node.cache.restore(kKey, copy.entry.value_or(Entry{}), copy.work);
  if (!copy.entry) node.cache.remove(kKey);
  if (scope_.hand_overs) node.hand_over.restore(kKey, copy.hand_over, is_home ? now_.change : HandOverChange{});
  const sim::InvariantChecks checked(true);
  try {
    event(node);
    if (scope_.hand_overs) node.hand_over.settle(kKey);
  } catch (const std::logic_error& broken) {  // an undefined transition, or an invariant
    wrong_ = broken.what();
    return;
  }
  const Entry* entry = node.cache.find(kKey);
  const Work* work = node.cache.work(kKey);
  copy.entry = entry == nullptr ? std::nullopt : std::optional(*entry);
  copy.work = work == nullptr ? Work{} : *work;
  if (!scope_.hand_overs) return;
  copy.hand_over = node.hand_over.state_of(kKey);
  const HandOverChange* change = node.hand_over.change(kKey);
  if (is_home) now_.change = change == nullptr ? HandOverChange{} : *change;
}

// What the nodes tell.

void ExploredCaches::send(const Flight& flight) {
  auto& flights = now_.flights;
  if (options_.network == ExploreOptions::Network::unordered) {
    flights.insert(std::lower_bound(flights.begin(), flights.end(), flight), flight);
    return;
  }
  const auto by_channel = [](const Flight& a, const Flight& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  flights.insert(std::upper_bound(flights.begin(), flights.end(), flight, by_channel), flight);
}

void ExploredCaches::send(const Control& control) {
  const auto by_channel = [](const Control& a, const Control& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  };
  auto& controls = now_.controls;
  controls.insert(std::upper_bound(controls.begin(), controls.end(), control, by_channel), control);
}

void ExploredCaches::committed(NodeId node, Timestamp timestamp) {
  const TimestampOrder& order = nodes_[node]->cache.order();
  if (options_.is_lin() || order.after(timestamp, now_.committed)) now_.committed = timestamp;
  if (!options_.is_lin() || !options_.invariants) return;
  for (NodeId other = 0; other < now_.copies.size(); ++other) {
    if (other == node || !is_readable(now_, other)) continue;
    wrong_ = fmt::format("two writers or readers: node {} commits {} while the copy of node {} is Valid", node,
                         in_words(timestamp), other);
  }
}

void ExploredCaches::answered(NodeId node, std::size_t session, const Stored& result) {
  if (!options_.clients) return;
  Session& one = now_.sessions[session];
  if (node == one.node) return ended(session, static_cast<std::uint8_t>(result.value));
  one.stage = Stage::answer;
  one.answer = {options_.is_lin() ? Timestamp{} : result.timestamp,
                result.value};  // Lin looks at no answer's timestamp
  if (one.pending == Pending::put && options_.is_lin()) one.answer.value = sim::Value{};
}

void ExploredCaches::ended(std::size_t session, std::uint8_t value) {
  Session& one = now_.sessions[session];
  const bool is_put = one.pending == Pending::put;
  const std::uint8_t result = is_put ? one.value : value;
  one.pending = Pending::none;
  const auto text = [&] {
    return is_put ? fmt::format("put {} of session {} returns", result, session)
                  : fmt::format("the get of session {} returns {}", session, result);
  };
  if (telling_) told_.push_back(text());
  if (!options_.is_lin()) return note_result(session, static_cast<std::uint8_t>(is_put ? result | kPutResult : result));
  const bool explained =
      is_put ? now_.linearizations.end_write(session) : now_.linearizations.end_read(session, result);
  if (!explained) wrong_ = "not linearizable: " + text();
}

}  // namespace racksim::cckvs
