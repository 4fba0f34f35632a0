// The phases of a run. See experiment.hpp.
#include "tools/experiment/experiment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>

#include "models/faults/faults.hpp"
#include "models/service/memory_service.hpp"
#include "models/service/protocol.hpp"
#include "models/workloads/workload.hpp"
#include "sim/checkers/history_oracle.hpp"
#include "sim/oracles/answer_oracle.hpp"
#include "sim/oracles/conservation_oracle.hpp"
#include "sim/oracles/data_value_oracle.hpp"
#include "sim/oracles/lock_fairness_oracle.hpp"
#include "sim/oracles/memory_model_oracle.hpp"
#include "sim/oracles/mutual_exclusion_oracle.hpp"
#include "sim/oracles/progress_oracle.hpp"
#include "sim/oracles/quiescence_oracle.hpp"
#include "sim/oracles/served_oracle.hpp"
#include "sim/oracles/single_writer_oracle.hpp"
#include "sim/oracles/torn_oracle.hpp"
#include "sim/oracles/values_at_rest_oracle.hpp"
#include "sim/record/trace.hpp"
#include "sim/simgrid/engine.hpp"
#include "tools/experiment/expectations.hpp"
#include "tools/experiment/machine_needs.hpp"
#include "tools/experiment/run_metrics.hpp"
#include "tools/files/write_file.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/interruption.hpp"

namespace racksim::tools {

namespace {

using namespace sim::literals;

/// Observations, without an operation ending, after which a run goes in circles: at the rates of a busy rack they are
/// tens of thousands of operations. Not calendar events, whose number depends on the execution mode.
constexpr std::uint64_t kLivelockObservations = 5'000'000;

sim::ScheduleOrder order_of(const RunPlan& plan) {
  switch (plan.order) {
    case TieOrder::fifo:
      return {sim::ScheduleOrder::Kind::fifo, 0};
    case TieOrder::lifo:
      return {sim::ScheduleOrder::Kind::lifo, 0};
    case TieOrder::shuffle:
      break;
  }
  return {sim::ScheduleOrder::Kind::shuffle, plan.shuffle_seed};
}

models::RackOptions rack_options(const Scenario& scenario) {
  auto options = *std::static_pointer_cast<models::RackOptions>(scenario.rack.options);
  options.network_switch.passes =
      scenario.run.execution == Execution::stepped ? models::PassMode::stepped : models::PassMode::fused;
  options.network_switch.skip_idle_passes = scenario.run.idle_passes == IdlePasses::skip;
  options.faults.jitter = scenario.run.jitter;
  return options;
}

/// How long a lost packet may go unnoticed: until the protocol's longest timeout ends, and before it the NIC's.
sim::Duration longest_patience(const Scenario& scenario) {
  const auto rack = rack_options(scenario);
  const auto protocol = std::static_pointer_cast<models::ProtocolOptions>(scenario.protocol.options);
  return protocol->longest_timeout(rack) + rack.nic.rc_retransmission_timeout;
}

/// Application threads.
std::uint64_t sessions(const Scenario& scenario) {
  const models::RackOptions rack = rack_options(scenario);
  const auto workload = std::static_pointer_cast<models::WorkloadOptions>(scenario.workload.options);
  return std::uint64_t{rack.roles.of(rack.nodes).compute_nodes} * workload->threads_per_node();
}

/// How long nothing may end while a fault lasts: those who wait for a server that is gone wait until they give up.
sim::Duration stall_under_faults(const Scenario& scenario) {
  return scenario.run.stall +
         std::static_pointer_cast<models::ProtocolOptions>(scenario.protocol.options)->gives_up_after();
}

/// How long a fault may have after-effects: what is still disturbed by then would not come to rest either.
sim::Duration settling(const RunPlan& run) {
  return run.settling == sim::Duration{} ? run.drain : run.settling;
}

/// Counts the operations that end, by interval of simulated time.
class OperationSeries final : public sim::Observer {
 public:
  explicit OperationSeries(sim::TimeSeries& series) : series_(series) {}
  void observe(const sim::Observation& observation) override {
    if (observation.what == sim::Observed::operation_ended) series_.add(observation.at);
  }

