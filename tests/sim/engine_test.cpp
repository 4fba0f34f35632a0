// The SimGrid bridge. A process can have one engine, so every test runs its engine in a child process, which returns
// what it saw as text.
#include "sim/engine.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace racksim::sim;

namespace {

// Runs `body` in a child process and returns the text it returns, or "threw: ..." with the exception's message.
// Whatever the child prints comes first: an engine has to be quiet.
std::string in_child(const std::function<std::string()>& body) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::fflush(nullptr);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    std::string text;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = fmt::format("threw: {}", error.what());
    }
    std::fputs(text.c_str(), stdout);
    std::exit(0);  // with SimGrid's own clean-up and the leak check of the sanitizers
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  INFO(text);
  REQUIRE(status == 0);
  return text;
}

constexpr Time at(std::int64_t ps) {
  return Time::from_ps(ps);
}
constexpr Duration ps(std::int64_t n) {
  return Duration::from_ps(n);
}
constexpr Time seconds(std::int64_t n) {
  return at(n * 1'000'000'000'000);
}

const char* name(Engine::Outcome outcome) {
  switch (outcome) {
    case Engine::Outcome::finished:
      return "finished";
    case Engine::Outcome::limit_reached:
      return "limit reached";
    case Engine::Outcome::idle:
      return "idle";
  }
  return "?";
}

// Writes down what happens when, one line each.
struct Log {
  Calendar& calendar;
  std::string text;

  void note(const std::string& what) { text += fmt::format("{} {}\n", calendar.now().ps(), what); }
  void mark(const char* what) { note(what); }
  void power(bool on) { note(on ? "on" : "off"); }
  std::string end(Engine& engine) {
    note(name(engine.run()));
    return text;
  }
};

struct Finisher {
  Engine& engine;
  void finish() { engine.finish(); }
};

struct Waker {
  Engine::WakeUp& wake_up;
  void wake() { wake_up.wake(); }
};

}  // namespace

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

TEST_CASE("the run ends at the instant at which the workload is done", "[engine]") {
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          Log log{calendar, {}};
          const Lane lane = calendar.add_lane("events");
          Finisher finisher{engine};
          engine.on_power<&Log::power>(engine.add_host("server", {{at(2'000'000), false}}), lane, log);
          engine.add_actor("sleeper", HostId{0}, [&](Engine::Actor& self) {
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

TEST_CASE("availability that does not alternate at increasing instants is refused", "[engine]") {
  using Changes = std::vector<PowerChange>;
  for (const Changes& changes : {Changes{{at(0), false}}, Changes{{at(1), true}},
                                 Changes{{at(5), false}, {at(5), true}}, Changes{{at(5), false}, {at(6), false}}}) {
    CHECK_THAT(in_child([&] {
                 Calendar calendar;
                 Engine engine(calendar, seconds(1));
                 engine.add_host("server", changes);
                 return std::string("accepted");
               }),
               Catch::Matchers::StartsWith("threw: the availability of host 'server' at"));
  }
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1));
          engine.add_host("server");
          engine.add_host("server");
          return std::string("accepted");
        }) == "threw: two hosts have the name 'server'");
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

TEST_CASE("actors and power changes that touch nothing leave the calendar's results alone", "[engine]") {
  Calendar alone;
  Churn reference(alone, 200'000);
  alone.run_until();
  CHECK(in_child([] {
          Calendar calendar;
          Engine engine(calendar, seconds(1000));
          Churn churn(calendar, 200'000);
          std::vector<PowerChange> changes;
          for (std::int64_t i = 1; i <= 100; ++i) changes.push_back({at(i * 999'983), i % 2 == 0});
          engine.add_host("crashing", changes);
          engine.add_actor("idler", engine.add_host("steady"), [](Engine::Actor& self) {
            for (int i = 0; i < 1000; ++i) self.sleep(ps(10'007));
          });
          engine.run();
          return fmt::format("{}", churn.fold);
        }) == fmt::format("{}", reference.fold));
}
