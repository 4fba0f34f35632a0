// The exploration of toy models whose states can be counted by hand.
#include "sim/exploration/search.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <string>

namespace search_test {

using namespace racksim::sim;

namespace {

/// A model with states of a few small numbers.
class Toy : public Model {
 public:
  std::string step_in_words(std::string_view state, std::size_t step) override {
    Steps steps;
    expand(state, steps);
    const std::string to(steps.to(step));
    return steps.wrong(step).empty() ? std::string(state) + ">" + to : "wrong";
  }
  std::string state_in_words(std::string_view state) override { return std::string(state); }
};

/// Counters that each go from 0 to `most`.
class Counters final : public Toy {
 public:
  Counters(std::size_t counters, char most) : counters_(counters), most_(static_cast<char>('0' + most)) {}

  std::string initial() override { return std::string(counters_, '0'); }
  void expand(std::string_view state, Steps& steps) override {
    bool all = true;
    for (std::size_t i = 0; i < counters_; ++i) {
      if (state[i] == most_) continue;
      all = false;
      std::string next(state);
      ++next[i];
      steps.add(next);
    }
    if (all) steps.set_end();
  }

 private:
  std::size_t counters_;
  char most_;
};

/// Dining philosophers (Dijkstra, 1971): each takes the fork on the left, then that on the right, then puts both back.
/// 0 thinks, 1 has one fork, 2 has both. With `one_differs` the first of them takes the right one first.
class Philosophers final : public Toy {
 public:
  Philosophers(std::size_t number, bool one_differs) : number_(number), one_differs_(one_differs) {}

  std::string initial() override { return std::string(number_, '0'); }
  void expand(std::string_view state, Steps& steps) override {
    if (state == initial()) steps.set_end();
    for (std::size_t who = 0; who < number_; ++who) {
      std::string next(state);
      if (state[who] == '2') {
        next[who] = '0';
      } else if (is_free(state, fork_of(who, state[who] == '0'))) {
        ++next[who];
      } else {
        continue;
      }
      steps.add(next);
    }
  }

 private:
  /// The one that is taken first, or the other. Fork i lies to the left of philosopher i.
  std::size_t fork_of(std::size_t who, bool first) const {
    return first == (one_differs_ && who == 0) ? (who + 1) % number_ : who;
  }
  bool is_free(std::string_view state, std::size_t fork) const {
    for (std::size_t who = 0; who < number_; ++who) {
      if (state[who] >= '1' && fork_of(who, true) == fork) return false;
      if (state[who] == '2' && fork_of(who, false) == fork) return false;
    }
    return true;
  }

  std::size_t number_;
  bool one_differs_;
};

/// How many states a circle of philosophers has: all in which the right neighbour of one who has both forks has none.
/// The trace of a power of the matrix of neighbours.
std::uint64_t circle_states(std::size_t number) {
  using Matrix = std::array<std::array<std::uint64_t, 3>, 3>;
  const Matrix neighbours{{{1, 1, 1}, {1, 1, 1}, {1, 0, 0}}};
  Matrix power = neighbours;
  for (std::size_t n = 1; n < number; ++n) {
    Matrix next{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t k = 0; k < 3; ++k) next[i][j] += power[i][k] * neighbours[k][j];
      }
    }
    power = next;
  }
  return power[0][0] + power[1][1] + power[2][2];
}

/// A graph by hand: each letter leads to those of its text.
class Graph final : public Toy {
 public:
  struct Node {
    char name;
    std::string to;
    bool is_end = false;
    bool is_wrong = false;
    bool last_step_is_wrong = false;
  };
  explicit Graph(std::vector<Node> nodes) : nodes_(std::move(nodes)) {}

  std::string initial() override { return {nodes_.front().name}; }
  void expand(std::string_view state, Steps& steps) override {
    for (const Node& node : nodes_) {
      if (node.name != state[0]) continue;
      for (const char to : node.to) steps.add({&to, 1});
      if (node.last_step_is_wrong) steps.add_wrong("a wrong step");
      if (node.is_wrong) steps.set_wrong("a wrong state");
      if (node.is_end) steps.set_end();
    }
  }

