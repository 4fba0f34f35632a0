// A server core: runs pieces of work to completion, one after the other.
//
// Work is a handler and its cost. The core serves work in the order in which it becomes ready (ties: in the order of
// the calls), never interrupts it, and calls the handler at the end of the cost, which is when a handler's effects (a
// packet posted, a state written) become visible to others. One calendar event a piece of work: what waits behind the
// piece in service is in a heap, not in the calendar.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/usage/station.hpp"
#include "sim/kernel/calendar.hpp"
#include "sim/kernel/time.hpp"

namespace racksim::models {

/// One core of a server. Handlers may add work, charge time and halt the core they run on.
class Core {
 public:
  Core(sim::Calendar& calendar, std::string name);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  /// Queues work that is ready now: `(target.*Handler)(args...)` is called when the core has spent `cost` on it. Up to
  /// two arguments, each trivially copyable and at most 8 bytes. Throws std::logic_error when `cost` is negative.
  template <auto Handler, class Target, class... Args>
  void run(sim::Duration cost, Target& target, Args... args) {
    run_at<Handler>(calendar_.now(), cost, target, args...);
  }

  /// Queues work that becomes ready at `ready` (now, if that has passed). Work that becomes ready earlier runs earlier,
  /// whatever the order of the calls, except that work once begun is finished.
  template <auto Handler, class Target, class... Args>
  void run_at(sim::Time ready, sim::Duration cost, Target& target, Args... args) {
    enter<Handler>(nullptr, ready, cost, target, args...);
  }

  /// The same of work that takes more than `cost`, by what is so when it begins: by `(target.*More)(args...)`, which
  /// may be asked several times and changes nothing.
  template <auto Handler, auto More, class Target, class... Args>
  void run_more_at(sim::Time ready, sim::Duration cost, Target& target, Args... args) {
    enter<Handler>(
        [](void* object, const Words& words) {
          return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return (static_cast<const Target*>(object)->*More)(unpack<Args>(words[I])...);
          }
          (std::index_sequence_for<Args...>{});
        },
        ready, cost, target, args...);
  }

  /// In a handler: when the core began with the work that it is called for.
  sim::Time began() const { return start_; }

  /// Spends time on what the core does at this instant: inside a handler it lengthens that handler's occupation of the
  /// core; outside one it goes before everything that waits. Returns the instant at which the charged time is over.
  sim::Time charge(sim::Duration cost);

  /// Begins nothing before `until`, as a thread that sleeps or looks away: no time is spent, and a slow core is no
  /// later. What has begun goes on.
  void rest_until(sim::Time until);

  /// When the piece of work in service and all charged time and rest are over; now, if the core is idle. What waits
  /// behind is not counted.
  sim::Time free_at() const;

  /// Pieces of work that wait or are in service.
  std::size_t backlog() const { return waiting_.size() + (serving_ ? 1 : 0); }

  /// Time spent on work whose handler has been called, and charged time.
  sim::Duration busy_time() const { return busy_; }

  /// Time spent by now, with what has been spent on the work in service.
  sim::Duration worked() const;
  /// How long work has waited for the core by now once it was ready, together.
  sim::Duration waited() const;
  /// Of work whose handler has been called, and besides of what still waits now.
  Waits& waits() { return waits_; }
  Waits waits_by_now() const;

  /// What the core is there for, "home_agent", in the names of metrics; empty if nobody has said. The text must outlive
  /// the core.
  void set_role(std::string_view role) { role_ = role; }
  std::string_view role() const { return role_; }

  /// Makes the core slow: what begins from now on takes `factor` (at least 1) times its cost, and so does what is
  /// charged. Work in service keeps its end.
  void set_slowdown(double factor);

  /// Forgets all work, as a crash does.
  void halt();

  /// Forgets the work of one target, which is about to go: what has not begun is not served, and what has keeps the
  /// core to its end, since nothing interrupts it, but calls nobody.
  void forget(const void* target);

  /// The lane of the core's events, for what else happens at instants that the core sets.
  sim::Lane lane() const { return lane_; }
  const std::string& name() const { return calendar_.lane_name(lane_); }

 private:
  using Words = std::array<std::uint64_t, 2>;
  struct Work {
    sim::Time ready;
    std::uint64_t serial = 0;
    sim::Duration cost;
    void (*call)(void*, const Words&) = nullptr;
    sim::Duration (*more)(void*, const Words&) = nullptr;
    void* target = nullptr;
    Words words{};
  };
  static bool later(const Work& a, const Work& b) {
    return a.ready != b.ready ? a.ready > b.ready : a.serial > b.serial;
  }

  template <class T>
  static std::uint64_t pack(T value) {
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "an argument of work is one plain word");
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
  }
  template <class T>
  static T unpack(std::uint64_t word) {
    T value;
    std::memcpy(static_cast<void*>(&value), &word, sizeof value);
    return value;
  }

  template <auto Handler, class Target, class... Args>
  void enter(sim::Duration (*more)(void*, const Words&), sim::Time ready, sim::Duration cost, Target& target,
             Args... args) {
    static_assert(sizeof...(Args) <= 2, "work carries two words");
    const bool begins = idle();
    Work& work = begins ? current_ : waiting_.emplace_back();
    std::size_t i = 0;
    ((work.words[i++] = pack(args)), ...);
    work.call = [](void* object, const Words& words) {
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (static_cast<Target*>(object)->*Handler)(unpack<Args>(words[I])...);
      }
      (std::index_sequence_for<Args...>{});
    };
    work.more = more;
    work.target = &target;
    work.ready = std::max(ready, calendar_.now());
    work.cost = cost;
    work.serial = serial_++;
    if (cost < sim::Duration{}) [[unlikely]]
      refuse_negative(begins);
    if (begins) [[likely]] {
      begin();
    } else {
      queue();
    }
  }

  bool idle() const { return !serving_ && !in_handler_ && waiting_.empty(); }
  /// How long work of this cost takes.
  sim::Duration time_for(sim::Duration cost) const {
    if (slowdown_ == 1.0) [[likely]]
      return cost;
    return sim::Duration::from_ps(static_cast<std::int64_t>(static_cast<double>(cost.ps()) * slowdown_));
  }
  /// What was described as the last that waits takes its place.
  void queue();
  [[noreturn]] void refuse_negative(bool begins);
  void serve_next();
  void begin();
  void finish();

  sim::Calendar& calendar_;
  sim::Lane lane_;
  std::vector<Work> waiting_;                 // heap by (ready, serial)
  Work current_;                              // valid while serving_
  sim::Time start_ = sim::Time::beginning();  // when current_ begins or began
  sim::Time end_ = sim::Time::beginning();
  sim::Duration served_;  // what current_ takes of itself, without charges
  sim::EventId end_event_;
  sim::Time charged_until_ = sim::Time::beginning();
  sim::Time rested_until_ = sim::Time::beginning();
  sim::Duration busy_;
  Waits waits_;
  double slowdown_ = 1.0;
  std::uint64_t serial_ = 0;
  bool serving_ = false;
  bool in_handler_ = false;
  std::string_view role_;
};

}  // namespace racksim::models
