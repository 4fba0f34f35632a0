// Hosts of the SimGrid bridge that go off and come back: what the calendar and the actors see.
#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim/simgrid/engine.hpp"
#include "tests/sim/simgrid/engine_rig.hpp"

using namespace racksim::sim;
using namespace racksim::sim::testing;

TEST_CASE("a host's power change is an event of its very instant, ordered by its lane", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Log log{calendar, {}};
          const Lane before = calendar.add_lane("before");
          const Lane power = calendar.add_lane("power");
          const Lane after = calendar.add_lane("after");
          const HostId host = engine.add_host("server", {{at(1'000'003), false}, {at(900'000'000'000'007), true}});
          engine.on_power<&Log::power>(host, power, log);
          for (const std::int64_t when : {1'000'003l, 900'000'000'000'007l}) {
            calendar.at<&Log::mark>(at(when - 1), before, log, "a picosecond earlier");
            calendar.at<&Log::mark>(at(when), after, log, "after");
            calendar.at<&Log::mark>(at(when), before, log, "before");
            calendar.at<&Log::mark>(at(when + 1), before, log, "a picosecond later");
          }
          return log.end(engine);
        }) ==
        "1000002 a picosecond earlier\n"
        "1000003 before\n"
        "1000003 off\n"
        "1000003 after\n"
        "1000004 a picosecond later\n"
        "900000000000006 a picosecond earlier\n"
        "900000000000007 before\n"
        "900000000000007 on\n"
        "900000000000007 after\n"
        "900000000000008 a picosecond later\n"
        "900000000000008 idle\n");
}

TEST_CASE("power changes arrive in an empty calendar with no actor", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(2));
          Log log{calendar, {}};
          const Lane power = calendar.add_lane("power");
          const HostId host = engine.add_host("server", {{at(1), false},
                                                         {at(2), true},
                                                         {at(1'234'567'890'123), false},
                                                         {seconds(2), true},
                                                         {seconds(2) + ps(1), false}});
          engine.on_power<&Log::power>(host, power, log);
          return log.end(engine);
        }) ==
        "1 off\n"
        "2 on\n"
        "1234567890123 off\n"
        "2000000000000 on\n"
        "2000000000000 idle\n");
}

TEST_CASE("several hosts follow their own profiles, also at one instant", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Log first{calendar, {}};
          Log second{calendar, {}};
          const Lane first_lane = calendar.add_lane("first");
          const Lane second_lane = calendar.add_lane("second");
          // Profiles whose dates SimGrid adds up from different parts, and that meet at 700.000000000001 s.
          std::vector<PowerChange> many;
          for (std::int64_t i = 1; i < 1000; ++i) many.push_back({at(i * 699'999'999'999), i % 2 == 0});
          many.push_back({at(700'000'000'000'001), true});
          const HostId a = engine.add_host("a", many);
          const HostId b = engine.add_host("b", {{at(700'000'000'000'001), false}});
          engine.on_power<&Log::power>(a, first_lane, first);
          engine.on_power<&Log::power>(b, second_lane, second);
          std::string expected;
          for (const PowerChange& c : many) expected += fmt::format("{} {}\n", c.at.ps(), c.on ? "on" : "off");
          engine.run();
          return fmt::format("{}, {}", first.text == expected ? "right" : first.text, second.text);
        }) == "right, 700000000000001 off\n");
}

TEST_CASE("hosts whose dates round differently still change at one instant", "[engine]") {
  // As doubles, first + (both - first) misses each of these instants by one bit.
  const std::vector<std::pair<std::int64_t, std::int64_t>> cases = {{409'843'077'128'262, 980'695'806'793'255},
                                                                    {71'937'505'421'147, 420'069'367'201'817},
                                                                    {111'832'435'180'790, 253'746'757'260'777}};
  for (const auto& [first, both] : cases) {
    CHECK(in_child([first = first, both = both] {
            Calendar calendar;
            Engine engine(calendar, seconds(1000));
            Log log{calendar, {}};
            const Lane lane = calendar.add_lane("power");
            const HostId restarting = engine.add_host("restarting", {{at(first), false}, {at(both), true}});
            const HostId crashing = engine.add_host("crashing", {{at(both), false}});
            engine.on_power<&Log::power>(restarting, lane, log);
            engine.on_power<&Log::power>(crashing, lane, log);
            engine.add_actor(
                "controller", restarting,
                [&](Engine::Actor& self) {
                  if (self.incarnation() == 1) log.note("restarted");
                  self.sleep(Duration::max());
                },
                Engine::Restart::with_host);
            const std::string text = log.end(engine);
            return text.find(fmt::format("{} restarted", both)) != std::string::npos ? "right" : text;
          }) == "right");
  }
}

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
          const Lane lane = calendar.add_lane("events");
          Engine::WakeUp& wake_up = engine.add_wake_up();
          Waker waker{wake_up};
          const HostId crashing = engine.add_host("crashing", {{at(50), false}, {at(80), true}});
          const HostId steady = engine.add_host("steady");
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
          // Of this instant, so after the crash: goes to the survivor.
          calendar.at<&Waker::wake>(at(50), lane, waker);
          calendar.at<&Waker::wake>(at(90), lane, waker);
          return log.end(engine);
        }) ==
        "0 waiter 0 starts\n"
        "50 sleeper gone\n"
        "50 waiter gone\n"
        "50 survivor woken\n"
        "80 waiter 1 starts\n"
        "90 waiter 1 woken\n"
        "90 waiter gone\n"
        "90 idle\n");
}

TEST_CASE("an actor restarts with every return of its host, even when its body had returned", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          const HostId host =
              engine.add_host("server", {{at(10), false}, {at(20), true}, {at(21), false}, {at(22), true}});
          engine.add_actor(
              "controller", host,
              [&](Engine::Actor& self) { log.note(fmt::format("incarnation {}", self.incarnation())); },
              Engine::Restart::with_host);
          return log.end(engine);
        }) ==
        "0 incarnation 0\n"
        "20 incarnation 1\n"
        "22 incarnation 2\n"
        "22 idle\n");
}