 private:
  sim::TimeSeries& series_;
};

/// What the protocol says that crashes have undone.
class LostWriteList final : public sim::Observer {
 public:
  explicit LostWriteList(const sim::Journal& journal) : journal_(journal) {}
  void observe(const sim::Observation& observation) override {
    if (observation.what != sim::Observed::write_lost) return;
    ++count_;
    const auto lost = sim::LostWriteView::of(observation);
    if (kept_.size() < kKept) {
      kept_.push_back({lost.key, lost.value, journal_.name(observation.source), observation.at, lost.why});
    }
  }
  std::uint64_t count() const { return count_; }
  const std::vector<LostWrite>& kept() const { return kept_; }

 private:
  static constexpr std::size_t kKept = 1000;

  const sim::Journal& journal_;
  std::uint64_t count_ = 0;
  std::vector<LostWrite> kept_;
};

class Run final : sim::StateVisitor {
 public:
  Run(const Scenario& scenario, sim::Metrics& metrics, const std::string& folder, const Progress& progress,
      sim::Coverage* coverage)
      : scenario_(fitting(scenario)),
        metrics_(metrics),
        progress_(progress),
        coverage_(coverage),
        calendar_(order_of(scenario.run), warms_itself(scenario) ? sim::Time{} : kWarmUpBegins),
        lane_(calendar_.add_lane("experiment")),
        rack_(build_rack(metrics)),
        data_value_(journal_),
        progress_oracle_(journal_),
        served_(journal_, {scenario.run.expect_timeouts, longest_patience(scenario), settling(scenario.run),
                           [this](std::uint64_t key) { return protocol_->fate_of(key); }}),
        returned_key_(sim::StrayAnswer::wrong_key, journal_),
        answered_once_(sim::StrayAnswer::repeated, journal_),
        torn_(journal_),
        mutual_exclusion_(journal_),
        lock_fairness_(journal_, sim::LockFairnessOracle::leases(sessions(scenario))),
        lost_writes_(journal_) {
    journal_.fold_configuration(behavioural_configuration(scenario), scenario.seed);
    build_protocol();
    if (may_lose_writes_) data_value_.expect_losses();
    rack_->observe_crashes(*workload_);  // tasks go before the state that they use
    rack_->observe_crashes(*protocol_);
    add_faults();
    attach_observers(metrics, folder);
  }

  RunResult run(const Onlooker& onlooker) {
    const auto wall_begin = std::chrono::steady_clock::now();
    warm_up();
    if (!oracles_.empty() || check_values_) protocol_->show_state(*this);
    for (sim::Oracle* oracle : oracles_) journal_.attach(*oracle);
    if (check_values_) attach_last_values();
    if (history_) journal_.attach(*history_);
    journal_.attach(lost_writes_);
    if (onlooker) onlooker(*rack_, *protocol_);

    sim::Engine engine(calendar_, sim::Time{} + scenario_.run.time_limit);
    engine_ = &engine;
    engine.look_in([this] { stop_if_interrupted([this] { return so_far(); }); });
    for (std::size_t node = 0; node < rack_->nodes(); ++node) engine.add_host(fmt::format("node{}", node));
    protocol_->add_actors(engine);
    faults_->start();
    workload_->start();
    if (scenario_.run.warmup.operations) {
      workload_->notify_after(*scenario_.run.warmup.operations, [this] { begin_measuring(); });
    } else {
      calendar_.at<&Run::begin_measuring>(sim::Time{} + scenario_.run.warmup.time, lane_, *this);
    }
    calendar_.at<&Run::checkpoint>(sim::Time{} + ladder_.interval(), lane_, *this);
    const sim::Engine::Outcome outcome = run_to_the_end(engine);
    if (phase_ == Phase::measure) protocol_->stop_measuring();
    judge(outcome);
    result_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall_begin).count();
    return std::move(result_);
  }

