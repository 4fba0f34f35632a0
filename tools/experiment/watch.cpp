// Attaches oracles, looks for progress and collects what was found. See watch.hpp.
#include "tools/experiment/watch.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

#include "sim/options/option_error.hpp"

namespace racksim::tools {

namespace {

/// Observations, without an operation ending, after which a run goes in circles: at the rates of a busy rack they are
/// tens of thousands of operations. Not calendar events, whose number depends on the execution mode.
constexpr std::uint64_t kLivelockObservations = 5'000'000;

/// Shows a state to several visitors at once.
class Visitors final : public sim::StateVisitor {
 public:
  void add(sim::StateVisitor* visitor) {
    if (visitor != nullptr) visitors_.push_back(visitor);
  }
  bool empty() const { return visitors_.empty(); }
  void home(sim::Key key, sim::Value value) override {
    for (auto* visitor : visitors_) visitor->home(key, value);
  }
  void copy(sim::Key key, sim::Holder holder, sim::Value value, sim::CopyState state) override {
    for (auto* visitor : visitors_) visitor->copy(key, holder, value, state);
  }
  void lost(sim::Key key) override {
    for (auto* visitor : visitors_) visitor->lost(key);
  }

 private:
  std::vector<sim::StateVisitor*> visitors_;
};

}  // namespace

void Watch::LostWrites::observe(const sim::Observation& observation) {
  if (observation.what != sim::Observed::write_lost) return;
  ++count;
  const auto lost = sim::LostWriteView::of(observation);
  if (kept.size() < kKept) {
    kept.push_back(
        {lost.key, lost.value, event_log_.name(observation.source), observation.at, lost.why, lost.recovered});
  }
}

Watch::Watch(Assembly& assembly, const Terms& terms)
    : assembly_(assembly),
      stall_(terms.stall),
      giving_up_(terms.giving_up),
      context_(assembly.rack(), assembly.protocol(), assembly.protocol_options(), assembly.workload().oracle(),
               terms.of_oracles),
      lost_writes_(assembly.event_log()) {
  for (const std::string& name : terms.oracles) {
    const auto* entry = sim::Registry<models::OracleEntry>::find(name);
    if (entry == nullptr) throw std::logic_error(fmt::format("there is no oracle \"{}\"", name));
    try {
      oracles_.push_back(models::attach_oracle(*entry, context_));
    } catch (const sim::OptionError& error) {
      throw sim::OptionError("/check/" + error.option(), error.found(), error.expected());
    }
  }
}

void Watch::begin() {
  Visitors visitors;
  for (const auto& visitor : context_.first_states()) visitors.add(visitor.get());
  if (!visitors.empty()) assembly_.protocol().show_state(visitors);
  for (const auto& observer : context_.observers()) assembly_.event_log().attach(*observer);
  assembly_.event_log().attach(lost_writes_);
}

Watch::Pace Watch::look(bool draining) {
  const sim::Time now = assembly_.calendar().now();
  const std::uint64_t ended = assembly_.event_log().count(sim::Observed::operation_ended);
  const std::uint64_t given_up = assembly_.event_log().count(sim::Observed::operation_given_up);
  const std::uint64_t observations = assembly_.event_log().count();
  // Where a fault lasts a session that gives up goes on too.
  const bool in_force = assembly_.faults().in_force();
  const bool goes_on = ended != ended_before_ || (in_force && given_up != given_up_before_);
  ended_before_ = ended;
  given_up_before_ = given_up;
  if (goes_on) {
    last_progress_ = now;
    observations_before_ = observations;
    return Pace::steady;
  }
  if (observations - observations_before_ >= kLivelockObservations) {
    give_up("livelock", fmt::format("no operation has ended for {} observations: packets sent, delivered and dropped, "
                                    "writes of switch state and the like",
                                    observations - observations_before_));
    return Pace::livelock;
  }
  if (draining || now - last_progress_ < stall_) return Pace::steady;
  // Nobody is left to issue any when all clients have crashed for good: that ends the phase and breaks no promise.
  if (assembly_.workload().running() == 0 && assembly_.protocol().service().pending_operations() == 0) {
    return Pace::idle;
  }
  if (in_force && now - last_progress_ < stall_ + giving_up_) return Pace::steady;
  give_up("stall", fmt::format("no operation has ended for {} ns", (now - last_progress_).ns()));
  return Pace::stall;
}

void Watch::give_up(const char* kind, const std::string& what) {
  findings_.stall = stall(assembly_);
  object({kind, assembly_.calendar().now(),
          fmt::format("{}; {} have begun and not ended", what, assembly_.protocol().service().pending_operations())});
}

void Watch::object(sim::Violation violation) {
  findings_.violations.push_back(std::move(violation));
  ++findings_.violation_count;
}

Findings Watch::finish(bool at_rest) {
  if (at_rest) {
    Visitors visitors;
    for (const auto& oracle : oracles_) visitors.add(oracle->state_at_rest());
    if (!visitors.empty()) assembly_.protocol().show_state(visitors);
  }
  auto& violations = findings_.violations;
  for (const auto& oracle : oracles_) {
    if (!at_rest && oracle->state_at_rest() != nullptr) continue;
    oracle->finish(assembly_.calendar().now());
    violations.insert(violations.end(), oracle->violations().begin(), oracle->violations().end());
    findings_.violation_count += oracle->violation_count();
  }
  findings_.lost_writes = lost_writes_.kept;
  findings_.lost_write_count = lost_writes_.count;
  return std::move(findings_);
}

}  // namespace racksim::tools
