// Attaches oracles, looks for progress and collects what was found. See watch.hpp.
#include "tools/experiment/watch.hpp"

#include <fmt/core.h>

#include <algorithm>
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
  const sim::EventLog& history = assembly_.service().history();
  const std::uint64_t ended = history.count(sim::Observed::operation_ended);
  const std::uint64_t given_up = history.count(sim::Observed::operation_given_up);
  const std::uint64_t observations = assembly_.event_log().count();
  // Where a fault lasts a session that gives up goes on too.
  const bool in_force = assembly_.faults().in_force();
  const bool goes_on = ended != ended_before_ || (in_force && given_up != given_up_before_);
  ended_before_ = ended;
  given_up_before_ = given_up;
  if (goes_on) {
    last_progress_ = last_rest_ = last_occupied_ = now;
    observations_before_ = observations;
    return Pace::steady;
  }
  const std::uint64_t pending = assembly_.service().pending_operations();
  const std::size_t running = assembly_.workload().running();
  const bool busy = pending == 0 && assembly_.busy();
  if (!busy) last_rest_ = now;
  if (pending > 0 || running == 0 || assembly_.workload().asleep() > 0 || in_force) last_occupied_ = now;
  if (pending == 0 && !busy) observations_before_ = observations;
  if (observations - observations_before_ >= kLivelockObservations) {
    give_up("livelock", fmt::format("no operation has ended for {} observations: packets sent, delivered and dropped, "
                                    "writes of switch state and the like",
                                    observations - observations_before_));
    return Pace::livelock;
  }
  if (draining) return Pace::steady;
  // Nobody is left to issue any when all clients have crashed for good: that ends the phase and breaks no promise.
  if (running == 0 && pending == 0 && now - last_progress_ >= stall_ && !assembly_.faults().will_end()) {
    return Pace::idle;
  }
  if (pending > 0 || busy) {
    const sim::Duration waited = now - waited_since();
    if (waited >= (in_force ? stall_ + giving_up_ : stall_)) {
      give_up("stall", fmt::format("{}no operation has ended for {} ns",
                                   busy ? "a packet or work of the protocol is under way and " : "", waited.ns()));
      return Pace::failed;
    }
    return busy ? Pace::doubtful : Pace::steady;
  }
  if (now - last_occupied_ >= stall_) {
    give_up("idle-workload", fmt::format("{} of the workload's sessions owe operations, and have neither had one under "
                                         "way nor waited for a timer for {} ns",
                                         running, (now - last_occupied_).ns()));
    return Pace::failed;
  }
  return Pace::steady;
}

bool Watch::still_doubtful() {
  const bool doubtful = assembly_.service().pending_operations() == 0 && assembly_.busy() &&
                        assembly_.service().history().count(sim::Observed::operation_ended) == ended_before_;
  if (!doubtful) last_rest_ = assembly_.calendar().now();
  return doubtful;
}

sim::Time Watch::waited_since() const {
  const models::Service& service = assembly_.service();
  return std::max(last_progress_, service.pending_operations() > 0 ? service.oldest_pending() : last_rest_);
}

void Watch::give_up(const char* kind, const std::string& what) {
  findings_.stall = stall(assembly_);
  object({kind, assembly_.calendar().now(),
          fmt::format("{}; {} have begun and not ended", what, assembly_.service().pending_operations())});
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
  for (const auto& oracle : oracles_) {
    findings_.judged.push_back(
        {oracle->name(), oracle->judged(), oracle->judges(), context_.is_promised(oracle->name())});
  }
  findings_.lost_writes = lost_writes_.kept;
  findings_.lost_write_count = lost_writes_.count;
  return std::move(findings_);
}

}  // namespace racksim::tools