  const models::Workload& workload() const { return *workload_; }

 private:
  // Warm-up by the protocol itself takes time before time zero. Far more than enough.
  static constexpr sim::Time kWarmUpBegins = sim::Time::from_ps(-1'000'000'000'000'000);
  static bool warms_itself(const Scenario& scenario) {
    return std::static_pointer_cast<models::ProtocolOptions>(scenario.protocol.options)->warms_itself();
  }

  /// A protocol that is warmed up by itself has been at work: all of that comes to its end, and counts for nothing.
  void warm_up() {
    workload_->warm_up();
    if (calendar_.now() == sim::Time{}) return;
    const std::uint64_t still_under_way = 100'000'000;  // events: a protocol that does not come to rest
    for (std::uint64_t events = 0; calendar_.run_one(sim::Time::from_ps(-1)); ++events) {
      if (events == still_under_way) throw std::logic_error("the warm-up does not come to rest");
    }
    metrics_.clear_counts();
    calendar_.skip_to(sim::Time{});
    warm_events_ = calendar_.executed();
  }

  enum class Phase : std::uint8_t { warm_up, measure, drain, over };

  /// The scenario, if this machine has the memory for it: before anything is built.
  static const Scenario& fitting(const Scenario& scenario) {
    check_needs(scenario, machine_needs(scenario), available_memory());
    return scenario;
  }

  /// `why` is a sentence of the part that would not be built.
  InputError misfit(const std::string& pointer, const std::string& part, const std::string& why,
                    const std::string& expected) const {
    return {scenario_.file, pointer, fmt::format("{}: {}", part, why), expected};
  }

  std::unique_ptr<models::Rack> build_rack(sim::Metrics& metrics) {
    try {
      return std::make_unique<models::Rack>(calendar_, journal_, metrics, rack_options(scenario_), scenario_.seed);
    } catch (const std::runtime_error& error) {
      throw misfit("/rack", "constants that do not fit", error.what(), "constants that fit each other");
    }
  }

  void build_protocol() {
    const auto protocol = std::static_pointer_cast<models::ProtocolOptions>(scenario_.protocol.options);
    const auto workload = std::static_pointer_cast<models::WorkloadOptions>(scenario_.workload.options);
    may_lose_writes_ = protocol->may_lose_writes();
    try {
      models::ProtocolContext context{*rack_, workload->threads_per_node(), coverage_};
      protocol_ = protocol->build(context);
    } catch (const std::runtime_error& error) {
      throw misfit("/protocol/" + scenario_.protocol.name, "options that do not fit", error.what(),
                   "options that fit the rack");
    }
    try {
      models::WorkloadContext context{*rack_, *protocol_};
      workload_ = workload->build(context);
    } catch (const std::runtime_error& error) {
      throw misfit("/workload", "options that do not fit", error.what(), "options that fit the rack and its protocol");
    }
  }

  void add_faults() {
    faults_ = std::make_unique<models::FaultSchedule>(*rack_);
    for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
      const auto& [kind, options, parameters] = scenario_.faults[i];
      try {
        faults_->add(kind, std::static_pointer_cast<models::Fault>(options));
      } catch (const std::runtime_error& error) {
        throw misfit(fmt::format("/faults/{}", i), fmt::format("a \"{}\" that does not fit", kind), error.what(),
                     "a fault that fits the rack");
      }
    }
  }

