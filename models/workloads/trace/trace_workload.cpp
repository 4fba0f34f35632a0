// Sessions that issue the records of a trace. See trace_options.hpp.
#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "models/service/memory_service.hpp"
#include "models/service/session_tasks.hpp"
#include "models/workloads/trace/trace_options.hpp"
#include "models/workloads/trace/trace_source.hpp"
#include "models/workloads/trace/trace_target.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

namespace {

/// Records that have been read and have not begun.
constexpr std::size_t kMostAhead = std::size_t{1} << 16;

class TraceWorkload final : public Workload {
 public:
  TraceWorkload(WorkloadContext& context, const TraceOptions& options)
      : rack_(context.rack),
        options_(options),
        source_(options),
        target_(trace_target(context, options)),
        replayed_(rack_.metrics().counter_of_run("trace.records", "records", "of the trace that have begun")),
        skipped_(rack_.metrics().counter_of_run("trace.skipped", "records",
                                                "of the trace that the protocol offers nothing like")),
        dropped_(rack_.metrics().counter_of_run("trace.dropped", "records", "of the trace whose node was down")),
        late_(rack_.metrics().counter_of_run("trace.late", "records",
                                             "of an open loop that waited for their session's one before")),
        lane_(rack_.calendar().add_lane("workload")),
        tasks_(rack_.calendar(), target_->session_nodes()) {
    source_.attach(*target_);
    if (source_.can_rewind() && (options.check_file || source_.sizes())) source_.check_all();
    target_->describe(source_.sizes(), source_.largest());
    for (unsigned node = 0; node < target_->session_nodes(); ++node) {
      for (unsigned thread = 0; thread < options.threads; ++thread) {
        sessions_.emplace_back(rack_.calendar(),
                               Session{static_cast<NodeId>(node), static_cast<std::uint16_t>(thread)});
      }
    }
  }

  void warm_up() override {
    TraceStep step;
    for (std::uint64_t i = 0; i < options_.warm_records && source_.next(step); ++i) {
      target_->warm(sessions_[step.session].id, step);
    }
    target_->end_warming();
  }

  void start() override {
    if (is_open()) {
      if (load()) return expect_arrival();
      return end_of_trace();
    }
    for (SessionState& session : sessions_) begin(session);
  }

  void node_crashed(NodeId node) override {
    tasks_.node_crashed(node);
    target_->node_crashed(node);
    for (SessionState& session : sessions_) {
      if (session.id.node != node) continue;
      session.is_down = true;
      session.is_busy = false;
      dropped_.value += session.waiting.size();
      ahead_ -= session.waiting.size();
      session.waiting.clear();
      open_ -= std::exchange(session.under_way, 0);
    }
    wake();
    if (at_end_) end_of_trace();
  }
  void node_restarted(NodeId node) override {
    if (stopping_ || !target_->takes_back(node)) return;
    for (SessionState& session : sessions_) {
      if (session.id.node != node) continue;
      session.is_down = false;
      if (!is_open()) begin(session);
    }
  }

  // Those that wait are woken by an event: whoever stops the workload may be one of its own operations, or stand outside
  // all events.
  void stop() override {
    stopping_ = true;
    leave_soon();
  }

  std::size_t running() const override { return tasks_.running() + (expects() ? 1 : 0) + (leaves_soon_ ? 1 : 0); }
  std::size_t asleep() const override { return tasks_.asleep() + (expects() ? 1 : 0); }
  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
    if (is_over_) rack_.calendar().at<&TraceWorkload::tell_end>(rack_.calendar().now(), lane_, *this);
  }
  Service* own_service() override { return target_->own_service(); }
  std::shared_ptr<sim::Oracle> oracle() override { return target_->oracle(); }
  bool uses(sim::Key key) const override { return target_->uses(key); }
  std::string used_keys() const override { return target_->used_keys(); }

 private:
  struct SessionState {
    SessionState(sim::Calendar& calendar, Session session) : id(session), fed(calendar) {}
    Session id;
    std::deque<TraceStep> waiting;  // read, and not begun
    sim::Signal fed;
    std::size_t under_way = 0;  // operations in open loop
    bool is_busy = false;       // a task works off what waits
    bool is_down = false;
  };

