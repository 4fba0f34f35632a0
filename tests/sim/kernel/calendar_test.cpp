// The calendar against a slow obvious reference, and its promises one by one.
#include "sim/kernel/calendar.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace calendar_test {

using namespace racksim::sim;

namespace {

struct Recorder {
  Calendar& calendar;
  std::vector<std::pair<std::int64_t, std::uint64_t>> seen;
  void note(std::uint64_t id) { seen.emplace_back(calendar.now().ps(), id); }
};

// A small generator of its own, so that this test does not rest on the streams it helps to build.
struct Lehmer {
  std::uint64_t state;
  std::uint64_t operator()() { return state = state * 6364136223846793005ull + 1442695040888963407ull, state >> 33; }
};

// The reference: an ordered map keyed by (time, lane, serial in the lane).
struct Reference {
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint64_t>, std::uint64_t> events;
  std::vector<std::uint64_t> serial;
};

}  // namespace

TEST_CASE("random schedules, cancellations and runs agree with an ordered map") {
  // Horizons: within one slot, within each wheel, beyond both, and exact ties.
  const std::int64_t horizons[] = {1, 700, 50'000, 5'000'000, 3'000'000'000, 80'000'000'000};
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Calendar calendar;
    Recorder recorder{calendar, {}};
    Reference reference;
    std::vector<std::pair<std::int64_t, std::uint64_t>> expected;
    std::vector<std::pair<EventId, decltype(reference.events)::key_type>> handles;
    std::vector<Lane> lanes;
    for (int i = 0; i < 16; ++i) lanes.push_back(calendar.add_lane("lane"));
    reference.serial.assign(16, 0);
    Lehmer draw{seed};
    std::uint64_t id = 0;
    for (int step = 0; step < 400'000; ++step) {
      const auto what = draw() % 100;
      if (what < 55) {
        const auto lane = draw() % 16;
        const auto delay = static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(horizons[draw() % 6]));
        const auto when = calendar.now() + Duration::from_ps(delay);
        const auto event = calendar.at<&Recorder::note>(when, lanes[lane], recorder, ++id);
        const auto key = std::tuple(when.ps(), static_cast<std::uint32_t>(lane), reference.serial[lane]++);
        reference.events[key] = id;
        handles.emplace_back(event, key);
      } else if (what < 70 && !handles.empty()) {
        const auto& [event, key] = handles[draw() % handles.size()];
        const bool was_there = reference.events.erase(key) == 1;
        REQUIRE(calendar.is_pending(event) == was_there);
        REQUIRE(calendar.cancel(event) == was_there);
      } else if (what < 97) {
        if (calendar.run_one()) {
          REQUIRE(!reference.events.empty());
          const auto first = reference.events.begin();
          expected.emplace_back(std::get<0>(first->first), first->second);
          reference.events.erase(first);
        }
      } else {
        const auto limit = calendar.now() + Duration::from_ps(static_cast<std::int64_t>(draw() % 2'000'000));
        calendar.run_until(limit);
        while (!reference.events.empty() && std::get<0>(reference.events.begin()->first) <= limit.ps()) {
          const auto first = reference.events.begin();
          expected.emplace_back(std::get<0>(first->first), first->second);
          reference.events.erase(first);
        }
        REQUIRE(calendar.now() == limit);
      }
      REQUIRE(calendar.pending() == reference.events.size());
    }
    calendar.run_until();
    for (const auto& [key, value] : reference.events) expected.emplace_back(std::get<0>(key), value);
    REQUIRE(recorder.seen == expected);
  }
}

TEST_CASE("events of one picosecond run by lane, then in the order of scheduling within the lane") {
  Calendar calendar;
  Recorder recorder{calendar, {}};
  const Lane first = calendar.add_lane("first"), second = calendar.add_lane("second");
  const Time t = Time::from_ps(5);
  calendar.at<&Recorder::note>(t, second, recorder, std::uint64_t{3});
  calendar.at<&Recorder::note>(t, first, recorder, std::uint64_t{1});
  calendar.at<&Recorder::note>(t, second, recorder, std::uint64_t{4});
  calendar.at<&Recorder::note>(t, first, recorder, std::uint64_t{2});
  calendar.run_until();
  CHECK(recorder.seen == std::vector<std::pair<std::int64_t, std::uint64_t>>{{5, 1}, {5, 2}, {5, 3}, {5, 4}});
}