  void attach_observers(sim::Metrics& metrics, const std::string& folder) {
    for (const OracleSwitch& check : scenario_.checks) {
      if (!check.on) continue;
      if (check.name == "single-writer") oracles_.push_back(&single_writer_);
      if (check.name == "data-value") oracles_.push_back(&data_value_);
      if (check.name == "progress") oracles_.push_back(&progress_oracle_);
      if (check.name == "served") oracles_.push_back(&served_);
      if (check.name == "quiescence") oracles_.push_back(&quiescence_);
      if (check.name == "returned-key") oracles_.push_back(&returned_key_);
      if (check.name == "answered-once") oracles_.push_back(&answered_once_);
      if (check.name == "torn") oracles_.push_back(&torn_);
      if (check.name == "mutual-exclusion") oracles_.push_back(&mutual_exclusion_);
      if (check.name == "lock-fairness") {
        oracles_.push_back(&lock_fairness_);
        most_overtakings_ = &metrics.counter("locks.most_overtakings", "requests",
                                             "that began later and had the lock before the one that fared worst");
      }
      for (const auto model : {sim::MemoryModel::sc, sim::MemoryModel::tso, sim::MemoryModel::pso}) {
        if (check.name == to_string(model)) check_memory_model(model);
      }
      if (workload_->oracle() != nullptr && check.name == workload_->oracle()->name()) {
        oracles_.push_back(workload_->oracle());
      }
      if (check.name == "packet-conservation") check_conservation_ = true;
      if (check.name == "values-at-rest") {
        check_values_ = true;
        const auto* memory = dynamic_cast<const models::MemoryService*>(&protocol_->service());
        if (memory &&
            (memory->shape().writes_return_early || memory->shape().offers.has(sim::OperationKind::compare_and_swap))) {
          performed_ = std::make_unique<sim::MemoryModelOracle>(sim::MemoryModel::pso, journal_);
          if (may_lose_writes_) performed_->expect_losses();
        }
      }
      for (const sim::checkers::HistoryCheck& history : sim::checkers::history_checks()) {
        if (check.name == history.name) check_history(history, metrics);
      }
    }
    if (scenario_.observe.series_interval > sim::Duration{}) {
      series_ = std::make_unique<OperationSeries>(metrics.time_series("operations_over_time", "operations",
                                                                      "operations ended, by interval of simulated time",
                                                                      scenario_.observe.series_interval));
      journal_.attach(*series_);
    }
    if (!scenario_.observe.trace.empty()) {
      trace_file_.emplace(std::filesystem::path(folder) / scenario_.observe.trace, scenario_.file, "/observe/trace");
      trace_ = std::make_unique<sim::JsonLinesTrace>(journal_, trace_file_->stream(),
                                                     sim::Time{} + scenario_.observe.trace_from,
                                                     sim::Time{} + scenario_.observe.trace_until);
      journal_.attach(*trace_);
    }
  }

  /// What the values at rest are compared with: the last writes, as clients saw them. Behind store buffers, and after
  /// atomic operations, only the protocol knows which write was the last.
  void attach_last_values() {
    if (performed_) {
      journal_.attach(*performed_);
      values_at_rest_.emplace(*performed_);
      return;
    }
    if (std::find(oracles_.begin(), oracles_.end(), &data_value_) == oracles_.end()) journal_.attach(data_value_);
    values_at_rest_.emplace(data_value_);
  }

  void check_memory_model(sim::MemoryModel model) {
    const std::string name(to_string(model));
    if (dynamic_cast<const models::MemoryService*>(&protocol_->service()) == nullptr) {
      throw misfit("/check/" + name, "an oracle that cannot judge",
                   fmt::format("\"{}\" does not tell when its writes are performed", scenario_.protocol.name),
                   "a protocol with a memory service, or \"sequential\" for each key alone");
    }
    memory_models_.push_back(std::make_unique<sim::MemoryModelOracle>(model, journal_));
    if (may_lose_writes_) memory_models_.back()->expect_losses();
    oracles_.push_back(memory_models_.back().get());
  }

