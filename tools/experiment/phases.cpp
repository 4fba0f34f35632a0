// Takes a run from one phase to the next. See phases.hpp.
#include "tools/experiment/phases.hpp"

#include <fmt/core.h>

#include <utility>

#include "models/service/table_description.hpp"
#include "tools/profile/profiler.hpp"

namespace racksim::tools {

Phases::Phases(Assembly& assembly, Watch& watch, const RunPlan& plan, const Progress& progress)
    : assembly_(assembly),
      watch_(watch),
      plan_(plan),
      progress_(progress),
      lane_(assembly.lane()),
      checkpoints_(assembly.event_log(), assembly.workload().own_service() != nullptr
                                             ? &assembly.workload().own_service()->history()
                                             : nullptr) {}

void Phases::warm_up() {
  enter(Stage::warm_up);
  tell(RunProgress::Stage::filling);
  assembly_.warm_up();
  watch_.begin();
}

RunOutcome Phases::run(Driver& driver) {
  begin(driver);
  return finish();
}

void Phases::begin(Driver& driver) {
  enter(Stage::run);
  driver_ = &driver;
  tell(RunProgress::Stage::warm_up);
  auto& calendar = assembly_.calendar();
  assembly_.faults().start();
  assembly_.workload().start();
  if (plan_.warmup.operations) {
    assembly_.workload().notify_after(*plan_.warmup.operations, [this] { begin_measuring(); });
  } else {
    calendar.at<&Phases::begin_measuring>(sim::Time{} + plan_.warmup.time, lane_, *this);
  }
  calendar.at<&Phases::checkpoint>(sim::Time{} + checkpoints_.interval(), lane_, *this);
}

// A phase that has not begun begins, so that there is one, however empty, to end.
void Phases::heal() {
  begin_measuring();
  end_measuring();
}

RunOutcome Phases::finish() {
  const Driver::Outcome outcome = run_to_the_end();
  if (phase_ < Phase::drain) close_window();
  judge(outcome);
  return std::move(outcome_);
}

void Phases::begin_measuring() {
  if (phase_ != Phase::warm_up) return;
  phase_ = Phase::measure;
  measured_from_ = assembly_.calendar().now();
  ended_before_ = assembly_.service().history().count(sim::Observed::operation_ended);
  assembly_.rack().settle();
  assembly_.metrics().open_window(assembly_.calendar().now());
  if (plan_.measure.operations) {
    assembly_.workload().notify_after(*plan_.measure.operations, [this] { end_measuring(); });
  } else {
    assembly_.calendar().after<&Phases::end_measuring>(plan_.measure.time, lane_, *this);
  }
}

void Phases::end_measuring() {
  if (phase_ != Phase::measure) return;
  phase_ = Phase::drain;
  const sim::Time now = assembly_.calendar().now();
  close_window();
  assembly_.faults().heal();
  assembly_.workload().stop();
  drain_end_ = now + plan_.drain;
  look_for_rest();
}

void Phases::close_window() {
  sim::Metrics& metrics = assembly_.metrics();
  assembly_.rack().settle();
  metrics.close_window(assembly_.calendar().now());
  outcome_.measured = metrics.window_length();
  outcome_.busiest = assembly_.usage().busiest();
  outcome_.operations = assembly_.service().measured_operations();
}

// At either end of the window, here, at checkpoints and at the end the switch is settled first, so that what is seen, and
// so the counts, the run's length, its verdict and its hash, is the same however passes are executed.
void Phases::look_for_rest() {
  auto& calendar = assembly_.calendar();
  assembly_.rack().settle();
  const bool rest = assembly_.at_rest();
  if (rest || calendar.now() >= drain_end_) {
    phase_ = Phase::over;
    at_rest_ = rest;
    driver_->finish();
    return;
  }
  calendar.after<&Phases::look_for_rest>(assembly_.rack().options().rtt, lane_, *this);
}

void Phases::checkpoint() {
  auto& calendar = assembly_.calendar();
  assembly_.rack().settle();
  checkpoints_.add(calendar.now());
  tell(phase_ == Phase::warm_up   ? RunProgress::Stage::warm_up
       : phase_ == Phase::measure ? RunProgress::Stage::measure
                                  : RunProgress::Stage::drain);
  switch (watch_.look(phase_ == Phase::drain)) {
    case Watch::Pace::steady:
      break;
    case Watch::Pace::doubtful:
      if (!looks_again_) look_again();
      break;
    case Watch::Pace::livelock:
      driver_->finish();
      return;
    case Watch::Pace::idle:
    case Watch::Pace::failed:
      heal();
      break;
  }
  calendar.after<&Phases::checkpoint>(checkpoints_.interval(), lane_, *this);
}

// Checkpoints are far apart in a long run: what is under way at each of them need not be the same.
void Phases::look_again() {
  auto& calendar = assembly_.calendar();
  assembly_.rack().settle();
  looks_again_ = phase_ < Phase::drain && watch_.still_doubtful();
  if (looks_again_) calendar.after<&Phases::look_again>(assembly_.rack().options().rtt, lane_, *this);
}

void Phases::tell(RunProgress::Stage stage) const {
  if (!progress_) return;
  progress_({.stage = stage,
             .now = assembly_.calendar().now(),
             .operations = assembly_.service().history().count(sim::Observed::operation_ended),
             .done = share_over()});
}

std::optional<double> Phases::share_over() const {
  if (phase_ > Phase::measure) return 1;
  const Extent &warm_up = plan_.warmup, &measure = plan_.measure;
  const bool measures = phase_ == Phase::measure;
  const bool warms_up_by_time = !warm_up.operations && warm_up.time > sim::Duration{};
  if (!measures && (warm_up.operations ? !measure.operations : measure.operations && warms_up_by_time)) return {};
  if (measure.operations) {
    const auto ended = static_cast<double>(assembly_.service().history().count(sim::Observed::operation_ended));
    const auto before = static_cast<double>(measures ? ended_before_ : warm_up.operations.value_or(0));
    return share_done(ended, before, static_cast<double>(*measure.operations));
  }
  const sim::Time begins = measures ? measured_from_ : sim::Time{} + warm_up.time;
  return share_done(assembly_.calendar().now().seconds(), begins.seconds(), measure.time.seconds());
}

/// Ends, as a livelock does, where the protocol has come to a pair that its table does not define.
Driver::Outcome Phases::run_to_the_end() {
  try {
    return driver_->run();
  } catch (const models::UndefinedTransition& undefined) {
    const auto& about = undefined.key_and_operations();
    std::string what = undefined.what();
    for (const sim::OperationId operation : about.operations)
      what += fmt::format(", {}", assembly_.event_log().operation(operation));
    watch_.object({"undefined-transition", assembly_.calendar().now(), std::move(what), about});
    return Driver::Outcome::finished;
  }
}

void Phases::judge(Driver::Outcome outcome) {
  enter(Stage::end);
  const sim::Time now = assembly_.calendar().now();
  assembly_.rack().settle();
  if (outcome != Driver::Outcome::finished) {
    watch_.object({"time-limit", now,
                   fmt::format("the run reached its time limit before {}",
                               phase_ == Phase::drain ? "it came to rest" : "the measured phase was over")});
  }
  tell(RunProgress::Stage::judging);
  static_cast<Findings&>(outcome_) = watch_.finish(at_rest_);
  assembly_.protocol().record_final_state();
  outcome_.hash = assembly_.hash();
  outcome_.checkpoints = checkpoints_.finish(now);
  outcome_.events = assembly_.events();
  outcome_.simulated = now;
}

}  // namespace racksim::tools
