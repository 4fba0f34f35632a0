// The oracles of memory models against machines and searches: a machine that is the model is never accused, a broken
// one often is, and what a search for orders refutes from the clients' values alone the oracle refutes, too.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "sim/checkers/sequential_search.hpp"
#include "sim/checkers/store_buffer_search.hpp"
#include "tests/sim/checkers/histories.hpp"
#include "tests/sim/oracles/buffer_machine.hpp"

namespace memory_model_reference_test {

using namespace racksim::sim;
using checkers::some;
using checkers::Verdict;

namespace {

std::string first_of(const std::vector<Violation>& violations) {
  return violations.empty() ? "" : violations.front().what;
}

/// Whether some execution of the model gives the clients these values, whatever the instants.
Verdict searched(const Story& story, MemoryModel model) {
  auto history = seen_by_clients(story);
  if (model != MemoryModel::sc) {
    const auto order = model == MemoryModel::tso ? checkers::StoreOrder::total : checkers::StoreOrder::partial;
    return checkers::search_store_buffers(history, order).verdict;
  }
  std::erase_if(history, [](const checkers::Operation& o) { return o.action == checkers::Action::fence; });
  return checkers::search_sequential(history, checkers::RegisterSpecification()).verdict;
}

/// Lets some operations return what they did not read. A compare-and-swap believes what it is told.
void falsify(Story& story, RandomStream& random) {
  std::map<std::uint64_t, std::uint64_t> expected;
  for (auto& event : story) {
    if (event.what == Observed::operation_begun) expected[event.operation] = event.expected;
    const bool reads = event.kind == OperationKind::read || is_atomic(event.kind);
    if (event.what != Observed::operation_ended || !reads || !random.chance(0.3)) continue;
    event.value = random.below(7);
    if (event.kind == OperationKind::compare_and_swap) event.wrote = event.value == expected[event.operation];
  }
}

}  // namespace

TEST_CASE("a machine is never accused of breaking its own model nor a weaker one") {
  const auto model = GENERATE(MemoryModel::sc, MemoryModel::tso, MemoryModel::pso);
  RandomStream random(1979, to_string(model));
  for (int i = 0; i < some(30'000); ++i) {
    Machine machine;
    machine.model = model;
    machine.sessions = 2 + static_cast<std::uint32_t>(i % 3);
    machine.operations = 4 + random.below(30);
    machine.keys = 1 + random.below(3);
    machine.locks = i % 3 == 0;
    machine.width = i % 3 == 1 ? 3 : 1;
    machine.drain = i % 2 == 0 ? 0.05 : 0.4;
    const auto story = random_story(machine, random);
    INFO("story " << i);
    for (const auto weaker : {MemoryModel::sc, MemoryModel::tso, MemoryModel::pso}) {
      if (weaker >= model) REQUIRE(first_of(judged(story, weaker)).empty());
    }
  }
}

TEST_CASE("a machine of a weaker model is often found out by a stronger one's oracle") {
  RandomStream random(1991, "weaker");
  const auto found = [&](MemoryModel model, MemoryModel oracle) {
    int count = 0;
    for (int i = 0; i < 400; ++i) {
      Machine machine;
      machine.model = model;
      machine.operations = 20;
      count += passes(random_story(machine, random), oracle) ? 0 : 1;
    }
    return count;
  };
  CHECK(found(MemoryModel::tso, MemoryModel::sc) > 100);
  CHECK(found(MemoryModel::pso, MemoryModel::sc) > 100);
  CHECK(found(MemoryModel::pso, MemoryModel::tso) > 100);
}

TEST_CASE("a broken machine is found out in a fair share of its runs") {
  struct Case {
    Bug bug;
    std::vector<MemoryModel> models;  // that it breaks
  };
  const auto test = GENERATE(Case{Bug::reordered, {MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::weak_fence, {MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::weak_lock, {MemoryModel::sc, MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::weak_atomic, {MemoryModel::sc, MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::no_forwarding, {MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::leaky_buffer, {MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::stale_read, {MemoryModel::sc, MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::lost_write, {MemoryModel::sc, MemoryModel::tso, MemoryModel::pso}},
                             Case{Bug::torn_atomic, {MemoryModel::sc, MemoryModel::tso, MemoryModel::pso}});
  for (const auto model : test.models) {
    RandomStream random(2009, to_string(model));
    constexpr int kRuns = 300;
    int found = 0;
    for (int i = 0; i < kRuns; ++i) {
      Machine machine;
      machine.model = model;
      machine.bug = test.bug;
      machine.operations = 60;
      machine.locks = test.bug == Bug::weak_lock;
      found += passes(random_story(machine, random), model) ? 0 : 1;
    }
    INFO("bug " << static_cast<int>(test.bug) << " of " << to_string(model) << ": " << found << " of " << kRuns);
    CHECK(found > kRuns / 4);
  }
}

TEST_CASE("what a search refutes from the clients' values alone the oracle refutes from the instants") {
  const auto machine_model = GENERATE(MemoryModel::sc, MemoryModel::tso, MemoryModel::pso);
  RandomStream random(71, to_string(machine_model));
  std::map<MemoryModel, checkers::Tally> tallies;
  int sharper = 0;
  for (int i = 0; i < some(30'000); ++i) {
    Machine machine;
    machine.model = machine_model;
    machine.bug = static_cast<Bug>(random.below(static_cast<std::uint64_t>(Bug::torn_atomic) + 1));
    machine.operations = 4 + random.below(4);
    machine.sessions = 2 + static_cast<std::uint32_t>(random.below(2));
    machine.atomics = i % 2 == 0;
    machine.fences = i % 3 != 0;
    auto story = random_story(machine, random);
    if (i % 4 < 2) falsify(story, random);
    for (const auto model : {MemoryModel::sc, MemoryModel::tso, MemoryModel::pso}) {
      const auto verdict = searched(story, model);
      if (verdict == Verdict::undecided) continue;
      tallies[model].count(verdict == Verdict::pass);
      const bool accepted = passes(story, model);
      INFO("story " << i << " under " << to_string(model));
      if (verdict == Verdict::fail) REQUIRE_FALSE(accepted);
      sharper += verdict == Verdict::pass && !accepted ? 1 : 0;
    }
  }
  for (const auto& [model, tally] : tallies) CHECK(tally.is_balanced());
  CHECK(sharper > 0);
}

}  // namespace memory_model_reference_test
