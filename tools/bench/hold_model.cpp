// The three contestants of the hold model. See hold_model.hpp.
//
// All draw their increments from the same table and call a handler through a pointer with the event's target, as
// a simulator does. Events of the other two carry what a calendar's event carries at least: time, a serial number that
// makes the order total, handler and target.
#include "tools/bench/hold_model.hpp"

#include <memory>
#include <queue>
#include <set>

#include "sim/kernel/calendar.hpp"
#include "sim/random/random.hpp"

namespace racksim::tools {

namespace {

constexpr std::size_t kIncrements = std::size_t{1} << 16;
constexpr std::uint64_t kMostPicoseconds = 2'000'000;

class Increments {
 public:
  Increments() {
    sim::RandomStream random(1, "bench/hold");
    for (auto& value : values_) value = static_cast<std::int64_t>(1 + random.below(kMostPicoseconds));
  }
  std::int64_t next() { return values_[next_++ % kIncrements]; }

 private:
  std::vector<std::int64_t> values_ = std::vector<std::int64_t>(kIncrements);
  std::size_t next_ = 0;
};

class CalendarHold {
 public:
  explicit CalendarHold(std::uint64_t pending) : lane_(calendar_.add_lane("hold")) {
    for (std::uint64_t i = 0; i < pending; ++i) execute();
    executed_ = 0;
  }
  std::uint64_t run(std::uint64_t events) {
    const auto goal = executed_ + events;
    while (executed_ < goal) calendar_.run_one();
    return events;
  }

 private:
  void execute() {
    ++executed_;
    calendar_.after<&CalendarHold::execute>(sim::Duration::from_ps(increments_.next()), lane_, *this);
  }
  sim::Calendar calendar_;
  sim::Lane lane_;
  Increments increments_;
  std::uint64_t executed_ = 0;
};

struct Event {
  std::int64_t time;
  std::uint64_t serial;
  void (*handler)(void* target);
  void* target;
  bool operator<(const Event& o) const { return time != o.time ? time < o.time : serial < o.serial; }
  bool operator>(const Event& o) const { return o < *this; }
};

class PriorityQueue {
 public:
  void add(const Event& event) { events_.push(event); }
  Event take() {
    const Event first = events_.top();
    events_.pop();
    return first;
  }

 private:
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

class Multiset {
 public:
  void add(const Event& event) { events_.insert(event); }
  Event take() {
    const Event first = *events_.begin();
    events_.erase(events_.begin());
    return first;
  }

 private:
  std::multiset<Event> events_;
};

template <class Queue>
class QueueHold {
 public:
  explicit QueueHold(std::uint64_t pending) {
    for (std::uint64_t i = 0; i < pending; ++i) execute();
  }
  std::uint64_t run(std::uint64_t events) {
    for (std::uint64_t i = 0; i < events; ++i) {
      const Event event = queue_.take();
      now_ = event.time;
      event.handler(event.target);
    }
    return events;
  }

 private:
  void execute() {
    queue_.add(
        {now_ + increments_.next(), serial_++, [](void* target) { static_cast<QueueHold*>(target)->execute(); }, this});
  }
  Queue queue_;
  Increments increments_;
  std::int64_t now_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace

HoldResult run_hold_model(std::uint64_t pending, std::uint64_t events, unsigned rounds) {
  const auto calendar = std::make_unique<CalendarHold>(pending);
  const auto priority_queue = std::make_unique<QueueHold<PriorityQueue>>(pending);
  const auto multiset = std::make_unique<QueueHold<Multiset>>(pending);
  const auto rates = take_turns({[&] { return calendar->run(events); }, [&] { return priority_queue->run(events); },
                                 [&] { return multiset->run(events); }},
                                rounds);
  return {pending,
          spread_of(rates[0]),
          spread_of(rates[1]),
          spread_of(rates[2]),
          ratio_of(rates[0], rates[1]),
          ratio_of(rates[0], rates[2])};
}

}  // namespace racksim::tools
