// Putting runs together and telling what they came to. See protocol_run.hpp.
#include "tests/protocols/protocol_run.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>

#include "tools/json/json_document.hpp"
#include "tools/scenario/scenario_parts.hpp"

namespace racksim::testing {

namespace {

constexpr const char* kTest = "test";  // stands for the file in errors
constexpr std::size_t kMostLines = 100;

/// Tests crash nodes by hand too.
tools::Watch::Terms terms_of(const tools::Scenario& scenario) {
  tools::Watch::Terms terms = tools::watch_terms(scenario);
  terms.of_oracles.may_lose_writes = true;
  return terms;
}

tools::Scenario scenario_of(const RunSetup& setup, tools::BoundOptions<models::ProtocolOptions> protocol,
                            tools::BoundOptions<models::WorkloadOptions> workload) {
  tools::Scenario scenario;
  scenario.file = kTest;
  scenario.seed = setup.seed;
  scenario.rack = tools::bound<models::RackOptions>("rack", setup.rack);
  scenario.protocol = std::move(protocol);
  scenario.workload = std::move(workload);
  scenario.run = setup.plan;
  tools::JsonValue check = tools::parse_json(setup.check, kTest);
  if (dynamic_cast<const models::ScriptOptions*>(scenario.workload.options.get()) != nullptr) {
    // The test may ask for nothing as long as it likes.
    scenario.run.measure = {models::Fault::kEver, std::nullopt};
    if (scenario.run.stall == tools::RunPlan{}.stall) scenario.run.stall = models::Fault::kEver;
    // It holds messages back and makes some up: who waits or answers what then, no protocol declares.
    for (const char* oracle : {"bounded-waiting", "lock-fairness", "cost"}) {
      if (check.find(oracle) == nullptr) check.set(oracle, false);
    }
  }
  scenario.faults = setup.faults;
  scenario.checks = tools::read_checks(&check, {kTest, "/check"}, tools::promised_oracles(scenario),
                                       tools::built_in_catalogue().oracles, scenario.history);
  return scenario;
}

}  // namespace

void RunSetup::add_fault(const std::string& kind, const std::string& options) {
  const auto catalogue = tools::built_in_catalogue();
  const auto* entry = tools::find_entry(catalogue.faults, kind);
  if (entry == nullptr) throw std::logic_error("there is no fault \"" + kind + '"');
  tools::BoundOptions<models::Fault> fault{{kind, {}}, nullptr};
  fault.options = entry->make(fault.parameters);
  tools::bind(tools::parse_json(options, kTest), {kTest, "/faults"}, fault.parameters);
  faults.push_back(std::move(fault));
}

void RunSetup::draw_faults(sim::Duration beginning, const std::vector<std::string>& kinds) {
  sim::RandomStream menu(seed, "faults");
  for (models::DrawnFault& drawn : models::draw_faults(menu, {rack.nodes, beginning, {}}, kinds)) {
    tools::BoundOptions<models::Fault> fault{{drawn.kind, {}}, std::move(drawn.fault)};
    fault.options->declare(fault.parameters);
    faults.push_back(std::move(fault));
  }
}

ProtocolRun::ProtocolRun(const RunSetup& setup, BoundProtocol protocol, BoundWorkload workload)
    : scenario_(scenario_of(setup, std::move(protocol), std::move(workload))),
      assembly_(tools::parts_of(scenario_, setup.coverage), metrics),
      watch_(assembly_, terms_of(scenario_)),
      phases_(assembly_, watch_, scenario_.run, nobody_),
      driver_(assembly_, sim::Time{} + scenario_.run.time_limit),
      script_(dynamic_cast<models::Script*>(&assembly_.workload())),
      calendar(assembly_.calendar()),
      event_log(assembly_.event_log()),
      rack(assembly_.rack()),
      workload(assembly_.workload()) {
  phases_.warm_up();
  if (script_ != nullptr) begin();
}

void ProtocolRun::begin() {
  if (!std::exchange(begun_, true)) phases_.begin(driver_);
}

void ProtocolRun::advance_to(sim::Time instant) {
  begin();
  calendar.run_until(instant);
}

void ProtocolRun::heal() {
  begin();
  phases_.heal();
}

void ProtocolRun::finish() {
  if (finished_) throw std::logic_error("the run is finished");
  begin();
  if (script_ != nullptr) phases_.heal();
  outcome_ = phases_.finish();
  finished_ = true;
}

void ProtocolRun::spawn(sim::Task<void> task, models::NodeId node) {
  if (script_ == nullptr) throw std::logic_error("only a script can be told what to do");
  script_->spawn(node, std::move(task));
}

std::vector<sim::Violation> ProtocolRun::all_violations() const {
  if (finished_) return outcome_.violations;
  std::vector<sim::Violation> so_far;
  for (const auto& oracle : watch_.oracles()) {
    so_far.insert(so_far.end(), oracle->violations().begin(), oracle->violations().end());
  }
  return so_far;
}

std::string ProtocolRun::violations(std::initializer_list<const char*> but) const {
  std::string text;
  std::set<std::string> told(but.begin(), but.end());
  for (const sim::Violation& violation : all_violations()) {
    if (told.insert(violation.oracle).second) text += violation.oracle + ": " + violation.what + "\n";
  }
  return text;
}

bool ProtocolRun::found(const std::string& kind) const {
  const auto all = all_violations();
  return std::any_of(all.begin(), all.end(), [&](const sim::Violation& violation) { return violation.oracle == kind; });
}

sim::Oracle& ProtocolRun::oracle(const std::string& name) const {
  for (const auto& oracle : watch_.oracles()) {
    if (oracle->name() == name) return *oracle;
  }
  throw std::logic_error("nobody has asked for the oracle " + name);
}

std::vector<std::string> ProtocolRun::stall() const {
  return tools::lines_of(outcome_.stall, kMostLines);
}

std::vector<std::string> ProtocolRun::waits() {
  return tools::lines_of(tools::stall(assembly_), kMostLines);
}

std::uint64_t ProtocolRun::counter(const std::string& name) const {
  return std::get<sim::Counter>(metrics.find(name)->value).value;
}

double ProtocolRun::gauge(const std::string& name) const {
  return *metrics.find(name)->number();
}

}  // namespace racksim::testing