TEST_CASE("the last event is known by number, instant and lane in every order of lanes") {
  for (const auto kind : {TieOrder::fifo, TieOrder::lifo, TieOrder::shuffle}) {
    Calendar calendar({kind, 7});
    Recorder recorder{calendar, {}};
    const std::vector<std::string> names{"a", "b", "c", "d"};
    std::vector<Lane> lanes;
    for (const auto& name : names) lanes.push_back(calendar.add_lane(name));
    CHECK(calendar.last_event() == "none");
    for (std::size_t i = 0; i < lanes.size(); ++i)
      calendar.at<&Recorder::note>(Time::from_ps(1'234), lanes[i], recorder, i);
    for (std::size_t i = 1; calendar.run_one(); ++i) {
      CHECK(calendar.last_event() ==
            "number " + std::to_string(i) + " at 1.234 ns, on lane \"" + names[recorder.seen.back().second] + '"');
    }
    CHECK(recorder.seen.size() == 4);
  }
}

TEST_CASE("lifo reverses the lanes and keeps each lane's own order") {
  Calendar calendar({TieOrder::lifo, 0});
  Recorder recorder{calendar, {}};
  const Lane first = calendar.add_lane("first"), second = calendar.add_lane("second");
  calendar.at<&Recorder::note>(Time{}, first, recorder, std::uint64_t{1});
  calendar.at<&Recorder::note>(Time{}, first, recorder, std::uint64_t{2});
  calendar.at<&Recorder::note>(Time{}, second, recorder, std::uint64_t{3});
  calendar.run_until();
  CHECK(recorder.seen == std::vector<std::pair<std::int64_t, std::uint64_t>>{{0, 3}, {0, 1}, {0, 2}});
}

TEST_CASE("shuffle reaches every order of three lanes, keeps each lane's own order and repeats with its seed") {
  auto orders = [](std::uint64_t seed) {
    std::vector<std::vector<std::uint64_t>> result;
    Calendar calendar({TieOrder::shuffle, seed});
    Recorder recorder{calendar, {}};
    std::vector<Lane> lanes;
    for (int i = 0; i < 3; ++i) lanes.push_back(calendar.add_lane("lane"));
    for (std::int64_t t = 0; t < 200; ++t) {
      recorder.seen.clear();
      for (std::uint64_t i = 0; i < 6; ++i) calendar.at<&Recorder::note>(Time::from_ps(t), lanes[i % 3], recorder, i);
      calendar.run_until(Time::from_ps(t));
      std::vector<std::uint64_t> order;
      for (const auto& [when, id] : recorder.seen) order.push_back(id);
      for (std::uint64_t lane = 0; lane < 3; ++lane) {
        REQUIRE(std::find(order.begin(), order.end(), lane) < std::find(order.begin(), order.end(), lane + 3));
      }
      result.push_back(order);
    }
    return result;
  };
  const auto once = orders(7);
  CHECK(once == orders(7));
  CHECK(once != orders(8));
  CHECK(std::set(once.begin(), once.end()).size() == 6);
}

TEST_CASE("an event in the past is refused with its lane and both times") {
  Calendar calendar;
  Recorder recorder{calendar, {}};
  const Lane lane = calendar.add_lane("node3/timer");
  calendar.run_until(Time::from_ps(10));
  CHECK_THROWS_WITH(calendar.at<&Recorder::note>(Time::from_ps(9), lane, recorder, std::uint64_t{1}),
                    "an event of lane 'node3/timer' is scheduled at 9 ps, but the clock shows 10 ps");
}

TEST_CASE("a run executes what is due at its limit and nothing behind it, however many events share the slot") {
  for (const std::uint64_t due : {1, 2, 3, 20}) {
    for (const std::uint64_t behind : {0, 1, 2}) {
      Calendar calendar;
      Recorder recorder{calendar, {}};
      const Lane lane = calendar.add_lane("lane");
      const Time limit = Time::from_ps(5'000);
      for (std::uint64_t i = 0; i < due; ++i) calendar.at<&Recorder::note>(limit, lane, recorder, i);
      for (std::uint64_t i = 0; i < behind; ++i) {
        calendar.at<&Recorder::note>(limit + Duration::from_ps(1), lane, recorder, due + i);
      }
      calendar.run_until(limit);
      CHECK(recorder.seen.size() == due);
      CHECK(calendar.now() == limit);
      calendar.run_until();
      CHECK(recorder.seen.size() == due + behind);
    }
  }
}

TEST_CASE("an event that is cancelled when its slot is open is not executed, whatever shares the slot") {
  for (const std::uint64_t sorted : {2, 3, 4, 20}) {
    for (const std::uint64_t late : {0, 1, 2}) {
      for (std::uint64_t cancelled = 1; cancelled < sorted + late; ++cancelled) {
        Calendar calendar;
        Recorder recorder{calendar, {}};
        const Lane lane = calendar.add_lane("lane");
        std::vector<EventId> ids;
        std::vector<std::pair<std::int64_t, std::uint64_t>> expected;
        const auto add = [&] {
          const std::uint64_t id = ids.size();
          const auto ps = static_cast<std::int64_t>(5'000 + id);
          ids.push_back(calendar.at<&Recorder::note>(Time::from_ps(ps), lane, recorder, id));
          if (id != cancelled) expected.emplace_back(ps, id);
        };
        while (ids.size() < sorted) add();
        REQUIRE(calendar.run_one());
        while (ids.size() < sorted + late) add();
        CHECK(calendar.cancel(ids[cancelled]));
        CHECK_FALSE(calendar.cancel(ids[cancelled]));
        calendar.run_until();
        CHECK(recorder.seen == expected);
        CHECK(calendar.pending() == 0);
      }
    }
  }
}

TEST_CASE("stop ends a run after the current event and a later run continues") {
  struct Stopper {
    Calendar& calendar;
    int calls = 0;
    void stop() { ++calls, calendar.stop(); }
  };
  Calendar calendar;
  Stopper stopper{calendar};
  const Lane lane = calendar.add_lane("lane");
  calendar.at<&Stopper::stop>(Time::from_ps(1), lane, stopper);
  calendar.at<&Stopper::stop>(Time::from_ps(2), lane, stopper);
  calendar.run_until(Time::from_ps(100));
  CHECK(stopper.calls == 1);
  CHECK(calendar.now() == Time::from_ps(1));
  calendar.run_until(Time::from_ps(100));
  CHECK(stopper.calls == 2);
}

TEST_CASE("an event has passed exactly when it would have been executed, whatever else its instant brings") {
  // Events planned ahead on even lanes show what has_passed must say; those on odd lanes are scheduled at their own
  // instant, some of them on lanes that rank before what was executed.
  struct Checker {
    struct Planned {
      Time when;
      Lane lane;
      bool done = false;
    };
    Calendar& calendar;
    std::vector<Lane> lanes;
    std::vector<Planned> planned;
    Lehmer random{5};
    std::uint64_t wrong = 0, ties = 0;

    void check(const Planned* executing = nullptr) {
      for (const Planned& p : planned) {
        if (&p == executing) continue;  // the lane has an event at its instant
        wrong += calendar.has_passed(p.when, p.lane) != p.done;
        ties += p.when == calendar.now();
      }
    }
    void run(std::uint64_t index) {
      check(&planned[index]);
      planned[index].done = true;
      calendar.at<&Checker::look>(calendar.now(), lanes[2 * (random() % 8) + 1], *this, random() % 2);
    }
    void look(std::uint64_t more) {
      check();
      if (more > 0) calendar.at<&Checker::look>(calendar.now(), lanes[2 * (random() % 8) + 1], *this, more - 1);
    }
  };
  for (const auto kind : {TieOrder::fifo, TieOrder::lifo, TieOrder::shuffle}) {
    Calendar calendar({kind, 9});
    Checker checker{calendar, {}, {}};
    for (int i = 0; i < 16; ++i) {
      checker.lanes.push_back(calendar.add_lane("lane"));
      calendar.at<&Checker::look>(Time{}, checker.lanes.back(), checker, 0);
    }
    std::set<std::pair<std::int64_t, std::uint32_t>> taken;
    for (int i = 0; i < 300; ++i) {
      const auto when = Time::from_ps(static_cast<std::int64_t>(1 + checker.random() % 40) * 500);
      const Lane lane = checker.lanes[2 * (checker.random() % 8)];
      if (!taken.insert({when.ps(), lane.index}).second) continue;
      checker.planned.push_back({when, lane});
      calendar.at<&Checker::run>(when, lane, checker, checker.planned.size() - 1);
    }
    for (int step = 1; step <= 50; ++step) {
      calendar.run_until(Time::from_ps(step * 500));
      checker.check();
    }
    CHECK(checker.wrong == 0);
    CHECK(checker.ties > 100);
    CHECK(checker.planned.back().done);
  }
}

}  // namespace calendar_test
