// The repetitions of a litmus test. See litmus_workload.hpp.
#include "models/workloads/litmus_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/service/oracle_entry.hpp"
#include "models/service/session_tasks.hpp"
#include "models/workloads/litmus_oracle.hpp"
#include "models/workloads/litmus_program.hpp"
#include "models/workloads/litmus_target.hpp"
#include "sim/kernel/waiting.hpp"
#include "sim/options/option_error.hpp"
#include "sim/random/random.hpp"

namespace racksim::models {

using namespace sim::literals;

namespace {

/// A session that does not see a first value, which nobody overwrites, looks again after this time, then after twice as
/// long and so on: 13 times within 4 ms, far longer than any cache here keeps a copy that is being invalidated.
constexpr sim::Duration kFirstLookAgain = 1_us;
constexpr sim::Duration kLastLookAgain = 2048_us;

class LitmusWorkload final : public Workload {
 public:
  LitmusWorkload(WorkloadContext& context, const LitmusOptions& options)
      : rack_(context.rack),
        options_(options),
        program_(options.parsed_program()),
        target_(litmus_target(context, program_)),
        first_writers_(rack_.seed(), "litmus/first-writers"),
        lane_(rack_.calendar().add_lane("workload")),
        stopped_(rack_.calendar()),
        tasks_(rack_.calendar(), target_->session_nodes()) {
    const OperationSet missing = program_.operations().without(target_->offers());
    if (!missing.empty()) {
      throw sim::OptionError(
          "program", fmt::format("a program that needs {}", missing.names()),
          fmt::format("one that needs no more than the protocol offers: {}", target_->offers().names()));
    }
    target_->require_locks(program_.most_locks_held());
    place_sessions();
    std::vector<std::string> places;
    std::vector<sim::Key> keys;
    for (const SessionState& session : sessions_) {
      places.push_back(fmt::format("node{}/thread{}", session.id.node, session.id.thread));
    }
    for (std::size_t object = 0; object < program_.objects.size(); ++object) keys.push_back(target_->key_of(object));
    oracle_ = std::make_shared<LitmusOracle>(program_, options.model, options.declared_outcomes(program_),
                                             std::move(places), std::move(keys), rack_.metrics());
  }

  void warm_up() override { target_->warm_up(); }
  void start() override { repeat(); }
  // Whatever the node had, other sessions' values may be lost with it.
  void node_crashed(NodeId node) override {
    tasks_.node_crashed(node);
    spoil();
    bool over = false;
    for (SessionState& session : sessions_) {
      if (session.id.node == node && std::exchange(session.busy, false)) over = --busy_ == 0;
    }
    if (over) meet();
  }
  // The program needs all of its sessions: while one is down nobody goes on.
  void node_restarted(NodeId) override {
    if (busy_ == 0) meet();
  }
  // Those that wait are woken by an event: whoever stops the workload may be one of its own operations, or stand
  // outside all events.
  void stop() override {
    stopping_ = true;
    rack_.calendar().at<&LitmusWorkload::end_waiting>(rack_.calendar().now(), lane_, *this);
  }
  std::size_t running() const override { return tasks_.running(); }
  std::size_t asleep() const override { return tasks_.asleep(); }
  void notify_after(std::uint64_t operations, std::function<void()> done) override {
    tasks_.notify_after(operations, std::move(done));
  }
  bool uses(sim::Key key) const override {
    for (std::size_t object = 0; object < program_.objects.size(); ++object) {
      if (target_->key_of(object) == key) return true;
    }
    return false;
  }
  std::string used_keys() const override {
    std::string text = "the block or key of an object:";
    for (std::size_t object = 0; object < program_.objects.size(); ++object) {
      text += fmt::format(" {} {}", program_.objects[object].name, sim::printed_key(target_->key_of(object)));
    }
    return text;
  }
  std::shared_ptr<sim::Oracle> oracle() override { return oracle_; }

 private:
  enum class Part : std::uint8_t { give, look, run, end };

  struct SessionState {
    SessionState(std::uint64_t seed, const LitmusSession& of, Session where)
        : session(of),
          id(where),
          starts(seed, fmt::format("litmus/{}/starts", of.name)),
          pauses(seed, fmt::format("litmus/{}/pauses", of.name)),
          looks(seed, fmt::format("litmus/{}/looks", of.name)) {}
    const LitmusSession& session;
    Session id;
    sim::RandomStream starts, pauses, looks;
    bool busy = false;  // with its share of the part
  };

