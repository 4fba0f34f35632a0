// SELCC explored: with all its rules nothing is wrong, and without one of them the shortest way to what is.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "protocols/selcc/explored/explore_options.hpp"
#include "sim/exploration/search.hpp"
#include "sim/options/option_error.hpp"

namespace selcc_explore_test {

using namespace racksim;
using namespace racksim::selcc;
using Catch::StartsWith;

namespace {

using Change = std::function<void(ExploreOptions&)>;

sim::Exploration explored(const Change& change) {
  ExploreOptions options;
  change(options);
  return sim::explore(*options.build().front().model);
}
/// What is wrong; "clean" if nothing is.
std::string verdict(const sim::Exploration& found) {
  return found.violation ? found.violation->what : found.cut_short.empty() ? "clean" : found.cut_short;
}
Change programs(const std::string& text, std::uint64_t evictions) {
  return [=](ExploreOptions& o) {
    o.programs = text;
    o.evictions = evictions;
  };
}

const std::string kNoEnd = "no order of steps leads to an end from here";

}  // namespace

// The latch operation on its way, carried out, seen: three steps. The release of the eviction is one more, and may
// come at any time after.
TEST_CASE("one read alone is four states in a row, and an eviction two more") {
  const auto read = explored(programs("r,-,-,-", 0));
  CHECK(verdict(read) == "clean");
  CHECK(read.states == 4);
  CHECK(read.transitions == 3);
  const auto evicted = explored(programs("r,-,-,-", 1));
  CHECK(verdict(evicted) == "clean");
  CHECK(evicted.states == 6);
  CHECK(evicted.transitions == 5);
}

// The story: node 1's invalidation by node 0 is late; the bit of node 57, whose release is late, carries into the id of
// node 0 when it reads again.
TEST_CASE("two writers that a carry sends to each other wait for ever, unless deferrals have an order") {
  const auto unordered = [](ExploreOptions& o) { o.selcc.ordered_deferral = false; };
  CHECK(verdict(explored(unordered)) == kNoEnd);
  CHECK(verdict(explored([](ExploreOptions&) {})) == "clean");
}

// An undo is late, and the owner shares the line with the reader that has asked it: again a bit is in the word twice.
TEST_CASE("an undo that is late beside the owner's addition does what a release does that is late") {
  const auto one_read = [](bool ordered) {
    return verdict(explored([=](ExploreOptions& o) {
      o.programs = "w,ww,-,r";
      o.evictions = 1;
      o.selcc.ordered_deferral = ordered;
    }));
  };
  CHECK(one_read(false) == kNoEnd);
  CHECK(one_read(true) == "clean");
}

TEST_CASE("where undos are waited for no bit is in the word twice, and no order is needed") {
  CHECK(verdict(explored([](ExploreOptions& o) {
          o.selcc.undo = Undo::waited;
          o.selcc.ordered_deferral = false;
        })) == "clean");
}

TEST_CASE("rules that are dropped are missed: upgrades, deferrals, cases, undos") {
  const auto without = [](bool Options::*rule, const char* text) {
    return verdict(explored([=](ExploreOptions& o) {
      o.programs = text;
      o.selcc.*rule = false;
    }));
  };
  CHECK(without(&Options::drop_shared_deferral, "rw,rw,-,-") == kNoEnd);
  CHECK(without(&Options::upgrade_fallback, "rw,rw,-,-") == kNoEnd);
  CHECK(without(&Options::answer_deferred, "w,ww,-,r") == kNoEnd);
  CHECK_THAT(without(&Options::match_case, "w,ww,-,rr"), StartsWith("single writer: "));
  CHECK_THAT(verdict(explored([](ExploreOptions& o) { o.selcc.undo = Undo::off; })),
             StartsWith("at rest: the word is "));
}

TEST_CASE("others find a line in use, by whichever way it travels") {
  for (const bool forwarding : {true, false}) {
    CHECK(verdict(explored([=](ExploreOptions& o) {
            o.programs = "w,wr,-,rr";
            o.uses = true;
            o.selcc.forwarding = forwarding;
          })) == "clean");
  }
}

TEST_CASE("try-locks end, and what they leave is no more than their node has") {
  for (const Undo undo : {Undo::overlapped, Undo::waited}) {
    for (const char* text : {"x,x,-,x", "w,xw,-,s", "rx,rx,-,-", "x,w,-,sx", "rx,rw,-,s", "wx,w,-,w"}) {
      INFO(text);
      CHECK(verdict(explored([=](ExploreOptions& o) {
              o.programs = text;
              o.evictions = 1;
              o.uses = true;
              o.selcc.undo = undo;
            })) == "clean");
    }
  }
}

TEST_CASE("programs that make no sense are refused") {
  for (const char* text : {"", "w,w,w", "w,w,w,w,w", "w,y,-,r"}) {
    INFO(text);
    CHECK_THROWS_AS(explored(programs(text, 0)), sim::OptionError);
  }
}

}  // namespace selcc_explore_test
