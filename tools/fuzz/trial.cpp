// Trials and their way out of a child process. See trial.hpp.
#include "tools/fuzz/trial.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <variant>

#include "models/service/protocol.hpp"
#include "tools/experiment/experiment.hpp"
#include "tools/experiment/run_failure.hpp"
#include "tools/fuzz/noise_log.hpp"
#include "tools/json/input_error.hpp"
#include "tools/processes/interruption.hpp"
#include "tools/text/system_error.hpp"
#include "tools/text/units.hpp"

namespace racksim::tools {
namespace {

std::string encode(const TrialResult& result) {
  JsonValue value = JsonValue::object();
  value.set("verdict", static_cast<int>(result.verdict));
  value.set("kinds", array_of(result.kinds));
  value.set("what", result.what);
  value.set("at", result.at.ps());
  value.set("operations", result.operations);
  value.set("events", result.events);
  JsonValue& work = value.set("work", JsonValue::array());
  for (const auto& [part, whole] : result.work) {
    work.push(part);
    work.push(whole);
  }
  value.set("drawn", array_of(result.drawn));
  value.set("hash", result.hash);
  value.set("coverage", result.coverage);
  value.set("noise", result.noise);
  return to_canonical_json(value);
}

TrialResult decode(const std::string& text) {
  const JsonValue value = parse_json(text, "result of a trial");
  TrialResult result;
  result.verdict = static_cast<TrialResult::Verdict>(value.find("verdict")->natural().value());
  for (const auto& kind : *value.find("kinds")->elements()) result.kinds.push_back(*kind.string());
  if (!result.kinds.empty()) result.kind = result.kinds.front();
  result.what = *value.find("what")->string();
  result.at = sim::Time::from_ps(static_cast<std::int64_t>(value.find("at")->natural().value()));
  result.operations = value.find("operations")->natural().value();
  result.events = value.find("events")->natural().value();
  const auto& work = *value.find("work")->elements();
  for (std::size_t i = 0; i + 1 < work.size(); i += 2) {
    result.work.push_back({work[i].natural().value(), work[i + 1].natural().value()});
  }
  for (const auto& index : *value.find("drawn")->elements()) result.drawn.push_back(index.natural().value());
  result.hash = *value.find("hash")->string();
  result.coverage = *value.find("coverage")->string();
  result.noise = *value.find("noise")->string();
  return result;
}

TrialResult result_of(const ChildResult& child) {
  using Ending = ChildResult::Ending;
  if (child.ending == Ending::answered) return decode(child.text);
  if (child.ending == Ending::no_memory) throw SystemError(child.text);
  TrialResult result;
  result.verdict = TrialResult::Verdict::failed;
  result.kind = child.ending == Ending::threw ? "exception" : child.ending == Ending::killed ? "crash" : "hang";
  result.kinds = {result.kind};
  result.what = child.text;
  return result;
}

}  // namespace

bool TrialResult::shows(const std::string& wanted) const {
  return std::find(kinds.begin(), kinds.end(), wanted) != kinds.end();
}

void keep_checking(JsonValue& document, const TrialResult& failure) {
  if (failure.shows(kInvariant)) document.set_dotted("run.check_invariants", true);
}

std::string description(const TrialResult& failure) {
  return fmt::format("{} at {}: {}", failure.kind, sim::printed(failure.at), failure.what);
}

std::chrono::milliseconds wall_clock_limit(const std::string& command, const std::string& option,
                                           const std::string& text) {
  std::chrono::milliseconds limit{};
  try {
    limit = std::chrono::milliseconds(parse_length(text).ps() / 1'000'000'000);
  } catch (const UnitError& error) {
    throw InputError(command, option, quote(text), error.what());
  }
  if (limit.count() == 0) throw InputError(command, option, quote(text), "at least \"1ms\" of real time");
  return limit;
}

namespace {

const models::ProtocolEntry* entry_of(const Scenario& scenario) {
  for (const auto& protocol : models::protocols()) {
    if (protocol.name == scenario.protocol.name) return &protocol;
  }
  return nullptr;
}

std::uint64_t counter(const sim::Metrics& metrics, const std::string& name) {
  const sim::Metric* metric = metrics.find(name);
  if (metric == nullptr)
    throw std::runtime_error(fmt::format("a share of the work names the counter '{}', which is not there", name));
  return std::get<sim::Counter>(metric->value).value;
}

}  // namespace

const sim::CoverageMap& coverage_map(const Scenario& scenario) {
  static const sim::CoverageMap none;
  const auto* entry = entry_of(scenario);
  return entry ? entry->coverage : none;
}

const std::vector<models::WorkShare>& work_shares(const Scenario& scenario) {
  static const std::vector<models::WorkShare> none;
  const auto* entry = entry_of(scenario);
  return entry ? entry->work_shares : none;
}

TrialResult run_trial(const Scenario& original, const TrialPlan& plan) {
  Scenario scenario = original;
  if (!plan.expectations) scenario.expect = {};
  scenario.observe = {};
  scenario.run.check_invariants = true;
  sim::Metrics metrics;
  sim::Coverage coverage(coverage_map(scenario));
  TrialResult result;
  try {
    NoiseLog noise;
    AttachObservers attach_observers;
    if (plan.detail == TrialDetail::noise)
      attach_observers = [&](models::Rack& rack, const models::Protocol&) { noise.attach(rack); };
    const RunResult run = run_experiment(scenario, metrics, "", {},
                                         plan.detail == TrialDetail::coverage ? &coverage : nullptr, attach_observers);
    result.verdict = run.pass ? TrialResult::Verdict::passed : TrialResult::Verdict::failed;
    result.operations = run.operations;
    result.events = run.events;
    result.hash = run.hash.hex();
    if (plan.detail == TrialDetail::coverage) result.coverage = coverage.text();
    if (plan.detail == TrialDetail::noise) result.noise = noise_text(noise.effects());
    for (const auto& share : work_shares(scenario)) {
      result.work.push_back({counter(metrics, share.part), counter(metrics, share.whole)});
    }
    std::vector<sim::Violation> violations = run.violations;
    // The earliest is the closest to the cause; what is noticed at the end is often its consequence.
    std::stable_sort(violations.begin(), violations.end(), [](const auto& a, const auto& b) { return a.at < b.at; });
    for (const std::string& failed : run.failed_expectations) {
      violations.push_back({"expectation", run.simulated, failed, {}});
    }
    for (const auto& violation : violations) {
      if (!result.shows(violation.oracle)) result.kinds.push_back(violation.oracle);
    }
    if (!violations.empty()) {
      result.kind = violations.front().oracle;
      result.what = violations.front().what;
      result.at = violations.front().at;
    }
  } catch (const InputError& error) {
    result.verdict = TrialResult::Verdict::refused;
    result.what = error.what();
  } catch (const InvariantFailure& broken) {
    result.verdict = TrialResult::Verdict::failed;
    result.kind = kInvariant;
    result.kinds = {kInvariant};
    result.what = broken.what();
    result.at = broken.at();
  }
  return result;
}

void run_trials(const TrialLimits& limits, const Trial& trial, const std::function<bool(std::uint64_t)>& wanted,
                const std::function<bool(std::uint64_t, const TrialResult&)>& take, const std::function<void()>& idle,
                std::uint64_t redraws) {
  ChildProcesses children(limits.jobs, limits.wall_clock, ChildErrors::captured);
  std::map<std::uint64_t, std::uint64_t> redrawn;  // of those that run
  std::map<std::uint64_t, TrialResult> ended;      // those that earlier ones hold up
  std::uint64_t next = 0, due = 0;
  auto last_idle = std::chrono::steady_clock::now();
  std::vector<std::uint64_t> again;  // to be drawn anew
  const auto start = [&](std::uint64_t number) {
    return children.start(number, [&trial, number, redraw = redrawn[number]] { return encode(trial(number, redraw)); });
  };
  for (;;) {
    while (children.has_room() && !interrupted() && !again.empty()) {
      if (start(again.back())) again.pop_back();
    }
    while (children.has_room() && !interrupted() && wanted(next)) {
      if (start(next)) ++next;
    }
    if (children.running() == 0 || interrupted()) return;
    if (const auto child = children.wait(std::chrono::milliseconds(100))) {
      TrialResult result = result_of(*child);
      result.redraws = redrawn[child->id];
      if (result.verdict == TrialResult::Verdict::refused && result.redraws < redraws) {
        ++redrawn[child->id];
        again.push_back(child->id);
      } else {
        redrawn.erase(child->id);
        ended.emplace(child->id, std::move(result));
      }
    }
    for (auto first = ended.begin(); first != ended.end() && first->first == due; first = ended.erase(first), ++due) {
      if (!take(due, first->second)) return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (idle && now - last_idle >= std::chrono::milliseconds(100)) {
      last_idle = now;
      idle();
    }
  }
}

TrialResult try_once(const TrialLimits& limits, const std::function<TrialResult()>& trial) {
  TrialResult result;
  run_trials(
      limits, [&](std::uint64_t, std::uint64_t) { return trial(); }, [](std::uint64_t number) { return number == 0; },
      [&](std::uint64_t, const TrialResult& answer) {
        result = answer;
        return true;
      });
  return result;
}

}  // namespace racksim::tools
