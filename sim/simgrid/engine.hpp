// The bridge to SimGrid: SimGrid owns the run, the servers (as hosts) and the actors of slow control logic; the
// calendar is one of its resource models and runs between the instants at which SimGrid must act.
//
// The calendar's integer clock is the truth. An actor's sleeps and time-outs are calendar events, so they are exact to
// the picosecond and ordered with all other events; SimGrid's double only follows. That is enough because a double
// tells neighbouring picoseconds apart up to a few thousand seconds; runs are limited to 1,000 s.
//
// All that happens is a calendar event, a host that goes off or on too: SimGrid's hosts follow the rack's servers. An
// actor that an event releases, kills with its host or starts again with it runs before the next event, and what it
// posts is executed before simulated time advances.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "sim/kernel/calendar.hpp"
#include "sim/kernel/time.hpp"
#include "sim/simgrid/bridge.hpp"
#include "sim/simgrid/host_id.hpp"

namespace racksim::sim {

/// Runs a calendar under SimGrid. SimGrid keeps global state, so a process can have one engine in its life: a second
/// one throws std::logic_error. Use: construct, add hosts and actors, `run()` once.
class Engine {
 public:
  class Actor;
  class WakeUp;

  /// Why a run ended.
  enum class Outcome : std::uint8_t {
    finished,       ///< `finish()` was called
    limit_reached,  ///< the time limit came first; events at the limit itself were executed
    idle            ///< nothing could happen any more: no event was pending. The clock shows the last one
  };

  /// The longest run that a double holds exactly to the picosecond, with a margin.
  static constexpr Duration kMaxLimit = Duration::from_ps(1'000'000'000'000'000);

  /// Starts SimGrid around `calendar`, whose clock must be at 0 when `run` is called. Throws std::runtime_error unless
  /// 0 < limit <= 1,000 s, and ModuleMissing (module.hpp).
  Engine(Calendar& calendar, Time limit);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Adds a server, which is on at first. Throws std::runtime_error when the name is in use.
  HostId add_host(const std::string& name);

  /// Switches a host off, which kills its actors, or on again, which starts those that restart with it. Does nothing
  /// when it is off, or on, already. For calendar events.
  void switch_off(HostId host);
  void switch_on(HostId host);

  /// What becomes of an actor when its host comes back on: nothing, or its body begins anew (even one that had
  /// returned).
  enum class Restart : std::uint8_t { never, with_host };

  /// Adds an actor, for control planes only: waking one costs about a microsecond of real time. The body starts at 0
  /// and runs until it returns, its host goes off or the run ends; the latter two unwind its stack by an exception of a
  /// type of its own, which `catch (...)` must pass on. A body that throws anything else ends the run, and `run`
  /// throws it. The actor's sleeps take a lane of the calendar.
  void add_actor(const std::string& name, HostId host, std::function<void(Actor&)> body,
                 Restart restart = Restart::never);

  /// Makes a semaphore for actors to wait on, with no wake-ups stored. It lives as long as the engine.
  WakeUp& add_wake_up();

  /// Ends the run at the present instant: events still pending are not executed. For calendar events and actors.
  void finish();

  /// Has `look` called every so many (65,536) events, for what the program wants to know while a run goes on. It must
  /// not touch the calendar. What it throws ends the run as what an event throws.
  void look_in(std::function<void()> look);

  /// Runs to the end. Throws what an actor or a calendar event threw; std::logic_error when called twice.
  Outcome run();

  /// How often SimGrid has asked the calendar to run: the price of the bridge, which grows with actors' wake-ups and
  /// with hosts that go off or on only.
  std::uint64_t steps() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A counting semaphore between the calendar and the actors.
class Engine::WakeUp {
 public:
  /// Releases the actor that has waited longest, at this very instant; without one, lets the next wait pass. For
  /// calendar events and actors.
  void wake();

 private:
  friend class Actor;
  std::uint64_t stored_ = 0;
  std::deque<Actor*> waiting_;
};

/// What the body of an actor sees of the engine. Only the body itself may call these.
class Engine::Actor {
 public:
  Actor(const Actor&) = delete;
  Actor& operator=(const Actor&) = delete;
  ~Actor();

  Time now() const { return calendar_.now(); }

  /// How often the host has restarted this actor.
  std::uint32_t incarnation() const { return starts_ - 1; }

  /// Continues exactly `duration` from now, which must not be negative. Events of this instant that are already
  /// scheduled on earlier lanes come first even when it is 0.
  void sleep(Duration duration);

  /// Continues at the instant of a `wake`, or at once when one is stored.
  void wait(WakeUp& wake_up);

  /// The same, for at most `timeout` (not negative). Returns false when the time-out came first.
  bool wait_for(WakeUp& wake_up, Duration timeout);

  /// Schedules `(target.*Handler)(args...)` in the calendar, at the present instant.
  template <auto Handler, class Target, class... Args>
  EventId post(Lane lane, Target& target, Args... args) {
    return calendar_.at<Handler>(calendar_.now(), lane, target, args...);
  }

 private:
  friend class Engine;
  friend class WakeUp;

  Actor(Impl& engine, Calendar& calendar, std::string name, HostId host, Restart restart,
        std::function<void(Actor&)> body);
  void live();
  void park();
  void release();
  void withdraw();
  void time_out();
  void set_timer(Duration delay);

  Impl& engine_;
  Calendar& calendar_;
  std::string name_;
  HostId host_;
  Restart restart_;
  std::function<void(Actor&)> body_;
  Lane lane_;
  std::unique_ptr<SimGrid::Gate> gate_;
  WakeUp* waiting_on_ = nullptr;
  EventId timer_;
  bool timed_out_ = false;
  std::uint32_t starts_ = 0;
};

}  // namespace racksim::sim
