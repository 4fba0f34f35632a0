// The calendar as a resource model of SimGrid. See engine.hpp.
//
// What SimGrid 3.32 does to such a model, learnt from its EngineImpl::solve:
// - It asks `next_occurring_event(bound)` for at most `bound` more seconds and then moves its clock by the answer.
// - `bound` is -1 when no activity of its own is pending: so a main actor always waits with a time-out (the backstop)
//   later than the limit, and the model itself ends the run at the limit.
// - Hosts may be switched by the model itself, in the answer: SimGrid's own profiles do it from the same place. Their
//   actors are unwound, or begin, when the step is over.
// - An answer below 0 is ignored and one of 0 does not move the clock, so a remainder of less than a picosecond is
//   passed back as it came.
#include "sim/simgrid/engine.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <utility>

#include "sim/simgrid/bridge.hpp"
#include "sim/simgrid/module.hpp"

namespace racksim::sim {

namespace {

constexpr std::uint64_t kEventsPerLook = 65'536;

// The nearest double: one division, rounded once.
double seconds(Time time) {
  return static_cast<double>(time.ps()) / 1e12;
}

Time nearest_picosecond(double seconds) {
  return Time::from_ps(std::llround(seconds * 1e12));
}

}  // namespace

struct Engine::Impl final : Driven {
  Impl(Calendar& the_calendar, Time the_limit) : calendar(the_calendar), limit(the_limit) {}

  double run_for(double clock, double bound) override;
  void end(Outcome why);
  void fail(std::exception_ptr error) override;
  void switch_host(HostId host, bool on);
  void start();

