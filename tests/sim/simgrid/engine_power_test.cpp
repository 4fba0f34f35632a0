// Hosts of the SimGrid bridge that go off and come back in calendar events: what their actors and the calendar see.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <string>

#include "sim/simgrid/engine.hpp"
#include "tests/sim/simgrid/engine_rig.hpp"

namespace engine_power_test {

using namespace racksim::sim;
using namespace racksim::sim::testing;

namespace {

/// Switches a host in calendar events.
struct PowerSwitch {
  Engine& engine;
  HostId host;
  Calendar& calendar;
  Lane lane;

  void set(bool on) { on ? engine.switch_on(host) : engine.switch_off(host); }
  void schedule(Time when, bool on) { calendar.at<&PowerSwitch::set>(when, lane, *this, on); }
};

}  // namespace

TEST_CASE("a host that goes off takes its actors with it, and restarts those that ask for it", "[engine]") {
  CHECK(in_child([] {
          struct Witness {
            Log& log;
            const char* who;
            ~Witness() { log.note(fmt::format("{} gone", who)); }
          };
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          const Lane faults = calendar.add_lane("faults");
          const Lane lane = calendar.add_lane("events");
          Engine::WakeUp& wake_up = engine.add_wake_up();
          Waker waker{wake_up};
          const HostId crashing = engine.add_host("crashing");
          const HostId steady = engine.add_host("steady");
          PowerSwitch power{engine, crashing, calendar, faults};
          power.schedule(at(50), false);
          power.schedule(at(80), true);
          engine.add_actor("sleeper", crashing, [&](Engine::Actor& self) {
            Witness witness{log, "sleeper"};
            self.sleep(ps(60));
            log.note("the dead woke up");
          });
          engine.add_actor(
              "waiter", crashing,
              [&](Engine::Actor& self) {
                log.note(fmt::format("waiter {} starts", self.incarnation()));
                Witness witness{log, "waiter"};
                self.wait(wake_up);
                log.note(fmt::format("waiter {} woken", self.incarnation()));
              },
              Engine::Restart::with_host);
          engine.add_actor("survivor", steady, [&](Engine::Actor& self) {
            self.sleep(ps(10));  // waits behind the waiter
            self.wait(wake_up);
            log.note("survivor woken");
          });
          // Of this instant, on a later lane, so after the crash: goes to the survivor.
          calendar.at<&Waker::wake>(at(50), lane, waker);
          calendar.at<&Log::mark>(at(80), lane, log, "after the restart");
          calendar.at<&Waker::wake>(at(90), lane, waker);
          return log.end(engine);
        }) ==
        "0 waiter 0 starts\n"
        "50 sleeper gone\n"
        "50 waiter gone\n"
        "50 survivor woken\n"
        "80 waiter 1 starts\n"
        "80 after the restart\n"
        "90 waiter 1 woken\n"
        "90 waiter gone\n"
        "90 idle\n");
}

TEST_CASE("an actor that was woken and loses its host at one instant does not go on", "[engine]") {
  CHECK(in_child([] {
          struct Both {
            Engine& engine;
            Engine::WakeUp& wake_up;
            HostId host;
            void act() {
              wake_up.wake();
              engine.switch_off(host);
            }
          };
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          Both both{engine, engine.add_wake_up(), engine.add_host("crashing")};
          engine.add_actor("waiter", both.host, [&](Engine::Actor& self) {
            self.wait(both.wake_up);
            log.note("the dead woke up");
          });
          calendar.at<&Both::act>(at(7), calendar.add_lane("events"), both);
          return log.end(engine);
        }) == "7 idle\n");
}

TEST_CASE("what is notified in the event in which a host goes off wakes none of its actors, but who waits behind them",
          "[engine]") {
  CHECK(in_child([] {
          struct Both {
            Engine& engine;
            Engine::WakeUp& wake_up;
            HostId host;
            void act() {
              engine.switch_off(host);
              wake_up.wake();
            }
          };
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          Both both{engine, engine.add_wake_up(), engine.add_host("crashing")};
          const HostId steady = engine.add_host("steady");
          engine.add_actor("waiter", both.host, [&](Engine::Actor& self) {
            self.wait(both.wake_up);
            log.note("the dead woke up");
          });
          engine.add_actor("survivor", steady, [&](Engine::Actor& self) {
            self.sleep(ps(3));  // waits behind the waiter
            self.wait(both.wake_up);
            log.note("survivor woken");
          });
          calendar.at<&Both::act>(at(7), calendar.add_lane("events"), both);
          return log.end(engine);
        }) ==
        "7 survivor woken\n"
        "7 idle\n");
}

TEST_CASE("an actor restarts with every return of its host, even when its body had returned", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          const HostId host = engine.add_host("server");
          PowerSwitch power{engine, host, calendar, calendar.add_lane("faults")};
          // Off and on again at one instant, too; what is off or on already stays as it is.
          for (const auto& [when, on] :
               {std::pair{10, false}, {11, false}, {20, true}, {21, true}, {30, false}, {30, true}}) {
            power.schedule(at(when), on);
          }
          engine.add_actor(
              "controller", host,
              [&](Engine::Actor& self) { log.note(fmt::format("incarnation {}", self.incarnation())); },
              Engine::Restart::with_host);
          return log.end(engine);
        }) ==
        "0 incarnation 0\n"
        "20 incarnation 1\n"
        "30 incarnation 2\n"
        "30 idle\n");
}

TEST_CASE("hosts go off and on to the picosecond, late in a long run and a thousand times", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          const HostId host = engine.add_host("server");
          PowerSwitch power{engine, host, calendar, calendar.add_lane("faults")};
          std::string expected, seen;
          for (std::int64_t i = 1; i <= 1000; ++i) {
            power.schedule(at(i * 699'999'999'999), i % 2 == 0);
            if (i % 2 == 0) expected += fmt::format("{} ", i * 699'999'999'999);
          }
          engine.add_actor(
              "controller", host,
              [&](Engine::Actor& self) {
                if (self.incarnation() > 0) seen += fmt::format("{} ", self.now().ps());
                self.sleep(Duration::max());
              },
              Engine::Restart::with_host);
          engine.run();
          return seen == expected ? "right" : seen;
        }) == "right");
}

}  // namespace engine_power_test