  bool is_open() const { return options_.loop == TraceOptions::Loop::open; }
  /// Whether a record of an open loop waits for its time.
  bool expects() const { return is_open() && has_next_ && !stopping_; }

  /// Reads the next record into `next_`; false at the end of the last pass.
  bool load() {
    const std::uint64_t skipped_before = source_.skipped();
    has_next_ = source_.next(next_);
    skipped_.value += source_.skipped() - skipped_before;
    if (has_next_ || options_.at_end == TraceOptions::AtEnd::stop || of_pass_ == 0) {
      of_pass_ += has_next_ ? 1 : 0;
      return has_next_;
    }
    source_.rewind();
    if (is_open() && due_ == pass_begins_) {
      throw sim::OptionError("/workload/at_end", "the repetition of a trace that takes no time",
                             "\"stop\", or the closed loop");
    }
    pass_begins_ = due_;
    first_of_pass_.reset();
    of_pass_ = 0;
    if (is_open() || something_queued_) {
      something_queued_ = false;
      return load();
    }
    return false;  // all of it would be dropped again
  }

  // Open loop: an event for each instant of the trace.

  sim::Time due_of(const TraceStep& step) {
    if (!first_of_pass_) first_of_pass_ = step.at_ps;
    const std::uint64_t since = step.at_ps - *first_of_pass_;
    const double scaled = static_cast<double>(since) * options_.time_scale;
    const auto ps = options_.time_scale == 1 ? static_cast<std::int64_t>(since)
                                             : static_cast<std::int64_t>(std::min(scaled, kLongest));
    due_ = pass_begins_ + sim::Duration::from_ps(ps);
    return due_;
  }
  void expect_arrival() {
    rack_.calendar().at<&TraceWorkload::arrive>(std::max(due_of(next_), rack_.calendar().now()), lane_, *this);
  }
  void arrive() {
    is_blocked_ = false;
    while (!stopping_ && has_next_) {
      if (ahead_ >= kMostAhead) {
        is_blocked_ = true;
        return;
      }
      issue(next_);
      if (!load()) return end_of_trace();
      if (due_of(next_) <= rack_.calendar().now()) continue;
      return expect_arrival();
    }
  }
  void issue(const TraceStep& step) {
    SessionState& session = sessions_[step.session];
    if (session.is_down) {
      ++dropped_.value;
      return;
    }
    ++open_;
    ++session.under_way;
    if (!target_->one_at_a_time()) return tasks_.spawn(session.id.node, operate(session, step));
    if (session.is_busy) ++late_.value;
    session.waiting.push_back(step);
    ++ahead_;
    if (session.is_busy) return;
    session.is_busy = true;
    tasks_.spawn(session.id.node, work_off(session));
  }
  sim::Task<void> operate(SessionState& session, TraceStep step) {
    co_await perform(session, step);
    ended(session);
  }
  sim::Task<void> work_off(SessionState& session) {
    while (!stopping_ && !session.waiting.empty()) {
      const TraceStep step = take(session);
      co_await perform(session, step);
      ended(session);
    }
    if (stopping_) co_await target_->give_back(session.id);
    session.is_busy = false;
  }
  void ended(SessionState& session) {
    --session.under_way;
    if (--open_ == 0 && at_end_) end_of_trace();
  }

  // Closed loop: each session takes what is its own, and reads on for it if need be.

  void begin(SessionState& session) {
    ++open_;
    session.under_way = 1;
    tasks_.spawn(session.id.node, replay(session));
  }
  sim::Task<void> replay(SessionState& session) {
    while (!stopping_) {
      while (session.waiting.empty() && !at_end_ && ahead_ < kMostAhead) read_on();
      if (!session.waiting.empty()) {
        const TraceStep step = take(session);
        co_await perform(session, step);
      } else if (at_end_) {
        break;
      } else {
        co_await session.fed.wait();
      }
    }
    co_await target_->give_back(session.id);
    session.under_way = 0;
    if (--open_ == 0 && at_end_) end_of_trace();
  }
  void read_on() {
    if (!load()) {
      at_end_ = true;
      return wake();
    }
    SessionState& session = sessions_[next_.session];
    if (session.is_down) {
      ++dropped_.value;
      return;
    }
    something_queued_ = true;
    session.waiting.push_back(next_);
    ++ahead_;
    session.fed.notify_all();
  }