  Calendar& calendar;
  const Time limit;
  SimGrid* simgrid = nullptr;
  std::uint32_t hosts = 0;
  std::vector<std::unique_ptr<Actor>> actors;
  std::deque<WakeUp> wake_ups;
  bool started = false;
  bool over = false;
  bool woke = false;  // an actor can run: the calendar must pause
  Outcome outcome = Outcome::idle;
  std::exception_ptr error;
  std::uint64_t steps = 0;
  std::uint64_t events = 0;  // of the calendar
  std::function<void()> look;
};

double Engine::Impl::run_for(double clock, double bound) {
  if (over) return -1.0;
  ++steps;
  const Time goal = std::min(limit, nearest_picosecond(clock + bound));

  woke = false;
  double answer = bound;
  try {
    while (!woke && calendar.run_one(goal)) {
      if (++events % kEventsPerLook == 0 && look) look();
    }
    if (!woke && calendar.pending() == 0) {
      end(Outcome::idle);
    } else if (!woke) {
      if (goal > calendar.now()) calendar.run_until(goal);  // nothing left by then: moves the calendar's clock
      if (goal == limit) end(Outcome::limit_reached);
    }
  } catch (...) {
    fail(std::current_exception());
  }
  if (woke) answer = seconds(calendar.now()) - clock;
  return std::max(0.0, answer);
}

void Engine::Impl::end(Outcome why) {
  if (over) return;
  over = true;
  woke = true;
  outcome = why;
  simgrid->end();
}

void Engine::Impl::fail(std::exception_ptr what) {
  if (!error) error = std::move(what);
  end(Outcome::finished);
}

void Engine::Impl::switch_host(HostId id, bool on) {
  if (simgrid->is_on(id.index) == on || over) return;
  if (on) {
    simgrid->turn_on(id.index);
  } else {
    // SimGrid unwinds the actors only after this step: until then nothing may find them waiting.
    for (const auto& actor : actors) {
      if (actor->host_ == id) actor->withdraw();
    }
    simgrid->turn_off(id.index);
  }
  woke = true;
}

// Hands actors to SimGrid. Not before the run: SimGrid refuses to exit while an actor has never run.
void Engine::Impl::start() {
  simgrid->begin(seconds(limit) + 1.0);
  for (const auto& actor : actors) {
    simgrid->add_actor(
        actor->name_, actor->host_.index, [a = actor.get()] { a->live(); }, actor->restart_ == Restart::with_host);
  }
}

Engine::Engine(Calendar& calendar, Time limit) {
  if (limit <= Time{} || limit - Time{} > kMaxLimit) {
    throw std::runtime_error(
        fmt::format("the time limit of {} s lies outside (0 s, {} s]: beyond it, SimGrid's clock is not exact to the "
                    "picosecond",
                    limit.seconds(), kMaxLimit.seconds()));
  }
  impl_ = std::make_unique<Impl>(calendar, limit);
  impl_->simgrid = simgrid_function<StartSimGrid>("racksim_simgrid")(*impl_);
  if (impl_->simgrid == nullptr) {
    throw std::logic_error("SimGrid allows one engine per process: run further simulations in processes of their own");
  }
}

Engine::~Engine() {
  impl_->simgrid->let_go();
}

HostId Engine::add_host(const std::string& name) {
  if (impl_->started) throw std::logic_error("hosts are added before the run");
  if (!impl_->simgrid->add_host(name)) throw std::runtime_error(fmt::format("two hosts have the name '{}'", name));
  return HostId{impl_->hosts++};
}

void Engine::switch_off(HostId host) {
  impl_->switch_host(host, false);
}

void Engine::switch_on(HostId host) {
  impl_->switch_host(host, true);
}

void Engine::add_actor(const std::string& name, HostId host, std::function<void(Actor&)> body, Restart restart) {
  if (impl_->started) throw std::logic_error("actors are added before the run");
  if (host.index >= impl_->hosts) throw std::logic_error("an actor needs a host of this engine");
  impl_->actors.emplace_back(new Actor(*impl_, impl_->calendar, name, host, restart, std::move(body)));
}

Engine::WakeUp& Engine::add_wake_up() {
  return impl_->wake_ups.emplace_back();
}

void Engine::look_in(std::function<void()> look) {
  impl_->look = std::move(look);
}

void Engine::finish() {
  impl_->end(Outcome::finished);
}

Engine::Outcome Engine::run() {
  if (impl_->started) throw std::logic_error("an engine runs once");
  if (impl_->calendar.now() != Time{}) throw std::logic_error("a run starts with the calendar at 0");
  impl_->started = true;
  impl_->start();
  impl_->simgrid->run();
  impl_->over = true;
  if (impl_->error) std::rethrow_exception(impl_->error);
  return impl_->outcome;
}

std::uint64_t Engine::steps() const {
  return impl_->steps;
}

void Engine::WakeUp::wake() {
  if (waiting_.empty()) {
    ++stored_;
    return;
  }
  Actor* const actor = waiting_.front();
  actor->withdraw();
  actor->release();
}

Engine::Actor::Actor(Impl& engine, Calendar& calendar, std::string name, HostId host, Restart restart,
                     std::function<void(Actor&)> body)
    : engine_(engine),
      calendar_(calendar),
      name_(std::move(name)),
      host_(host),
      restart_(restart),
      body_(std::move(body)),
      lane_(calendar.add_lane(name_)) {}

Engine::Actor::~Actor() = default;

// One life of the actor, from its start or its host's return to its end.
void Engine::Actor::live() {
  ++starts_;
  gate_ = engine_.simgrid->make_gate();
  body_(*this);
}

void Engine::Actor::sleep(Duration duration) {
  set_timer(duration);
  park();
}

void Engine::Actor::wait(WakeUp& wake_up) {
  if (wake_up.stored_ > 0) {
    --wake_up.stored_;
    return;
  }
  wake_up.waiting_.push_back(this);
  waiting_on_ = &wake_up;
  park();
}

bool Engine::Actor::wait_for(WakeUp& wake_up, Duration timeout) {
  if (wake_up.stored_ == 0) set_timer(timeout);
  timed_out_ = false;
  wait(wake_up);
  return !timed_out_;
}

void Engine::Actor::set_timer(Duration delay) {
  if (delay < Duration{}) {
    throw std::logic_error(fmt::format("actor '{}' cannot wait for {} ps", name_, delay.ps()));
  }
  // A longer wait than the run is one that does not end; its sum with the clock need not fit an integer.
  const Duration rest = engine_.limit - calendar_.now() + Duration::from_ps(1);
  timer_ = calendar_.after<&Actor::time_out>(std::min(delay, rest), lane_, *this);
}

void Engine::Actor::time_out() {
  timed_out_ = true;
  withdraw();
  release();
}

// Blocks until `release`. A killed actor's stack unwinds through here, and must leave nothing that points at it.
void Engine::Actor::park() {
  struct Guard {
    Actor& actor;
    ~Guard() { actor.withdraw(); }
  } guard{*this};
  gate_->wait();
}

void Engine::Actor::release() {
  engine_.woke = true;
  gate_->release();
}

// Forgets what the actor waits for.
void Engine::Actor::withdraw() {
  calendar_.cancel(std::exchange(timer_, EventId{}));
  if (WakeUp* const wake_up = std::exchange(waiting_on_, nullptr)) std::erase(wake_up->waiting_, this);
}

}  // namespace racksim::sim