  void check_history(const sim::checkers::HistoryCheck& check, sim::Metrics& metrics) {
    if (!history_) {
      history_ = std::make_unique<sim::checkers::HistoryRecorder>(scenario_.history.budget);
      kept_operations_ = &metrics.counter("history.operations", "operations", "recorded for the checks of histories");
      dropped_operations_ =
          &metrics.counter("history.dropped_operations", "operations", "not recorded, all those of their keys");
    }
    history_oracles_.push_back(std::make_unique<sim::checkers::HistoryOracle>(check, *history_, journal_));
    oracles_.push_back(history_oracles_.back().get());
  }

  void begin_measuring() {
    if (phase_ != Phase::warm_up) return;
    phase_ = Phase::measure;
    measure_begin_ = calendar_.now();
    protocol_->start_measuring();
    if (scenario_.run.measure.operations) {
      workload_->notify_after(*scenario_.run.measure.operations, [this] { end_measuring(); });
    } else {
      calendar_.after<&Run::end_measuring>(scenario_.run.measure.time, lane_, *this);
    }
  }

  void end_measuring() {
    if (phase_ != Phase::measure) return;
    phase_ = Phase::drain;
    result_.measured = calendar_.now() - measure_begin_;
    protocol_->stop_measuring();
    result_.operations = protocol_->service().measured_operations();
    faults_->heal();
    workload_->stop();
    drain_end_ = calendar_.now() + scenario_.run.drain;
    look_for_rest();
  }

  // Here, at checkpoints and at the end the switch is settled first, so that what is seen, and so the run's length, its
  // verdict and its hash, is the same however passes are executed.
  void look_for_rest() {
    rack_->chassis().settle();
    const bool rest = workload_->running() == 0 && protocol_->quiescent() &&
                      rack_->packets_in_flight() == rack_->chassis().packets_circulating();
    if (rest || calendar_.now() >= drain_end_) {
      phase_ = Phase::over;
      at_rest_ = rest;
      engine_->finish();
      return;
    }
    calendar_.after<&Run::look_for_rest>(rack_->options().rtt, lane_, *this);
  }

  void checkpoint() {
    rack_->chassis().settle();
    ladder_.add(calendar_.now());
    const std::uint64_t ended = journal_.count(sim::Observed::operation_ended);
    const std::uint64_t given_up = journal_.count(sim::Observed::operation_given_up);
    if (progress_) progress_(calendar_.now(), ended);
    const std::uint64_t observations = journal_.count();
    // Where a fault lasts a session that gives up goes on too.
    const bool goes_on = ended != ended_before_ || (faults_->in_force() && given_up != given_up_before_);
    ended_before_ = ended;
    given_up_before_ = given_up;
    if (goes_on) {
      last_progress_ = calendar_.now();
      observations_before_ = observations;
    } else if (observations - observations_before_ >= kLivelockObservations) {
      give_up("livelock",
              fmt::format("no operation has ended for {} observations: packets sent, delivered and dropped, "
                          "writes of switch state and the like",
                          observations - observations_before_));
      engine_->finish();
      return;
    } else if (phase_ != Phase::drain) {
      look_for_stall();
    }
    calendar_.after<&Run::checkpoint>(ladder_.interval(), lane_, *this);
  }

  void look_for_stall() {
    const sim::Duration idle = calendar_.now() - last_progress_;
    if (idle < scenario_.run.stall) return;
    // Nobody is left to issue any when all clients have crashed for good: that ends the phase and breaks no promise.
    if (workload_->running() > 0 || protocol_->service().pending_operations() > 0) {
      if (faults_->in_force() && idle < stall_under_faults(scenario_)) return;
      give_up("stall", fmt::format("no operation has ended for {} ns", idle.ns()));
    }
    begin_measuring();  // so that there is a measured phase, however empty, to end
    end_measuring();
  }

  std::string so_far() const {
    return fmt::format("{:.3f} ms of simulated time have passed, {} operations have ended",
                       calendar_.now().seconds() * 1e3, journal_.count(sim::Observed::operation_ended));
  }

