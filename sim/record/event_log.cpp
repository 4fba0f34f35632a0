#include "sim/record/event_log.hpp"

#include <fmt/core.h>

#include <stdexcept>
#include <utility>

namespace racksim::sim {
namespace {

// Sources are numbered from 0, so the last number is free to keep the configuration apart from all of them.
constexpr std::uint64_t kConfigurationDomain = ~std::uint64_t{0};

}  // namespace

std::string_view to_string(Observed what) {
  switch (what) {
    case Observed::message_sent:
      return "message_sent";
    case Observed::message_delivered:
      return "message_delivered";
    case Observed::message_dropped:
      return "message_dropped";
    case Observed::operation_begun:
      return "operation_begun";
    case Observed::operation_ended:
      return "operation_ended";
    case Observed::switch_state:
      return "switch_state";
    case Observed::fault_begun:
      return "fault_begun";
    case Observed::permission:
      return "permission";
    case Observed::final_state:
      return "final_state";
    case Observed::fault_ended:
      return "fault_ended";
    case Observed::operation_given_up:
      return "operation_given_up";
    case Observed::stray_answer:
      return "stray_answer";
    case Observed::sent_again:
      return "sent_again";
    case Observed::disturbance:
      return "disturbance";
    case Observed::performed:
      return "performed";
    case Observed::write_lost:
      return "write_lost";
    case Observed::part_begun:
      return "part_begun";
    case Observed::part_ended:
      return "part_ended";
    case Observed::part_given_up:
      return "part_given_up";
  }
  throw std::runtime_error(fmt::format("{} is no kind of observation", static_cast<int>(what)));
}

std::string short_name(std::string name) {
  for (const auto& [word, letter] : {std::pair("node", "n"), std::pair("/thread", ".t"), std::pair("/session", ".s")}) {
    if (const auto at = name.find(word); at != std::string::npos)
      name.replace(at, std::string_view(word).size(), letter);
  }
  return name;
}

std::string operation_name(std::string session, OperationId id) {
  return fmt::format("{} #{}", short_name(std::move(session)), number_in_session(id));
}

Source EventLog::add_source(std::string name) {
  if (!taken_.insert(name).second) throw std::runtime_error(fmt::format("event source '{}' is added twice", name));
  const Source source{static_cast<std::uint32_t>(names_.size())};
  names_.push_back(std::move(name));
  states_.push_back({HashMixer(first_mixed_ + source.index), 0, {}});
  return source;
}

Source EventLog::add_session(std::string name) {
  const Source source = add_source(std::move(name));
  sessions_.push_back(source);
  return source;
}

std::string EventLog::operation(OperationId id) const {
  const std::uint64_t session = id.number() >> kNumberBits;  // from 1
  if (session == 0 || session > sessions_.size()) return fmt::format("operation {}", id);
  return operation(id, sessions_[session - 1]);
}

std::string EventLog::operation(OperationId id, Source session) const {
  return operation_name(name(session), id);
}

void EventLog::fold_configuration(std::string_view canonical_text, std::uint64_t seed) {
  HashMixer mixer(kConfigurationDomain);
  mixer.add(seed);
  mixer.add(canonical_text);
  configuration_ += mixer.finish();
}

RunHash EventLog::hash() const {
  RunHash sum = configuration_;
  for (const SourceState& state : states_) sum += state.hash;
  return sum;
}

std::uint64_t EventLog::count() const {
  std::uint64_t sum = 0;
  for (std::size_t kind = 0; kind < kObservedKinds; ++kind) {
    if (is_folded(static_cast<Observed>(kind))) sum += counts_[kind];
  }
  return sum;
}

void EventLog::attach(Observer& observer) {
  ++attached_;
  const auto wanted = observer.kinds();
  for (std::size_t kind = 0; kind < kObservedKinds; ++kind) {
    if (wanted.contains(static_cast<Observed>(kind))) observers_[kind].push_back(&observer);
  }
}

void EventLog::notify(const Observation& observation) {
  for (auto* observer : observers_[static_cast<std::size_t>(observation.what)]) observer->observe(observation);
}

}  // namespace racksim::sim
