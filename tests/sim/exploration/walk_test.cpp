// Random walks through toy models.
#include "sim/exploration/walk.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace walk_test {

using namespace racksim::sim;

namespace {

/// A walk along a line of places, "a" to "z", to the right or to the left; what begins with '!' is wrong.
class Line : public Model {
 public:
  std::string initial() override { return "c"; }
  void expand(std::string_view state, Steps& steps) override {
    seen.insert(std::string(state));
    if (state == wrong_place) return steps.set_wrong("a wrong place");
    if (state == end) return steps.set_end();
    if (state != "a") steps.add(std::string(1, static_cast<char>(state[0] - 1)));
    if (state == wrong_from) {
      steps.add_wrong("a wrong step");
    } else if (state != "z") {
      steps.add(std::string(1, static_cast<char>(state[0] + 1)));
    }
  }
  std::string step_in_words(std::string_view state, std::size_t step) override {
    Steps steps;
    expand(state, steps);
    return std::string(state) + ">" + std::string(steps.to(step));
  }
  std::string state_in_words(std::string_view state) override { return std::string(state); }

  std::string end = "a", wrong_place, wrong_from;
  std::set<std::string> seen;
};

}  // namespace

TEST_CASE("walks go from the beginning to an end, each of them by itself") {
  Line line;
  const Walks ten = walk(line, {.walks = 10, .seed = 3});
  CHECK(ten.walks == 10);
  CHECK_FALSE(ten.violation);
  CHECK(ten.steps >= 20);  // two at least
  CHECK(ten.longest >= 2);
  CHECK(line.seen.count("a") == 1);
  // The same again, and others with another seed.
  CHECK(walk(line, {.walks = 10, .seed = 3}).steps == ten.steps);
  const Walks more = walk(line, {.walks = 1000, .seed = 3});
  CHECK(more.steps > ten.steps);
  CHECK(walk(line, {.walks = 1000, .seed = 4}).steps != more.steps);
}

// From c the first step is to the left or to the right, alike: of a fair walk on a line, b comes before d as often.
TEST_CASE("any step of a state is taken as often as any other") {
  Line line;
  line.end = "b";
  line.wrong_place = "d";
  unsigned wrong = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) wrong += walk(line, {.walks = 1, .seed = seed}).violation ? 1 : 0;
  CHECK(wrong > 900);  // 1000 with a deviation of 22
  CHECK(wrong < 1100);
}

TEST_CASE("a walk that finds what is wrong is the last, and is told step by step") {
  Line line;
  line.end = "a";
  line.wrong_place = "e";
  const Walks found = walk(line, {.walks = 1000, .seed = 1});
  REQUIRE(found.violation);
  CHECK(found.walks < 1000);
  CHECK(found.violation->what == "a wrong place");
  CHECK(found.violation->state == "e");
  const auto& trace = found.violation->trace;
  REQUIRE(trace.size() >= 2);
  CHECK(trace.front().substr(0, 2) == "c>");
  CHECK(trace.back() == "d>e");
  for (std::size_t i = 1; i < trace.size(); ++i) CHECK(trace[i][0] == trace[i - 1][2]);
}

TEST_CASE("a step that is wrong is told as the last of its walk, with the state that it is taken in") {
  Line line;
  line.wrong_from = "d";
  const Walks found = walk(line, {.walks = 1000, .seed = 1});
  REQUIRE(found.violation);
  CHECK(found.violation->what == "a wrong step");
  CHECK(found.violation->trace.back() == "d>");
  CHECK(found.violation->state == "d");
}

TEST_CASE("a walk that stops where no end is, or does not stop, is wrong") {
  struct Stuck final : Line {
    void expand(std::string_view state, Steps& steps) override {
      if (state == "c") steps.add("b");
    }
  } stuck;
  CHECK(walk(stuck, {}).violation->what == "there is no step, and this is no end");
  Line endless;
  endless.end = "none";
  const Walks walks = walk(endless, {.walks = 5, .seed = 1, .steps = 50});
  CHECK(walks.violation->what == "no end after 50 steps");
  CHECK(walks.walks == 1);
}

TEST_CASE("an end from which steps lead on is gone on from") {
  struct Passed final : Line {
    void expand(std::string_view state, Steps& steps) override {
      if (state != "e") steps.add(std::string(1, static_cast<char>(state[0] + 1)));
      if (state == "d" || state == "e") steps.set_end();
    }
  } passed;
  const Walks walks = walk(passed, {.walks = 3});
  CHECK_FALSE(walks.violation);
  CHECK(walks.longest == 2);
}

TEST_CASE("walks that are told to stop do") {
  Line line;
  const Walks none = walk(line, {.walks = 100}, [] { return true; });
  CHECK(none.walks == 0);
  CHECK_FALSE(none.violation);
}

}  // namespace walk_test