  /// Ends, as a livelock does, where the protocol has come to a pair that its table does not define.
  sim::Engine::Outcome run_to_the_end(sim::Engine& engine) {
    try {
      return engine.run();
    } catch (const models::UndefinedTransition& undefined) {
      result_.violations.push_back({"undefined-transition", calendar_.now(), undefined.what(), undefined.subject()});
      ++result_.violation_count;
      return sim::Engine::Outcome::finished;
    }
  }

  void give_up(const char* kind, const std::string& what) {
    result_.violations.push_back(
        {kind, calendar_.now(),
         fmt::format("{}; {} have begun and not ended", what, protocol_->service().pending_operations())});
    ++result_.violation_count;
  }

  void judge(sim::Engine::Outcome outcome) {
    const sim::Time now = calendar_.now();
    rack_->chassis().settle();
    if (outcome != sim::Engine::Outcome::finished) {
      result_.violations.push_back(
          {"time-limit", now,
           fmt::format("the run reached its time limit before {}",
                       phase_ == Phase::drain ? "it came to rest" : "the measured phase was over")});
      ++result_.violation_count;
    }
    if (history_) {
      kept_operations_->value = history_->recorded_operations();
      dropped_operations_->value = history_->dropped_operations();
    }
    for (models::Leak& leak : protocol_->leaks()) {
      quiescence_.report(leak.kind, now, std::move(leak.what), std::move(leak.subject));
    }
    for (sim::Oracle* oracle : oracles_) finish(*oracle);
    if (most_overtakings_) most_overtakings_->value = lock_fairness_.most_overtakings();
    if (check_values_ && at_rest_) {
      protocol_->show_state(*values_at_rest_);
      finish(*values_at_rest_);
    }
    if (check_conservation_) {
      const models::PacketCensus& census = rack_->census();
      const models::SwitchChassis& chassis = rack_->chassis();
      for (const auto& violation :
           {sim::check_conservation({census.created(), census.copied(), census.delivered(), census.absorbed(),
                                     census.dropped(), rack_->packets_in_flight()},
                                    now),
            sim::check_conservation("the packet buffer", chassis.buffer_balance(), now),
            sim::check_conservation("the queues of the packet buffer", chassis.queue_balance(), now)}) {
        if (!violation) continue;
        result_.violations.push_back(*violation);
        ++result_.violation_count;
      }
    }
    result_.lost_writes = lost_writes_.kept();
    result_.lost_write_count = lost_writes_.count();
    protocol_->record_final_state();
    if (trace_file_) trace_file_->keep();
    result_.hash = journal_.hash();
    result_.ladder = ladder_.finish(now);
    result_.events = calendar_.executed() - warm_events_;
    result_.simulated = now;
    result_.pass = result_.violation_count == 0;
  }

  void finish(sim::Oracle& oracle) {
    oracle.finish(calendar_.now());
    result_.violations.insert(result_.violations.end(), oracle.violations().begin(), oracle.violations().end());
    result_.violation_count += oracle.violation_count();
  }

  // What warm-up left behind.
  void home(std::uint64_t key, std::uint64_t value) override {
    data_value_.initial_value(key, value);
    for (const auto& model : memory_models_) model->initial_value(key, value);
    if (performed_) performed_->initial_value(key, value);
    if (history_) history_->initial_value(key, value);
  }
  void copy(std::uint64_t key, sim::Holder holder, std::uint64_t value, sim::CopyState state) override {
    const bool dirty = state == sim::CopyState::dirty;
    if (dirty) home(key, value);
    if (holder.is_switch()) return;
    const auto permission = dirty ? sim::Permission::write : sim::Permission::read;
    single_writer_.observe({sim::Time{},
                            sim::Observed::permission,
                            {},
                            0,
                            {key, holder.number(), static_cast<std::uint64_t>(permission)}});
  }
  void lost(std::uint64_t) override {}

