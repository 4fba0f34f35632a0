// How runs of the SimGrid bridge end, what they refuse, and that the calendar does under it what it does alone.
#include "sim/simgrid/engine.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/simgrid/engine_rig.hpp"

namespace engine_test {

using namespace racksim::sim;
using namespace racksim::sim::testing;

TEST_CASE("the run ends at the instant at which the workload is done", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          const Lane lane = calendar.add_lane("events");
          Finisher finisher{engine};
          engine.add_actor("sleeper", engine.add_host("server"), [&](Engine::Actor& self) {
            self.sleep(ps(1'500'000));
            log.note("too late");
          });
          calendar.at<&Finisher::finish>(at(1'234'567), lane, finisher);
          calendar.at<&Log::mark>(at(1'234'567), lane, log, "too late");
          const std::string text = log.end(engine);
          return text + fmt::format("{} pending", calendar.pending());
        }) ==
        "1234567 finished\n"
        "1 pending");
}

TEST_CASE("an actor can end the run", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          engine.add_actor("controller", engine.add_host("server"), [&](Engine::Actor& self) {
            self.sleep(ps(77));
            engine.finish();
          });
          return log.end(engine);
        }) == "77 finished\n");
}

TEST_CASE("the run ends at the limit, after the events of that instant", "[engine]") {
  for (const Time limit : {at(1), at(333'333'333'333), seconds(1000)}) {
    CHECK(in_child([limit] {
            Calendar calendar;
            Engine engine(calendar, limit);
            Log log{calendar, {}};
            const Lane lane = calendar.add_lane("events");
            calendar.at<&Log::mark>(limit, lane, log, "at the limit");
            calendar.at<&Log::mark>(limit + ps(1), lane, log, "too late");
            return log.end(engine);
          }) == fmt::format("{0} at the limit\n{0} limit reached\n", limit.ps()));
  }
}

TEST_CASE("a run in which nothing can happen is idle", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          Engine::WakeUp& never = engine.add_wake_up();
          engine.add_actor("controller", engine.add_host("server"), [&](Engine::Actor& self) { self.wait(never); });
          return log.end(engine);
        }) == "0 idle\n");
}

TEST_CASE("a limit of zero or over 1000 s is refused", "[engine]") {
  for (const Time limit : {Time{}, seconds(1000) + ps(1)}) {
    CHECK_THAT(in_child([limit] {
                 Calendar calendar;
                 Engine engine(calendar, limit);
                 return std::string("accepted");
               }),
               Catch::Matchers::Contains("lies outside (0 s, 1000 s]"));
  }
}

TEST_CASE("a second engine in the process is refused, even after the first one's end", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          { Engine first(calendar, seconds(1)); }
          try {
            Engine second(calendar, seconds(1));
          } catch (const std::logic_error&) {
            return "refused";
          }
          return "accepted";
        }) == "refused");
}

TEST_CASE("two hosts of one name are refused", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          engine.add_host("server");
          engine.add_host("server");
          return std::string("accepted");
        }) == "threw: two hosts have the name 'server'");
}

// A workload that would go on for a thousand seconds of simulated time.
TEST_CASE("who looks in sees a run go on, and what it throws ends the run", "[engine]") {
  struct Busy {
    Calendar& calendar;
    Lane lane;
    void again() { calendar.after<&Busy::again>(ps(1'000), lane, *this); }
  };
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Busy busy{calendar, calendar.add_lane("busy")};
          busy.again();
          std::vector<std::uint64_t> executed;
          engine.look_in([&] {
            executed.push_back(calendar.executed());
            if (executed.size() == 3) throw std::runtime_error("seen enough");
          });
          try {
            engine.run();
          } catch (const std::runtime_error& error) {
            return fmt::format("{} at {}", error.what(), fmt::join(executed, " "));
          }
          return std::string("never interrupted");
        }) == "seen enough at 65536 131072 196608");
}

TEST_CASE("what an actor throws ends the run and comes out of it", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          const HostId host = engine.add_host("server");
          engine.add_actor("broken", host, [](Engine::Actor& self) {
            self.sleep(ps(5));
            throw std::runtime_error("the controller lost its way");
          });
          engine.add_actor("other", host, [](Engine::Actor& self) { self.sleep(ps(1000)); });
          engine.run();
          return std::string("ran");
        }) == "threw: the controller lost its way");
}

TEST_CASE("what a calendar event throws ends the run and comes out of it", "[engine]") {
  struct Broken {
    void fail() { throw std::runtime_error("the wire is on fire"); }
  };
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Broken broken;
          const Lane lane = calendar.add_lane("events");
          engine.add_actor("other", engine.add_host("server"), [](Engine::Actor& self) { self.sleep(ps(1000)); });
          calendar.at<&Broken::fail>(at(7), lane, broken);
          engine.run();
          return std::string("ran");
        }) == "threw: the wire is on fire");
}

namespace {

// Events that schedule each other on several lanes, folded into a number that depends on their order.
struct Churn {
  Calendar& calendar;
  std::vector<Lane> lanes;
  std::uint64_t left;
  std::uint64_t fold = 0;

  Churn(Calendar& the_calendar, std::uint64_t events) : calendar(the_calendar), left(events) {
    for (int i = 0; i < 8; ++i) lanes.push_back(calendar.add_lane("churn"));
    for (std::uint64_t i = 0; i < 64; ++i) calendar.at<&Churn::step>(Time{}, lanes[i % 8], *this, i);
  }
  void step(std::uint64_t who) {
    fold = (fold ^ who ^ static_cast<std::uint64_t>(calendar.now().ps())) * 0x9e3779b97f4a7c15ull;
    if (left == 0) return;
    --left;
    // Coarse delays, so that many events share an instant.
    calendar.after<&Churn::step>(ps(static_cast<std::int64_t>(fold >> 60) * 1000), lanes[fold >> 33 & 7], *this, who);
  }
};

}  // namespace

TEST_CASE("the calendar does under the engine what it does alone, in a handful of steps", "[engine]") {
  Calendar alone;
  Churn reference(alone, 5'000'000);
  alone.run_until();
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Churn churn(calendar, 5'000'000);
          engine.run();
          return fmt::format("{} {} {}, {}", calendar.executed(), calendar.now().ps(), churn.fold,
                             engine.steps() <= 4 ? "few steps" : std::to_string(engine.steps()));
        }) == fmt::format("{} {} {}, few steps", alone.executed(), alone.now().ps(), reference.fold));
}

TEST_CASE("actors and hosts that go off and touch nothing leave the calendar's results alone", "[engine]") {
  Calendar alone;
  Churn reference(alone, 200'000);
  alone.run_until();
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Churn churn(calendar, 200'000);
          struct Power {
            Engine& engine;
            HostId host;
            void set(bool on) { on ? engine.switch_on(host) : engine.switch_off(host); }
          } power{engine, engine.add_host("crashing")};
          const Lane faults = calendar.add_lane("faults");
          for (std::int64_t i = 1; i <= 100; ++i) calendar.at<&Power::set>(at(i * 999'983), faults, power, i % 2 == 0);
          engine.add_actor("idler", engine.add_host("steady"), [](Engine::Actor& self) {
            for (int i = 0; i < 1000; ++i) self.sleep(ps(10'007));
          });
          engine.run();
          return fmt::format("{}", churn.fold);
        }) == fmt::format("{}", reference.fold));
}

}  // namespace engine_test
