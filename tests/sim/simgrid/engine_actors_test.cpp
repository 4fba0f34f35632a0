// Actors of the SimGrid bridge: sleeping, waking from the calendar, posting into it.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/simgrid/engine.hpp"
#include "tests/sim/simgrid/engine_rig.hpp"

namespace engine_actors_test {

using namespace racksim::sim;
using namespace racksim::sim::testing;

TEST_CASE("an actor sleeps to exact instants", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Log log{calendar, {}};
          engine.add_actor("controller", engine.add_host("server"), [&](Engine::Actor& self) {
            for (const std::int64_t delay : {1l, 999l, 123'456'789'123l, 0l, 899'876'543'209'877l, 3l}) {
              self.sleep(ps(delay));
              log.note("woke");
            }
          });
          return log.end(engine);
        }) ==
        "1 woke\n"
        "1000 woke\n"
        "123456790123 woke\n"
        "123456790123 woke\n"
        "900000000000000 woke\n"
        "900000000000003 woke\n"
        "900000000000003 idle\n");
}

TEST_CASE("a calendar event wakes an actor at its own instant, late in a long run and a hundred thousand times",
          "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          const Lane lane = calendar.add_lane("events");
          Engine::WakeUp& wake_up = engine.add_wake_up();
          Waker waker{wake_up};
          std::vector<Time> expected;
          // Bursts of odd picosecond distances around 0 s, 1 s, 500 s and 900 s.
          for (const std::int64_t second : {0, 1, 500, 900}) {
            Time when = seconds(second) + ps(1);
            for (std::int64_t i = 0; i < 25'000; ++i) {
              expected.push_back(when);
              calendar.at<&Waker::wake>(when, lane, waker);
              when += ps(i % 7 == 0 ? 1 : i * 7919 % 1'000'003);
            }
          }
          std::size_t right = 0;
          engine.add_actor("controller", engine.add_host("server"), [&](Engine::Actor& self) {
            for (const Time& instant : expected) {
              self.wait(wake_up);
              if (self.now() == instant) ++right;
            }
          });
          const Engine::Outcome outcome = engine.run();
          return fmt::format("{} of {} right, {}", right, expected.size(), name(outcome));
        }) == "100000 of 100000 right, idle");
}

TEST_CASE("wake-ups are counted and release the actor that has waited longest", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          const Lane lane = calendar.add_lane("events");
          Engine::WakeUp& wake_up = engine.add_wake_up();
          Waker waker{wake_up};
          const HostId host = engine.add_host("server");
          for (const char* who : {"first", "second"}) {
            engine.add_actor(who, host, [&log, &wake_up, who](Engine::Actor& self) {
              self.wait(wake_up);
              log.note(who);
            });
          }
          engine.add_actor("late", host, [&](Engine::Actor& self) {
            self.sleep(ps(30));
            self.wait(wake_up);
            log.note("late, at once");
          });
          for (const std::int64_t when : {10, 10, 20}) calendar.at<&Waker::wake>(at(when), lane, waker);
          return log.end(engine);
        }) ==
        "10 first\n"
        "10 second\n"
        "30 late, at once\n"
        "30 idle\n");
}

TEST_CASE("a wait ends at its time-out to the picosecond, or with the wake-up", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Log log{calendar, {}};
          const Lane lane = calendar.add_lane("events");
          Engine::WakeUp& wake_up = engine.add_wake_up();
          Waker waker{wake_up};
          engine.add_actor("controller", engine.add_host("server"), [&](Engine::Actor& self) {
            log.note(self.wait_for(wake_up, ps(99)) ? "woken" : "timed out");
            log.note(self.wait_for(wake_up, ps(2)) ? "woken" : "timed out");
            log.note(self.wait_for(wake_up, ps(899'999'999'999'900)) ? "woken" : "timed out");
            log.note(self.wait_for(wake_up, ps(0)) ? "woken" : "timed out");
            log.note(self.wait_for(wake_up, Duration::max()) ? "woken" : "timed out");
          });
          calendar.at<&Waker::wake>(at(100), lane, waker);
          return log.end(engine);
        }) ==
        "99 timed out\n"
        "100 woken\n"
        "900000000000000 timed out\n"
        "900000000000000 timed out\n"
        "1000000000000000 limit reached\n");
}

TEST_CASE("what an actor posts is executed before simulated time advances", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          const Lane lane = calendar.add_lane("events");
          calendar.at<&Log::mark>(at(501), lane, log, "the next picosecond");
          engine.add_actor("controller", engine.add_host("server"), [&](Engine::Actor& self) {
            self.post<&Log::mark>(lane, log, "posted at the start");
            self.sleep(ps(500));
            log.note("actor");
            self.post<&Log::mark>(lane, log, "posted");
            self.post<&Log::mark>(lane, log, "posted second");
          });
          return log.end(engine);
        }) ==
        "0 posted at the start\n"
        "500 actor\n"
        "500 posted\n"
        "500 posted second\n"
        "501 the next picosecond\n"
        "501 idle\n");
}

}  // namespace engine_actors_test
