// A timer and its signal handler. See profiler.hpp.
#include "tools/profile/profiler.hpp"

#include <fmt/core.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <optional>

#include "tools/text/system_error.hpp"

namespace racksim::tools {

namespace {

constexpr long kPeriodNs = 2'000'000;
constexpr int kMostFrames = 64, kTrials = 64;

std::atomic<Stage> stage{Stage::start};

/// What the handler works on. Only it touches this between two calls of the timer.
struct Counts {
  const ProgramParts* parts = nullptr;
  std::array<std::int64_t, kParts> ns{};
  std::int64_t last = 0;        // where the time is counted up to
  std::int64_t delivering = 0;  // what a signal costs besides its handler
  std::uint64_t samples = 0;

  std::int64_t& of(Part part) { return ns[static_cast<std::size_t>(part)]; }
};
Counts counts;

/// Of this thread on a processor. Signal handlers may ask.
std::int64_t processor_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// A walk from the handler outwards.
struct Walk {
  bool in_program = false;  // past the handler's own frames
  int frames = 0;
  std::optional<Part> found{};
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  int interrupted = 0;
  const auto address = _Unwind_GetIPInfo(context, &interrupted);
  if (interrupted != 0) walk.in_program = true;
  if (!walk.in_program) return _URC_NO_REASON;
  walk.found = counts.parts->at(interrupted != 0 ? address : address - 1);
  return walk.found || ++walk.frames == kMostFrames ? _URC_END_OF_STACK : _URC_NO_REASON;
}

Part interrupted_part() {
  switch (stage.load(std::memory_order_relaxed)) {
    case Stage::start:
      return Part::start;
    case Stage::warm_up:
      return Part::warm_up;
    case Stage::end:
      return Part::end;
    case Stage::run:
      break;
  }
  Walk walk;
  _Unwind_Backtrace(&look_at_frame, &walk);
  return walk.found.value_or(Part::other);
}

void take_sample(int) {
  if (counts.parts == nullptr) return;
  const int error = errno;
  const std::int64_t now = processor_ns();
  const Part part = interrupted_part();
  const std::int64_t cost = std::min(counts.delivering, now - counts.last);
  counts.of(part) += now - counts.last - cost;
  ++counts.samples;
  counts.last = processor_ns();
  counts.of(Part::profile) += counts.last - now + cost;
  errno = error;
}

SystemError no_timer() {
  return SystemError(fmt::format("no timer to profile with: {}", std::strerror(errno)));
}

}  // namespace

double Profile::total() const {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

void enter(Stage entered) {
  stage.store(entered, std::memory_order_relaxed);
}

struct Profiler::Timer {
  ProgramParts parts;
  timer_t timer{};
  struct sigaction before {};
};

Profiler::Profiler() {
  const std::int64_t begun = processor_ns();
  timer_ = std::make_unique<Timer>();
  struct sigaction action {};
  action.sa_handler = &take_sample;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, &timer_->before);
  counts = {};
  const std::int64_t trial = processor_ns();
  for (int i = 0; i < kTrials; ++i) raise(SIGPROF);
  counts.delivering = (processor_ns() - trial) / kTrials;
  counts.of(Part::start) = begun;
  counts.last = processor_ns();
  counts.of(Part::profile) = counts.last - begun;
  enter(Stage::start);

  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;  // one for the process may find a thread that waits
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = gettid();
  const itimerspec period{{0, kPeriodNs}, {0, kPeriodNs}};
  if (timer_create(CLOCK_MONOTONIC, &event, &timer_->timer) != 0) throw no_timer();
  counts.parts = &timer_->parts;
  if (timer_settime(timer_->timer, 0, &period, nullptr) != 0) throw no_timer();
}

Profiler::~Profiler() {
  finish();
}

Profile Profiler::finish() {
  if (timer_ != nullptr) {
    timer_delete(timer_->timer);
    raise(SIGPROF);  // for the time since the last
    counts.parts = nullptr;
    sigaction(SIGPROF, &timer_->before, nullptr);
    timer_.reset();
  }
  Profile profile;
  for (std::size_t part = 0; part < kParts; ++part) profile.seconds[part] = static_cast<double>(counts.ns[part]) / 1e9;
  profile.samples = counts.samples;
  return profile;
}

}  // namespace racksim::tools
