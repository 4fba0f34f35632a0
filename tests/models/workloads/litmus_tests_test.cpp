// The shipped litmus tests: for each of their outcomes, what the searches say and what the literature says.
#include "models/workloads/litmus_tests.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/workloads/litmus_oracle.hpp"
#include "models/workloads/litmus_program.hpp"

namespace litmus_tests_test {

using namespace racksim;
using namespace racksim::models;
using sim::OperationKind;
using sim::checkers::Verdict;
using Values = std::vector<std::uint64_t>;

namespace {

bool reads_at_end(const LitmusProgram& program) {
  return program.sessions.back().at_end;
}

/// What the registers can hold when the sessions take turns on one memory, in any way in which nobody takes an exclusive
/// lock that another has; the session end comes last. What is one call is one turn, unless it falls `apart`.
std::set<Values> interleavings(const LitmusProgram& program, bool apart = false) {
  std::set<Values> outcomes;
  Values memory(program.objects.size()), registers(program.registers.size());
  std::map<std::size_t, std::size_t> holders;  // of exclusive locks, by object
  std::vector<std::size_t> next(program.sessions.size());
  const std::function<void()> step = [&] {
    bool ended = true;
    for (std::size_t s = 0; s < next.size(); ++s) {
      if (next[s] == program.sessions[s].operations.size()) continue;
      if (program.sessions[s].at_end && !ended) continue;
      ended = false;
      const LitmusOperation& operation = program.sessions[s].operations[next[s]];
      if (operation.kind == OperationKind::lock && holders.contains(operation.object)) continue;
      const std::size_t turn_before = next[s]++;
      const Values memory_before = memory, registers_before = registers;
      const auto holders_before = holders;
      if (operation.kind == OperationKind::lock) holders[operation.object] = s;
      if (operation.kind == OperationKind::unlock) holders.erase(operation.object);
      const auto carry_out = [&](const LitmusOperation& one) {
        if (one.kind == OperationKind::write) memory[one.object] = one.value;
        if (one.kind == OperationKind::read) registers[one.into] = memory[one.object];
      };
      carry_out(operation);
      const auto& operations = program.sessions[s].operations;
      while (!apart && next[s] < operations.size() && operations[next[s]].joins) carry_out(operations[next[s]++]);
      step();
      memory = memory_before;
      registers = registers_before;
      holders = holders_before;
      next[s] = turn_before;
    }
    if (ended) outcomes.insert(registers);
  };
  step();
  return outcomes;
}

/// All values that the registers could hold if nothing were promised.
std::vector<Values> all_outcomes(const LitmusProgram& program) {
  std::vector<Values> outcomes{{}};
  for (const LitmusRegister& one : program.registers) {
    std::vector<Values> longer;
    for (const Values& outcome : outcomes) {
      for (std::uint64_t value = 0; value <= LitmusProgram::kMostValue; ++value) {
        if (!program.can_hold(one.object, value)) continue;
        longer.push_back(outcome);
        longer.back().push_back(value);
      }
    }
    outcomes = std::move(longer);
  }
  return outcomes;
}

}  // namespace

TEST_CASE("Of each shipped test the searches allow what the literature allows, and no other outcome") {
  // A model allows what turns on one memory give, and the outcome that the test is about where the table says so.
  for (const LitmusTest& test : litmus_tests()) {
    const LitmusProgram program = parse_litmus_program(test.program);
    if (reads_at_end(program)) continue;  // a search has no instants, and leaves the end out
    if (program.joins()) continue;        // it knows operations alone, and leaves open whether they are one call
    const LitmusOutcome outcome = parse_litmus_outcomes(test.outcome, program, "outcome").front();
    const std::set<Values> in_turns = interleavings(program);
    for (const LitmusModel model : {LitmusModel::sc, LitmusModel::tso, LitmusModel::pso}) {
      std::size_t forbidden = 0;
      for (const Values& values : all_outcomes(program)) {
        const bool allowed = in_turns.count(values) != 0 || (outcome.holds(values) && test.allowed(model));
        INFO(test.name << " " << to_string(model) << " " << Catch::Detail::stringify(values));
        CHECK(search_litmus(program, values, model) == (allowed ? Verdict::pass : Verdict::fail));
        forbidden += allowed ? 0 : 1;
      }
      CHECK((forbidden > 0) == !test.allowed(model));
    }
  }
}

TEST_CASE("No turns on one memory end as a shipped test of words asks, unless its calls fall apart") {
  std::size_t tests = 0;
  for (const LitmusTest& test : litmus_tests()) {
    const LitmusProgram program = parse_litmus_program(test.program);
    if (!program.joins()) continue;
    INFO(test.name);
    ++tests;
    const LitmusOutcome outcome = parse_litmus_outcomes(test.outcome, program, "outcome").front();
    const auto ends_so = [&](const std::set<Values>& all) {
      return std::any_of(all.begin(), all.end(), [&](const Values& values) { return outcome.holds(values); });
    };
    CHECK_FALSE(ends_so(interleavings(program)));
    CHECK(ends_so(interleavings(program, true)));
  }
  CHECK(tests == 2);
}

TEST_CASE(
    "No turns on one memory end as a shipped test asks that reads in the end, and those without fences do in PSO") {
  std::size_t tests = 0;
  for (const LitmusTest& test : litmus_tests()) {
    const LitmusProgram program = parse_litmus_program(test.program);
    if (!reads_at_end(program)) continue;
    INFO(test.name);
    ++tests;
    const LitmusOutcome outcome = parse_litmus_outcomes(test.outcome, program, "outcome").front();
    for (const Values& values : interleavings(program)) CHECK(!outcome.holds(values));
    CHECK(test.pso == (test.name.find("fences") == std::string_view::npos));
  }
  CHECK(tests == 6);
}

TEST_CASE("The shipped tests are the classical ones, each model stronger than the next") {
  for (const char* name : {"sb", "mp", "lb", "iriw", "corr", "coherence", "wrc", "sb+fences", "mp+fences", "sb+locks",
                           "mp+locks", "sb+lock", "mp+lock", "r", "2+2w", "s"}) {
    REQUIRE(find_litmus_test(name) != nullptr);
  }
  CHECK(find_litmus_test("SB") == nullptr);
  for (const LitmusTest& test : litmus_tests()) {
    CHECK(!test.allowed(LitmusModel::sc));
    CHECK(test.allowed(LitmusModel::tso) <= test.allowed(LitmusModel::pso));
    CHECK(test.allowed(LitmusModel::none));
  }
  // Owens, Sarkar and Sewell (2009): amd6 and amd5; SPARC v8, appendix K: PSO alone lets stores change places.
  CHECK(find_litmus_test("sb")->tso);
  CHECK(!find_litmus_test("mp")->tso);
  CHECK(find_litmus_test("mp")->pso);
}

TEST_CASE("The oracle accuses every repetition that no execution ends like, however many different ones it has seen") {
  const LitmusProgram program = parse_litmus_program("P0: x=1; x=2; x=3 | P1: r0=x; r1=x; r2=x");
  const std::set<Values> possible = interleavings(program);
  CHECK(possible.size() == 20);  // three numbers from 0 to 3 that do not fall
  sim::Metrics metrics;
  LitmusOracle oracle(program, LitmusModel::sc, {}, {"node0/thread0", "node1/thread0"}, {5}, metrics);
  std::uint64_t repetition = 0, wrong = 0;
  for (int round = 0; round < 2; ++round) {
    for (const Values& outcome : all_outcomes(program)) {
      LitmusRepetition seen{++repetition, {}, {100}, {{101, 102, 103}, {0, 0, 0}}, {}};
      for (const std::uint64_t value : outcome) seen.read.push_back(100 + value);
      oracle.judge(seen, {});
      wrong += possible.contains(outcome) ? 0 : 1;
      CHECK(oracle.violation_count() == wrong);
    }
  }
  CHECK(repetition == 2 * 64);
}

TEST_CASE("Sections under one lock are searched one after the other, readers of it together") {
  const LitmusProgram sections =
      parse_litmus_program("P0: lock(x); x=1; y=1; unlock(x) | P1: rlock(x); r0=x; r1=y; unlock(x)");
  const LitmusProgram bare = parse_litmus_program("P0: lock(x); x=1; y=1; unlock(x) | P1: r0=y; r1=x");
  for (const LitmusModel model : {LitmusModel::sc, LitmusModel::tso, LitmusModel::pso}) {
    INFO(to_string(model));
    CHECK(search_litmus(sections, {0, 0}, model) == Verdict::pass);
    CHECK(search_litmus(sections, {1, 1}, model) == Verdict::pass);
    CHECK(search_litmus(sections, {1, 0}, model) == Verdict::fail);
    CHECK(search_litmus(sections, {0, 1}, model) == Verdict::fail);
    CHECK((search_litmus(bare, {1, 0}, model) == Verdict::pass) == (model == LitmusModel::pso));
  }
}

TEST_CASE("Atomic operations are searched with what they wrote") {
  const LitmusProgram swaps = parse_litmus_program("P0: r0=cas(x,0,1) | P1: r1=cas(x,0,2)");
  CHECK(search_litmus(swaps, {0, 1}, LitmusModel::sc) == Verdict::pass);
  CHECK(search_litmus(swaps, {2, 0}, LitmusModel::sc) == Verdict::pass);
  CHECK(search_litmus(swaps, {0, 0}, LitmusModel::pso) == Verdict::fail);  // one of them must see the other
  CHECK(search_litmus(swaps, {2, 1}, LitmusModel::pso) == Verdict::fail);
  const LitmusProgram adds = parse_litmus_program("P0: r0=faa(x,1) | P1: r1=faa(x,2)");
  const std::uint64_t one = std::uint64_t{1} << 32;
  CHECK(search_litmus(adds, {0, one}, LitmusModel::tso) == Verdict::pass);
  CHECK(search_litmus(adds, {2 * one, 0}, LitmusModel::tso) == Verdict::pass);
  CHECK(search_litmus(adds, {0, 0}, LitmusModel::pso) == Verdict::fail);
  CHECK(search_litmus(adds, {0, 1}, LitmusModel::none) == Verdict::pass);
}

}  // namespace litmus_tests_test