  void place_sessions() {
    const unsigned nodes = target_->session_nodes();
    const auto threads = static_cast<std::uint16_t>(options_.threads);
    std::vector<std::vector<bool>> taken(nodes, std::vector<bool>(threads));
    std::vector<std::optional<Session>> places(program_.sessions.size());
    // Those that say where they are come first, then those that say half of it.
    for (const bool told : {true, false}) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        const LitmusSession& session = program_.sessions[i];
        if (session.thread.has_value() != told) continue;
        places[i] = place(session, i, taken);
        taken[places[i]->node][places[i]->thread] = true;
      }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      sessions_.emplace_back(rack_.seed(), program_.sessions[i], *places[i]);
    }
    repetition_.written.resize(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      repetition_.written[i].resize(program_.sessions[i].operations.size());
    }
    repetition_.read.resize(program_.registers.size());
    repetition_.first.resize(program_.objects.size());
    givers_.resize(program_.objects.size());
  }

  /// The thread that a session asks for or, from its number on, the first free one.
  Session place(const LitmusSession& session, std::size_t number, const std::vector<std::vector<bool>>& taken) const {
    const std::size_t nodes = taken.size(), threads = taken[0].size();
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::size_t node = session.node ? *session.node : (number + i) % nodes;
      for (std::size_t thread = 0; node < nodes && thread < threads; ++thread) {
        if (taken[node][thread] || (session.thread && *session.thread != thread)) continue;
        return {static_cast<NodeId>(node), static_cast<std::uint16_t>(thread)};
      }
    }
    throw sim::OptionError("program",
                           fmt::format("session {} without a free thread{}", session.name,
                                       session.node ? fmt::format(" on node {}", *session.node) : ""),
                           fmt::format("no more sessions than the {} nodes have threads, {} on each", nodes, threads));
  }

  /// Has the next part begin, once the event that calls this is over: parts that take no time would pile up on the
  /// stack.
  void meet() { rack_.calendar().at<&LitmusWorkload::go_on>(rack_.calendar().now(), lane_, *this); }

  void go_on() {
    if (busy_ > 0 || stopping_) return;
    if (!std::all_of(sessions_.begin(), sessions_.end(),
                     [&](const SessionState& session) { return rack_.server(session.id.node).is_on(); })) {
      return;
    }
    if (spoilt_ || part_ == Part::end || (part_ == Part::run && !sessions_.back().session.at_end)) {
      if (spoilt_) {
        oracle_->abandon();
      } else {
        oracle_->judge(repetition_, rack_.calendar().now());
      }
      return repeat();
    }
    begin(part_ == Part::give ? Part::look : part_ == Part::look ? Part::run : Part::end);
  }

  void repeat() {
    if (repetition_.number == options_.repetitions) {
      stopping_ = true;
      return tasks_.nothing_more();
    }
    ++repetition_.number;
    spoilt_ = false;
    for (std::size_t& giver : givers_) giver = first_writers_.below(sessions_.size());
    begin(Part::give);
  }

  void begin(Part part) {
    part_ = part;
    repetition_.begun = rack_.calendar().now();
    busy_ = sessions_.size();
    for (SessionState& session : sessions_) session.busy = true;
    for (std::size_t i = 0; i < sessions_.size(); ++i) tasks_.spawn(sessions_[i].id.node, take_part(i));
  }

  sim::Task<void> take_part(std::size_t index) {
    SessionState& session = sessions_[index];
    switch (part_) {
      case Part::give:
        co_await give(session, index);
        break;
      case Part::look:
        co_await look(session, index);
        break;
      case Part::run:
      case Part::end:
        if (session.session.at_end == (part_ == Part::end)) co_await run(session, index);
    }
    session.busy = false;
    if (--busy_ == 0) meet();
  }

  sim::Task<void> give(SessionState& session, std::size_t index) {
    co_await wait(session, options_.settle);
    for (std::size_t object = 0; object < givers_.size(); ++object) {
      if (givers_[object] != index) continue;
      const auto answer = co_await perform(session, {sim::OperationKind::write, object});
      if (!answer) co_return;
      repetition_.first[object] = answer->written;
    }
    co_await perform(session, {sim::OperationKind::fence});
  }

  sim::Task<void> look(SessionState& session, std::size_t index) {
    for (std::size_t object = 0; object < givers_.size(); ++object) {
      if (!session.looks.chance(options_.looks)) continue;
      for (sim::Duration again = kFirstLookAgain;; again = again * 2) {
        const auto answer = co_await perform(session, {sim::OperationKind::read, object});
        if (!answer) co_return;
        if (answer->read == repetition_.first[object]) break;
        if (again > kLastLookAgain) {
          spoilt_ = true;
          if (!repetition_.others_may_write) {
            oracle_->unseen(repetition_.number, index, object, rack_.calendar().now());
          }
          co_return;
        }
        co_await wait(session, again);
      }
    }
  }

  sim::Task<void> run(SessionState& session, std::size_t index) {
    co_await wait(session, drawn(session.starts, options_.spread));
    const auto& operations = session.session.operations;
    std::vector<std::size_t> held;  // locks, by object
    std::size_t words = 1;          // of a call
    for (std::size_t i = 0; i < operations.size(); i += words) {
      if (i > 0) co_await wait(session, drawn(session.pauses, options_.pause));
      const LitmusOperation& operation = operations[i];
      words = 1;
      while (i + words < operations.size() && operations[i + words].joins) ++words;
      const auto answer = co_await perform(session, {operation.kind, operation.object, operand_of(operation), words});
      if (!answer) {  // the others are not to wait for what it holds
        for (const std::size_t object : held) {
          co_await target_->perform(session.id, {sim::OperationKind::unlock, object});
        }
        co_return;
      }
      if (operation.takes_lock()) held.push_back(operation.object);
      if (operation.kind == sim::OperationKind::unlock) std::erase(held, operation.object);
      for (std::size_t word = 0; word < words; ++word) {
        const LitmusOperation& one = operations[i + word];
        repetition_.written[index][i + word] = answer->written == 0 ? 0 : answer->written + word;
        if (one.reads()) repetition_.read[one.into] = answer->read_of(word);
      }
    }
    co_await perform(session, {sim::OperationKind::fence});
  }

  std::uint64_t operand_of(const LitmusOperation& operation) const {
    if (operation.kind == sim::OperationKind::fetch_and_add) return litmus_addend(operation.value);
    if (operation.kind != sim::OperationKind::compare_and_swap) return 0;
    return operation.expected ? repetition_.read[*operation.expected] : repetition_.first[operation.object];
  }

  /// Nothing if the repetition is spoilt: the workload stops, or the service has given up.
  sim::Task<std::optional<LitmusAnswer>> perform(SessionState& session, LitmusRequest request) {
    if (stopping_) co_return std::nullopt;
    const auto answer = co_await target_->perform(session.id, request);
    if (!answer) spoil();
    tasks_.operation_ended();
    co_return answer;
  }

  sim::Task<void> wait(SessionState& session, sim::Duration length) {
    if (length > sim::Duration{} && !stopping_) {
      const SessionTasks::Sleeper sleeper(tasks_);
      co_await stopped_.wait_for(rack_.server(session.id.node).clock(), length);
    }
  }

  static sim::Duration drawn(sim::RandomStream& random, sim::Duration most) {
    return sim::Duration::from_ps(static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most.ps()) + 1)));
  }

  void spoil() { spoilt_ = repetition_.others_may_write = true; }
  void end_waiting() { stopped_.notify_all(); }

  Rack& rack_;
  LitmusOptions options_;
  LitmusProgram program_;
  std::unique_ptr<LitmusTarget> target_;
  std::vector<SessionState> sessions_;  // as the program's
  std::shared_ptr<LitmusOracle> oracle_;
  sim::RandomStream first_writers_;
  std::vector<std::size_t> givers_;  // by object: the session that gives it its first value
  LitmusRepetition repetition_;
  Part part_ = Part::give;
  std::size_t busy_ = 0;
  bool spoilt_ = false;  // the repetition will not be judged
  sim::Lane lane_;
  sim::Signal stopped_;
  bool stopping_ = false;  // no operation will begin
  SessionTasks tasks_;
};

const sim::Registration<WorkloadEntry> litmus_workload({
    .name = "litmus",
    .doc = "a litmus test of a memory model, repeated with shifted starts, its outcomes counted and judged",
    .make_options = [] { return std::make_shared<LitmusOptions>(); },
});

const sim::Registration<OracleEntry> litmus_oracle({
    .name = "litmus",
    .doc = "a litmus test ends with no outcome that its scenario or its memory model forbids",
    .attach = OracleEntry::AttachWhen::if_promised,
    .make =
        [](OracleContext& context) {
          if (!std::dynamic_pointer_cast<LitmusOracle>(context.of_workload())) {
            throw sim::OptionError("litmus", "a workload that is no litmus test", "the workload \"litmus\"");
          }
          return context.of_workload();
        },
});

}  // namespace

std::unique_ptr<Workload> LitmusOptions::build(WorkloadContext& context) const {
  return std::make_unique<LitmusWorkload>(context, *this);
}

}  // namespace racksim::models