  const Scenario& scenario_;
  sim::Metrics& metrics_;
  std::uint64_t warm_events_ = 0;  // executed before the run
  const Progress& progress_;
  sim::CoverageProbe coverage_;
  sim::Calendar calendar_;
  sim::Lane lane_;
  sim::Journal journal_;
  LadderBuilder ladder_{journal_};
  std::unique_ptr<models::Rack> rack_;
  std::unique_ptr<models::Protocol> protocol_;
  std::unique_ptr<models::Workload> workload_;
  std::unique_ptr<models::FaultSchedule> faults_;
  sim::Engine* engine_ = nullptr;

  sim::SingleWriterOracle single_writer_;
  sim::DataValueOracle data_value_;
  sim::ProgressOracle progress_oracle_;
  sim::ServedOracle served_;
  sim::AnswerOracle returned_key_, answered_once_;
  sim::TornOracle torn_;
  sim::MutualExclusionOracle mutual_exclusion_;
  sim::LockFairnessOracle lock_fairness_;
  std::vector<std::unique_ptr<sim::MemoryModelOracle>> memory_models_;
  LostWriteList lost_writes_;
  bool may_lose_writes_ = false;
  sim::QuiescenceOracle quiescence_;
  std::unique_ptr<sim::MemoryModelOracle> performed_;  // notes what memory holds, if data-value cannot tell
  std::optional<sim::ValuesAtRestOracle> values_at_rest_;
  std::unique_ptr<sim::checkers::HistoryRecorder> history_;  // if a check needs it
  sim::Counter* most_overtakings_ = nullptr;                 // if the fairness of locks is watched
  sim::Counter* kept_operations_ = nullptr;
  sim::Counter* dropped_operations_ = nullptr;
  std::vector<std::unique_ptr<sim::checkers::HistoryOracle>> history_oracles_;
  std::vector<sim::Oracle*> oracles_;
  bool check_conservation_ = false, check_values_ = false;
  std::unique_ptr<OperationSeries> series_;
  std::optional<DraftFile> trace_file_;
  std::unique_ptr<sim::JsonLinesTrace> trace_;

  Phase phase_ = Phase::warm_up;
  bool at_rest_ = false;  // at the end
  sim::Time measure_begin_, drain_end_;
  sim::Time last_progress_;
  std::uint64_t ended_before_ = 0;         // operations ended at the last checkpoint
  std::uint64_t given_up_before_ = 0;      // and given up
  std::uint64_t observations_before_ = 0;  // made by then
  RunResult result_;
};

}  // namespace

namespace {

/// What the scenario's run registers. Builds it and runs nothing.
void register_metrics(const Scenario& scenario, sim::Metrics& metrics) {
  const Progress none;
  Scenario untraced = scenario;  // a trace file would be emptied
  untraced.observe.trace.clear();
  const Run run(untraced, metrics, "", none, nullptr);
}

}  // namespace

std::vector<std::string> metric_names(const Scenario& scenario) {
  sim::Metrics metrics;
  register_metrics(scenario, metrics);
  return metric_names_in(metrics);
}

void check_experiment(const Scenario& scenario) {
  sim::Metrics metrics;
  register_metrics(scenario, metrics);
  check_expected_metrics(scenario, metrics);
}

void check_key(const Scenario& scenario, std::uint64_t key, const Place& place) {
  sim::Metrics metrics;
  const Progress none;
  Scenario untraced = scenario;
  untraced.observe.trace.clear();
  const Run run(untraced, metrics, "", none, nullptr);
  const models::Workload& workload = run.workload();
  if (!workload.uses(key)) place.refuse(sim::printed_key(key), workload.used_keys());
}

RunResult run_experiment(const Scenario& scenario, sim::Metrics& metrics, const std::string& report_folder,
                         const Progress& progress, sim::Coverage* coverage, const Onlooker& onlooker) {
  Run run(scenario, metrics, report_folder, progress, coverage);
  check_expected_metrics(scenario, metrics);
  RunResult result = run.run(onlooker);
  judge_expectations(scenario, metrics, result);
  return result;
}

}  // namespace racksim::tools