  // Both.

  TraceStep take(SessionState& session) {
    const TraceStep step = session.waiting.front();
    session.waiting.pop_front();
    if (--ahead_ == kMostAhead / 2) wake();
    return step;
  }
  /// There is room for records again, or none will come.
  void wake() {
    for (SessionState& session : sessions_) session.fed.notify_all();
    if (is_blocked_) rack_.calendar().at<&TraceWorkload::arrive>(rack_.calendar().now(), lane_, *this);
    is_blocked_ = false;
  }
  sim::Task<void> perform(SessionState& session, TraceStep step) {
    ++replayed_.value;
    try {
      co_await target_->perform(session.id, step);
    } catch (const Unavailable&) {  // an application goes on with something else
    } catch (const TraceRefusal& refusal) {
      source_.refuse(step.position, refusal.found, refusal.expected);
    } catch (const std::invalid_argument& refusal) {  // it has not begun
      source_.refuse(step.position, refusal.what(), "what the protocol can carry out");
    }
    tasks_.operation_ended();
  }

  /// No record will come any more, and what has begun is over or will be.
  void end_of_trace() {
    at_end_ = true;
    if (open_ > 0 || is_over_) return;
    is_over_ = true;
    leave_soon();
    tasks_.nothing_more();
  }
  void tell_end() { tasks_.nothing_more(); }
  void leave_soon() {
    if (std::exchange(leaves_soon_, true)) return;
    rack_.calendar().at<&TraceWorkload::leave>(rack_.calendar().now(), lane_, *this);
  }
  /// Sessions that rest give back what they hold; those at work see that it is over.
  void leave() {
    leaves_soon_ = false;
    wake();
    for (SessionState& session : sessions_) {
      if (session.is_busy || session.is_down || !is_open() || !target_->holds_locks(session.id)) continue;
      session.is_busy = true;
      tasks_.spawn(session.id.node, give_back(session));
    }
  }
  sim::Task<void> give_back(SessionState& session) {
    co_await target_->give_back(session.id);
    session.is_busy = false;
  }

  static constexpr double kLongest = 1e18;  // ps: beyond every run

  Rack& rack_;
  TraceOptions options_;
  TraceSource source_;
  std::unique_ptr<TraceTarget> target_;
  sim::Counter &replayed_, &skipped_, &dropped_, &late_;
  sim::Lane lane_;
  std::deque<SessionState> sessions_;
  TraceStep next_;
  bool has_next_ = false;
  std::uint64_t of_pass_ = 0;      // records read in this pass
  bool something_queued_ = false;  // in this pass
  sim::Time due_, pass_begins_;    // of an open loop: when the last record came, and this pass began
  std::optional<std::uint64_t> first_of_pass_;
  std::size_t ahead_ = 0;    // records that wait in sessions
  std::size_t open_ = 0;     // operations under way or waiting (open loop), or sessions at work (closed)
  bool is_blocked_ = false;  // the clock of an open loop waits for room
  bool at_end_ = false;      // of the trace
  bool is_over_ = false;     // and nothing is under way
  bool leaves_soon_ = false;
  bool stopping_ = false;
  SessionTasks tasks_;
};

const sim::Registration<WorkloadEntry> trace_workload({
    .name = "trace",
    .doc = "what a file says, recorded here or elsewhere, replayed in open or closed loop on a store or a memory",
    .make_options = [] { return std::make_shared<TraceOptions>(); },
});

}  // namespace

std::unique_ptr<Workload> TraceOptions::build(WorkloadContext& context) const {
  return std::make_unique<TraceWorkload>(context, *this);
}

}  // namespace racksim::models
