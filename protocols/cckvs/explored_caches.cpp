// The exploration's steps. See explored_caches.hpp.
#include "protocols/cckvs/explored_caches.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/service/table_description.hpp"
#include "sim/checkers/sequential_search.hpp"

namespace racksim::cckvs {

/// A node's cache, and what it tells.
class ExploredCaches::Node final : public Outbox {
 public:
  Node(ExploredCaches& all, NodeId self, std::uint32_t nodes, const Rules& rules)
      : cache(self, nodes, rules, *this), all_(all), self_(self), nodes_(nodes) {}

  void invalidate_all(sim::Key, Timestamp timestamp, sim::OperationId) override {
    broadcast(Flight::Kind::invalidation, timestamp, sim::Value{});
  }
  void update_all(sim::Key, Timestamp timestamp, sim::Value value, sim::OperationId) override {
    broadcast(Flight::Kind::update, timestamp, value);
  }
  void invalidate_one(NodeId to, sim::Key, Timestamp timestamp, sim::OperationId) override {
    send(to, Flight::Kind::invalidation, timestamp, sim::Value{});
  }
  void update_one(NodeId to, sim::Key, Timestamp timestamp, sim::Value value) override {
    send(to, Flight::Kind::update, timestamp, value);
  }
  void acknowledge(NodeId to, sim::Key, Timestamp timestamp) override {
    send(to, Flight::Kind::acknowledgement, timestamp, sim::Value{});
  }
  void answered(sim::OperationId get, sim::Key, sim::Value value) override {
    all_.ended_get(get - 1, static_cast<std::uint8_t>(value));
  }
  void committed(sim::OperationId, sim::Key, Timestamp timestamp, sim::Value) override {
    all_.committed(self_, timestamp);
  }
  void returned(sim::OperationId put, sim::Key, bool superseded) override { all_.ended_put(put - 1, superseded); }
  void stalled(sim::OperationId, sim::Key) override {}
  void readable(sim::Key, bool) override {}

  Cache cache;

 private:
  void broadcast(Flight::Kind kind, Timestamp timestamp, sim::Value value) {
    for (NodeId to = 0; to < nodes_; ++to) {
      if (to != self_) send(to, kind, timestamp, value);
    }
  }
  void send(NodeId to, Flight::Kind kind, Timestamp timestamp, sim::Value value) {
    all_.send({static_cast<std::uint8_t>(self_), static_cast<std::uint8_t>(to), kind,
               static_cast<std::uint8_t>(timestamp.version), timestamp.node, static_cast<std::uint8_t>(value)});
  }