 private:
  std::vector<Node> nodes_;
};

using Trace = std::vector<std::string>;

}  // namespace

TEST_CASE("n counters up to k have (k+1)^n states, n k (k+1)^(n-1) transitions, and depth n k") {
  for (const auto& [counters, most, states, transitions] :
       {std::array<std::uint64_t, 4>{1, 1, 2, 1}, {3, 2, 27, 54}, {4, 4, 625, 2000}, {6, 3, 4096, 18'432}}) {
    Counters model(counters, static_cast<char>(most));
    const Exploration found = explore(model);
    CHECK(found.states == states);
    CHECK(found.transitions == transitions);
    CHECK(found.depth == counters * most);
    CHECK(found.terminal == 1);
    CHECK(found.ends == 1);
    CHECK_FALSE(found.violation);
  }
}

TEST_CASE("of n philosophers the deadlock is found, in n steps") {
  for (const std::size_t number : {2, 3, 5, 8}) {
    Philosophers model(number, false);
    const Exploration found = explore(model);
    CHECK(found.states == circle_states(number));
    CHECK(found.terminal == 1);
    REQUIRE(found.violation);
    CHECK(found.violation->what == "no order of steps leads to an end from here");
    CHECK(found.violation->state == std::string(number, '1'));
    CHECK(found.violation->trace.size() == number);
  }
}

TEST_CASE("philosophers of whom one takes the other fork first have no deadlock") {
  for (const std::size_t number : {2, 3, 5}) {
    Philosophers model(number, true);
    const Exploration found = explore(model);
    CHECK(found.terminal == 0);
    CHECK_FALSE(found.violation);
  }
}

TEST_CASE("states that lead to each other and never to an end are found") {
  Graph model({{'a', "bc"}, {'b', "e"}, {'c', "d"}, {'d', "c"}, {'e', "", true}});
  const Exploration found = explore(model);
  CHECK(found.terminal == 1);
  REQUIRE(found.violation);
  CHECK(found.violation->state == "c");
  CHECK(found.violation->trace == Trace{"a>c"});
}

TEST_CASE("a loop that can be left is all right") {
  Graph model({{'a', "b"}, {'b', "abc"}, {'c', "", true}});
  const Exploration found = explore(model);
  CHECK(found.states == 3);
  CHECK(found.transitions == 4);
  CHECK(found.depth == 2);
  CHECK_FALSE(found.violation);
}

TEST_CASE("of what is wrong the nearest is found, be it a state or a step") {
  Graph step({{'a', "bc"}, {'b', "d"}, {'c', "", false, false, true}, {'d', "e"}, {'e', "", false, true}});
  const Exploration by_step = explore(step);
  REQUIRE(by_step.violation);
  CHECK(by_step.violation->what == "a wrong step");
  CHECK(by_step.violation->trace == Trace{"a>c", "wrong"});
  CHECK(by_step.violation->state == "c");

  Graph state({{'a', "bc"}, {'b', "", false, false, true}, {'c', "", false, true}});
  const Exploration by_state = explore(state);
  REQUIRE(by_state.violation);
  CHECK(by_state.violation->what == "a wrong state");
  CHECK(by_state.violation->trace == Trace{"a>c"});

  Graph first({{'a', "b", false, true}});
  CHECK(explore(first).violation->trace.empty());
}

TEST_CASE("a search that meets a limit says so, and does not say that all is well") {
  Counters model(6, 3);
  CHECK(explore(model, {.states = 4096}).cut_short.empty());
  const Exploration by_states = explore(model, {.states = 1000});
  CHECK(by_states.cut_short == "more than 1000 states, which is the limit");
  CHECK(by_states.states >= 1000);
  CHECK(explore(model, {.bytes = 1}).cut_short == "more than 0 MiB of memory, which is the limit");
  CHECK(explore(model, {}, [] { return true; }).cut_short == "interrupted");
}

}  // namespace search_test
