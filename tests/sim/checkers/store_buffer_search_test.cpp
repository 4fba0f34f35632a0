// The store-order models: the classical litmus tests with the verdicts of the literature, and agreement with the
// axioms on random programs.
#include "sim/checkers/store_buffer_search.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/checkers/histories.hpp"
#include "tests/sim/checkers/litmus.hpp"

namespace store_buffer_search_test {

using namespace racksim::sim;
using namespace racksim::sim::checkers;

namespace {

/// Sequential consistency is what a machine with a fence after each operation has.
std::vector<Program> fenced(const std::vector<Program>& programs) {
  std::vector<Program> result;
  for (const auto& program : programs) {
    result.emplace_back();
    for (const auto& instruction : program) {
      result.back().push_back(instruction);
      result.back().push_back(kFence);
    }
  }
  return result;
}

bool allowed(const std::vector<Program>& programs, StoreOrder order, const InitialValues& final_values) {
  const auto verdict = search_store_buffers(history_of(programs), order, {}, final_values).verdict;
  REQUIRE(verdict != Verdict::undecided);
  return verdict == Verdict::pass;
}

using Sequence = std::vector<Operation>;

bool is_locks(const Operation& operation) {
  return operation.action == Action::lock || operation.action == Action::lock_shared ||
         operation.action == Action::unlock;
}
bool stores(const Operation& operation) {
  return operation.action != Action::read && operation.action != Action::fence && !is_locks(operation);
}
bool loads(const Operation& operation) {
  return operation.action != Action::write && operation.action != Action::fence && !is_locks(operation);
}

/// The axioms of The SPARC Architecture Manual (version 8, appendix K): some total order of all loads and stores, an
/// atomic operation being both in one, meets them. Requests for the one lock and unlocks have places in the order too,
/// all of their session's operations before them and behind them, and exclude each other there. Tried order by order.
/// No operation may be pending.
bool meets_axioms(const std::vector<Sequence>& sessions, StoreOrder order) {
  struct Event {
    Operation operation;
    std::size_t session, index;
  };
  std::vector<Event> events;
  for (std::size_t s = 0; s < sessions.size(); ++s) {
    for (std::size_t i = 0; i < sessions[s].size(); ++i) {
      if (sessions[s][i].action != Action::fence) events.push_back({sessions[s][i], s, i});
    }
  }
  std::vector<std::size_t> places(events.size());  // of each event in the memory order
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto fence_between = [&](const Event& a, const Event& b) {
    const auto& session = sessions[a.session];
    return std::any_of(session.begin() + static_cast<std::ptrdiff_t>(a.index),
                       session.begin() + static_cast<std::ptrdiff_t>(b.index),
                       [](const Operation& operation) { return operation.action == Action::fence; });
  };
  const auto is_possible = [&] {
    for (std::size_t a = 0; a < events.size(); ++a) {
      for (std::size_t b = 0; b < events.size(); ++b) {
        if (events[a].session != events[b].session || events[a].index >= events[b].index) continue;
        const auto& first = events[a].operation;
        const auto& second = events[b].operation;
        const bool ordered = is_locks(first) || is_locks(second) || loads(first) ||
                             fence_between(events[a], events[b]) ||
                             (stores(second) && (order == StoreOrder::total || first.key == second.key));
        if (ordered && places[a] > places[b]) return false;
      }
    }
    // Words in memory order; atomic operations change what they find.
    std::vector<std::uint64_t> written(events.size(), 0);
    std::vector<std::size_t> by_place(events.size());
    for (std::size_t e = 0; e < events.size(); ++e) by_place[places[e]] = e;
    std::multiset<std::size_t> readers;  // sessions that hold the lock
    constexpr auto kNobody = ~std::size_t{0};
    std::size_t writer = kNobody;
    for (const auto e : by_place) {
      const auto& operation = events[e].operation;
      if (is_locks(operation)) {
        const bool locks = operation.action != Action::unlock;
        if (locks && (writer != kNobody || (operation.action == Action::lock && !readers.empty()))) return false;
        if (operation.action == Action::lock) writer = events[e].session;
        if (operation.action == Action::lock_shared) readers.insert(events[e].session);
        if (!locks && writer == events[e].session) writer = kNobody;
        if (!locks) readers.erase(events[e].session);
        continue;
      }
      // The latest store in memory order among those before it there or in its own program.
      std::optional<std::size_t> source;
      for (std::size_t w = 0; w < events.size(); ++w) {
        const bool mine = events[w].session == events[e].session && events[w].index < events[e].index;
        const auto& store = events[w].operation;
        if (w == e || !stores(store) || store.key != operation.key || (places[w] > places[e] && !mine)) continue;
        if (!source || places[w] > places[*source]) source = w;
      }
      // A store of its own that is later in memory order is a plain write: an atomic one would be ordered.
      const auto seen = source ? (events[*source].operation.action == Action::write ? events[*source].operation.argument
                                                                                    : written[*source])
                               : 0;
      ObjectState word{seen};
      if (loads(operation) && !RegisterSpecification().apply(word, operation)) return false;
      written[e] = operation.action == Action::write ? operation.argument : word[0];
    }
    return true;
  };
  do {
    if (is_possible()) return true;
  } while (std::next_permutation(places.begin(), places.end()));
  return false;
}

/// The same with pending operations: each is left out, or put anywhere after those invoked before it that returned.
bool explainable(std::vector<Sequence> sessions, std::vector<Operation> pending, StoreOrder order) {
  if (pending.empty()) return meets_axioms(sessions, order);
  auto operation = pending.back();
  pending.pop_back();
  if (explainable(sessions, pending, order)) return true;
  operation.responded = operation.invoked + 1;  // that it returned; results of writes do not matter
  const auto& session = sessions[operation.session];
  for (std::size_t at = 0; at <= session.size(); ++at) {
    const bool early = std::any_of(session.begin() + static_cast<std::ptrdiff_t>(at), session.end(),
                                   [&](const Operation& o) { return o.id != 0 && o.invoked < operation.invoked; });
    if (early) continue;
    auto with = sessions;
    auto inserted = operation;
    inserted.id = 0;
    with[operation.session].insert(with[operation.session].begin() + static_cast<std::ptrdiff_t>(at), inserted);
    if (explainable(with, pending, order)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("the classical litmus tests are allowed and forbidden as the literature says") {
  for (const auto& test : litmus_tests()) {
    INFO(test.name);
    CHECK(allowed(fenced(test.programs), StoreOrder::total, test.final_values) == test.sc);
    CHECK(allowed(fenced(test.programs), StoreOrder::partial, test.final_values) == test.sc);
    CHECK(allowed(test.programs, StoreOrder::total, test.final_values) == test.tso);
    CHECK(allowed(test.programs, StoreOrder::partial, test.final_values) == test.pso);
    if (!test.final_values.empty()) continue;
    CHECK((search_sequential(history_of(test.programs), RegisterSpecification()).verdict == Verdict::pass ||
           history_of(test.programs).operations().front().action == Action::fence) == test.sc);
  }
}

TEST_CASE("an atomic operation orders what comes before and after it under total store order") {
  const Instruction swap_x{Action::fetch_and_add, kX, 1}, swap_y{Action::fetch_and_add, kY, 1};
  // SB with atomic operations in place of the writes.
  CHECK_FALSE(allowed({{swap_x, read(kY, 0)}, {swap_y, read(kX, 0)}}, StoreOrder::total, {}));
  // SB with an atomic operation on a third key between write and read.
  const Instruction swap_other{Action::fetch_and_add, 2, 0};
  CHECK_FALSE(allowed({{write(kX, 1), swap_other, read(kY, 0)}, {write(kY, 1), swap_other, read(kX, 0)}},
                      StoreOrder::total, {}));
  CHECK(allowed({{write(kX, 1), swap_other, read(kY, 0)}, {write(kY, 1), swap_other, read(kX, 0)}}, StoreOrder::partial,
                {}));
}

TEST_CASE("a pending write may be in the buffer or nowhere") {
  History history;
  history.write(0, kX, 1, 1, 2).write(0, kY, 1, 3, kOpen);
  const auto judged = [](const History& h, StoreOrder order) { return search_store_buffers(h, order).verdict; };
  CHECK(judged(History(history).read(1, kY, 0, 4, 5), StoreOrder::total) == Verdict::pass);
  CHECK(judged(History(history).read(1, kY, 1, 4, 5), StoreOrder::total) == Verdict::pass);
  CHECK(judged(History(history).read(1, kY, 1, 4, 5).read(1, kX, 0, 6, 7), StoreOrder::total) == Verdict::fail);
  CHECK(judged(History(history).read(1, kY, 1, 4, 5).read(1, kX, 0, 6, 7), StoreOrder::partial) == Verdict::pass);
}

TEST_CASE("an impossible final memory and impossible reads are told apart") {
  const auto reads = search_store_buffers(history_of({{read(kX, 7)}}), StoreOrder::total);
  REQUIRE(reads.verdict == Verdict::fail);
  REQUIRE(reads.operations.size() == 1);
  CHECK(reads.operations[0].result == 7);
  const auto memory = search_store_buffers(history_of({{write(kX, 1)}}), StoreOrder::total, {}, {{kX, 2}});
  REQUIRE(memory.verdict == Verdict::fail);
  CHECK_THAT(memory.why, Catch::Contains("final memory"));
}

TEST_CASE("locks are fences, and exclude each other") {
  const Instruction lock{Action::lock}, shared{Action::lock_shared}, unlock{Action::unlock};
  for (const StoreOrder order : {StoreOrder::total, StoreOrder::partial}) {
    // SB and MP, each access under the lock; and each pair of accesses.
    const auto alone = [&](const Instruction& access) { return Program{lock, access, unlock}; };
    const auto both = [](Program a, const Program& b) {
      a.insert(a.end(), b.begin(), b.end());
      return a;
    };
    CHECK_FALSE(allowed({both(alone(write(kX, 1)), alone(read(kY, 0))), both(alone(write(kY, 1)), alone(read(kX, 0)))},
                        order, {}));
    CHECK_FALSE(allowed({both(alone(write(kX, 1)), alone(write(kY, 1))), both(alone(read(kY, 1)), alone(read(kX, 0)))},
                        order, {}));
    // A read inside of another session's section sees all of it or nothing, unless the reader takes no lock.
    const Program writes{lock, write(kX, 1), write(kY, 1), unlock};
    CHECK_FALSE(allowed({writes, {lock, read(kX, 1), read(kY, 0), unlock}}, order, {}));
    CHECK_FALSE(allowed({writes, {shared, read(kX, 1), read(kY, 0), unlock}}, order, {}));
    CHECK(allowed({writes, {read(kX, 1), read(kY, 0)}}, order, {}));
    // Readers may be inside together, and a writer not beside them.
    CHECK(
        allowed({{shared, write(kX, 1), read(kY, 1), unlock}, {shared, write(kY, 1), read(kX, 1), unlock}}, order, {}));
    CHECK_FALSE(
        allowed({{lock, write(kX, 1), read(kY, 1), unlock}, {shared, write(kY, 1), read(kX, 1), unlock}}, order, {}));
    CHECK_FALSE(allowed({{write(kX, 1), unlock}}, order, {}));
    // Who may still give its lock back lets others in.
    History history;
    history.lock(0, 1, 2).lock(1, 5, 6);
    CHECK(search_store_buffers(history, order).verdict == Verdict::fail);
    CHECK(search_store_buffers(History().lock(0, 1, 2).unlock(0, 3, kOpen).lock(1, 5, 6), order).verdict ==
          Verdict::pass);
    CHECK(search_store_buffers(History().lock(0, 1, 2).lock(1, 5, kOpen), order).verdict == Verdict::pass);
  }
}

TEST_CASE("a search of store buffers that spends its budget is undecided") {
  std::vector<Program> programs(6, Program{write(kX, 1), write(kY, 2), read(kX, 1)});
  programs.push_back({read(kX, 9)});
  CHECK(search_store_buffers(history_of(programs), StoreOrder::partial, {}, {}, {100}).verdict == Verdict::undecided);
}

TEST_CASE("store buffers agree with the axioms on random programs") {
  const auto order = GENERATE(StoreOrder::total, StoreOrder::partial);
  RandomStream random(71, order == StoreOrder::total ? "total" : "partial");
  Tally tally;
  for (int i = 0; i < some(40'000); ++i) {
    Shape shape;
    shape.operations = 4 + random.below(3);
    shape.sessions = 2 + random.below(2);
    shape.keys = 2;
    shape.actions = {Action::read, Action::read, Action::write, Action::write, Action::fence};
    if (i % 2 == 0) shape.actions = {Action::read, Action::read, Action::write, Action::write, Action::fetch_and_add};
    shape.unique_values = i % 4 < 2;
    shape.lie = 0.5;
    shape.crash = i % 3 == 0 ? 0.1 : 0;
    const auto history = random_history(random, shape);
    std::vector<Sequence> sessions(shape.sessions);
    std::vector<Operation> pending;
    for (const auto& operation : history) {
      if (!operation.pending()) {
        sessions[operation.session].push_back(operation);
      } else if (operation.action == Action::write) {
        pending.push_back(operation);
      }
    }
    const bool unclear = std::any_of(history.begin(), history.end(), [](const Operation& operation) {
      return operation.pending() && operation.action == Action::fetch_and_add;  // its result is not known
    });
    if (unclear) continue;
    const bool expected = explainable(sessions, pending, order);
    INFO("program " << i);
    REQUIRE(search_store_buffers(history, order).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

TEST_CASE("store buffers agree with the axioms on random programs with a lock") {
  const auto order = GENERATE(StoreOrder::total, StoreOrder::partial);
  RandomStream random(73, order == StoreOrder::total ? "total" : "partial");
  Tally tally;
  for (int i = 0; i < some(20'000); ++i) {
    Shape shape;
    shape.operations = 4;
    shape.sessions = 2;
    shape.keys = 2;
    shape.actions = {Action::read, Action::write};
    shape.lie = 0.5;
    shape.crash = 0;
    std::vector<Sequence> sessions(shape.sessions);
    for (const auto& operation : random_history(random, shape)) sessions[operation.session].push_back(operation);
    std::vector<Operation> history;
    for (auto& session : sessions) {
      if (!session.empty() && random.chance(0.8)) {
        Operation lock = session.front();
        lock.key = 0;
        lock.action = random.chance(0.3) ? Action::lock_shared : Action::lock;
        const auto from = static_cast<std::ptrdiff_t>(random.below(session.size()));
        session.insert(session.begin() + from, lock);
        lock.action = Action::unlock;
        const auto behind = random.below(session.size() - static_cast<std::size_t>(from));
        session.insert(session.begin() + from + 1 + static_cast<std::ptrdiff_t>(behind), lock);
      }
      for (Operation& operation : session) {
        operation.id = history.size() + 1;
        operation.invoked = 2 * operation.id;
        operation.responded = operation.invoked + 1;
        history.push_back(operation);
      }
    }
    const bool expected = meets_axioms(sessions, order);
    INFO("program " << i);
    REQUIRE(search_store_buffers(history, order).verdict == (expected ? Verdict::pass : Verdict::fail));
    tally.count(expected);
  }
  CHECK(tally.is_balanced());
}

}  // namespace store_buffer_search_test