  ExploredCaches& all_;
  NodeId self_;
  std::uint32_t nodes_;
};

ExploredCaches::ExploredCaches(const ExploreOptions& options) : options_(options), places_(options.places()) {
  const auto nodes = static_cast<std::uint32_t>(options_.nodes);
  for (NodeId node = 0; node < nodes; ++node) {
    nodes_.push_back(std::make_unique<Node>(*this, node, nodes, options_.cache_rules()));
  }
}

ExploredCaches::~ExploredCaches() = default;

std::string ExploredCaches::initial() {
  ExploredState state;
  state.copies.resize(options_.nodes);
  state.sessions.resize(places_.size());
  return state.encoded(options_.judges_linearizations());
}

// Which steps there are.

std::vector<ExploredCaches::Step> ExploredCaches::steps_of(const ExploredState& state) const {
  std::vector<Step> steps;
  add_operations(state, steps);
  add_messages(state, steps);
  if (options_.is_lin() && options_.rules.retransmit && (state.flights.empty() || state.timeouts < options_.timeouts)) {
    for (std::uint8_t node = 0; node < state.copies.size(); ++node) {
      if (state.copies[node].entry.header.state != CacheState::valid) steps.push_back({Step::Kind::timeout, node});
    }
  }
  return steps;
}

void ExploredCaches::add_operations(const ExploredState& state, std::vector<Step>& steps) const {
  if (!options_.clients) {
    for (std::uint8_t node = 0; node < state.copies.size(); ++node) {
      const Header& header = state.copies[node].entry.header;
      if (header.state == CacheState::valid && header.version < options_.last_version()) {
        steps.push_back({Step::Kind::put, node});
      }
    }
    return;
  }
  const bool may_put = state.puts < options_.puts && (options_.wrap || state.puts < options_.last_version());
  for (std::size_t session = 0; session < state.sessions.size(); ++session) {
    const Session& one = state.sessions[session];
    if (one.pending != Session::Pending::none || one.begun == options_.operations) continue;
    const auto begin = [&](NodeId node) {
      steps.push_back({Step::Kind::get, static_cast<std::uint8_t>(node), session});
      if (may_put) steps.push_back({Step::Kind::put, static_cast<std::uint8_t>(node), session});
    };
    if (!options_.sessions_roam) {
      begin(places_[session]);
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
    steps.push_back({Step::Kind::deliver, flight.to, i});
    if (state.losses < options_.losses) steps.push_back({Step::Kind::lose, 0, i});
    if (state.duplicates < options_.duplicates) steps.push_back({Step::Kind::duplicate, 0, i});
  }
}

// What they do.

void ExploredCaches::take(const Step& step) {
  wrong_.clear();
  switch (step.kind) {
    case Step::Kind::get:
    case Step::Kind::put:
      return begin(step);
    case Step::Kind::deliver: {
      const Flight flight = now_.flights[step.index];
      now_.flights.erase(now_.flights.begin() + static_cast<std::ptrdiff_t>(step.index));
      return run(step.node, [&](Cache& cache) {
        if (flight.kind == Flight::Kind::invalidation)
          cache.receive_invalidation(flight.from, kKey, flight.timestamp());
        if (flight.kind == Flight::Kind::update) {
          cache.receive_update(flight.from, kKey, flight.timestamp(), sim::Value(flight.value));
        }
        if (flight.kind == Flight::Kind::acknowledgement) {
          cache.receive_acknowledgement(flight.from, kKey, flight.timestamp());
        }
      });
    }
    case Step::Kind::lose:
      ++now_.losses;
      now_.flights.erase(now_.flights.begin() + static_cast<std::ptrdiff_t>(step.index));
      return;
    case Step::Kind::duplicate: {
      ++now_.duplicates;
      const Flight flight = now_.flights[step.index];
      now_.flights.insert(now_.flights.begin() + static_cast<std::ptrdiff_t>(step.index), flight);
      return;
    }
    case Step::Kind::timeout:
      if (!now_.flights.empty()) ++now_.timeouts;
      return run(step.node, [](Cache& cache) { cache.time_out(kKey); });
  }
}

void ExploredCaches::begin(const Step& step) {
  const Timestamp before = now_.copies[step.node].entry.header.timestamp();
  std::uint64_t value = 0;
  sim::OperationId operation(step.node + 1u);  // without clients
  if (!options_.clients) {
    value = 1 + (before.version + 1) * options_.nodes + step.node;
  } else {
    Session& session = now_.sessions[step.index];
    ++session.begun;
    operation = sim::OperationId(step.index + 1);
    if (step.kind == Step::Kind::put) {
      value = session.value = ++now_.puts;
      session.pending = Session::Pending::put;
      if (options_.is_lin()) now_.linearizations.begin_write(step.index, session.value);
    } else {
      session.pending = Session::Pending::get;
      if (options_.is_lin()) now_.linearizations.begin_read(step.index);
    }
  }
  run(step.node, [&](Cache& cache) {
    if (step.kind == Step::Kind::put) {
      cache.put(kKey, operation, sim::Value(value));
    } else {
      cache.get(kKey, operation);
    }
  });
}

template <class Event>
void ExploredCaches::run(NodeId node, const Event& event) {
  Cache& cache = nodes_[node]->cache;
  ExploredState::Copy& copy = now_.copies[node];
  cache.restore(kKey, copy.entry, copy.work);
  try {
    event(cache);
  } catch (const models::UndefinedTransition& undefined) {
    wrong_ = undefined.what();
  }
  copy.entry = *cache.find(kKey);
  const Work* work = cache.work(kKey);
  copy.work = work == nullptr ? Work{} : *work;
}

// What the caches tell.

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

void ExploredCaches::ended_get(std::size_t session, std::uint8_t value) {
  Session& one = now_.sessions[session];
  one.pending = Session::Pending::none;
  if (telling_) told_.push_back(fmt::format("the get of session {} returns {}", session, value));
  if (!options_.is_lin()) return ended(session, value);
  if (!now_.linearizations.end_read(session, value)) {
    wrong_ = fmt::format("not linearizable: the get of session {} returns {}", session, value);
  }
}

void ExploredCaches::ended_put(std::size_t session, bool superseded) {
  if (!options_.clients) return;
  Session& one = now_.sessions[session];
  one.pending = Session::Pending::none;
  if (telling_) {
    told_.push_back(fmt::format("put {} of session {} returns{}", one.value, session, superseded ? ", it lost" : ""));
  }
  if (!options_.is_lin()) return ended(session, static_cast<std::uint8_t>(kPutResult | one.value));
  if (!now_.linearizations.end_write(session)) {
    wrong_ = fmt::format("not linearizable: put {} of session {} returns", one.value, session);
  }
}

void ExploredCaches::ended(std::size_t session, std::uint8_t result) {
  now_.sessions[session].results.push_back(result);
  if (!all_done(now_)) return;
  std::string history;
  for (const Session& one : now_.sessions) {
    history += static_cast<char>(one.results.size());
    history.append(one.results.begin(), one.results.end());
  }
  auto [verdict, is_new] = verdicts_.try_emplace(std::move(history));
  if (is_new) verdict->second = judged(now_.sessions);
  if (!verdict->second.empty()) wrong_ = verdict->second;
}

// Real time does not count: the sessions' operations are put one session after the other.
std::string ExploredCaches::judged(const std::vector<Session>& sessions) {
  namespace checkers = sim::checkers;
  std::vector<checkers::Operation> operations;
  for (std::size_t session = 0; session < sessions.size(); ++session) {
    for (const std::uint8_t result : sessions[session].results) {
      checkers::Operation operation;
      operation.id = operations.size() + 1;
      operation.session = static_cast<std::uint32_t>(session);
      const bool is_put = (result & kPutResult) != 0;
      operation.action = is_put ? checkers::Action::write : checkers::Action::read;
      (is_put ? operation.argument : operation.result) = static_cast<std::uint8_t>(result & ~kPutResult);
      operation.invoked = operations.size() * 2 + 1;
      operation.responded = operations.size() * 2 + 2;
      operations.push_back(operation);
    }
  }
  const auto outcome = checkers::search_sequential(operations, checkers::RegisterSpecification());
  if (outcome.verdict == checkers::Verdict::pass) return "";
  std::string text = "not sequentially consistent:";
  for (std::size_t session = 0; session < sessions.size(); ++session) {
    text += fmt::format("{} session {}:", session == 0 ? "" : ";", session);
    for (const std::uint8_t result : sessions[session].results) {
      const bool is_put = (result & kPutResult) != 0;
      text += fmt::format(" {} {}", is_put ? "put" : "get", result & ~kPutResult & 0xff);
    }
  }
  return text;
}

void ExploredCaches::committed(NodeId node, Timestamp timestamp) {
  now_.committed = timestamp;
  if (!options_.is_lin() || !options_.invariants) return;
  for (NodeId other = 0; other < now_.copies.size(); ++other) {
    if (other == node || now_.copies[other].entry.header.state != CacheState::valid) continue;
    wrong_ = fmt::format("two writers or readers: node {} commits {} while the copy of node {} is Valid", node,
                         in_words(timestamp), other);
  }
}

// What is judged of a state.

void ExploredCaches::expand(std::string_view bytes, sim::Steps& steps) {
  const bool judges = options_.judges_linearizations();
  const ExploredState state = ExploredState::decoded(bytes, judges);
  const std::string wrong = wrong_with(state);
  if (!wrong.empty()) return steps.set_wrong(wrong);
  const bool at_end = all_done(state) && is_quiet(state);
  if (at_end) steps.set_end();
  for (const Step& step : steps_of(state)) {
    now_ = state;
    take(step);
    if (wrong_.empty()) {
      steps.add(now_.encoded(judges));
    } else {
      steps.add_wrong(wrong_);
    }
  }
  if (steps.size() == 0 && !at_end) {
    steps.set_wrong(all_done(state) ? "all has come to rest, and copies differ or are not Valid"
                                    : "all has come to rest, and an operation waits");
  }
}

std::string ExploredCaches::wrong_with(const ExploredState& state) const {
  if (!options_.is_lin() || !options_.invariants) return "";
  for (std::size_t node = 0; node < state.copies.size(); ++node) {
    const Entry& copy = state.copies[node].entry;
    if (copy.header.state != CacheState::valid) continue;
    for (std::size_t other = 0; other < node; ++other) {
      const Entry& its = state.copies[other].entry;
      if (its.header.state != CacheState::valid) continue;
      if (its.header.timestamp() == copy.header.timestamp() && its.value == copy.value) continue;
      return fmt::format("Valid copies differ: those of nodes {} and {}", other, node);
    }
    if (copy.header.timestamp() != state.committed) {
      return fmt::format("the Valid copy of node {} is not of the last committed put, {}", node,
                         in_words(state.committed));
    }
  }
  return "";
}

bool ExploredCaches::all_done(const ExploredState& state) const {
  return std::all_of(state.sessions.begin(), state.sessions.end(), [this](const Session& session) {
    return session.pending == Session::Pending::none && session.begun == options_.operations;
  });
}

bool ExploredCaches::is_quiet(const ExploredState& state) {
  if (!state.flights.empty()) return false;
  const Entry& first = state.copies.front().entry;
  return std::all_of(state.copies.begin(), state.copies.end(), [&](const ExploredState::Copy& copy) {
    const Header& header = copy.entry.header;
    return copy.work.empty() && header.state == CacheState::valid && header.timestamp() == first.header.timestamp() &&
           copy.entry.value == first.value;
  });
}

}  // namespace racksim::cckvs
