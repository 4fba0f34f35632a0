// Reading and comparing traces. See observation_trace.hpp.
#include "tools/experiment/observation_trace.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "models/packets/packet_accounting.hpp"
#include "sim/oracles/oracle.hpp"
#include "sim/record/history.hpp"
#include "tools/json/input_error.hpp"

namespace racksim::tools {
namespace {

TracedObservation read_line(const std::string& text, const std::string& name, std::size_t line) {
  const JsonValue value = parse_json(text, name);
  const auto* time = value.find("t_ps");
  const auto* source = value.find("source");
  const auto* what = value.find("what");
  const auto* operation = value.find("op");
  const auto* detail = value.find("detail");
  const bool whole = time && time->natural() && source && source->string() && what && what->string() && operation &&
                     operation->natural() && detail && detail->elements() && detail->elements()->size() == 3;
  if (!whole)
    JsonLocation{name, ""}.refuse(fmt::format("line {}: {}", line, text), "an observation as racksim traces it");
  TracedObservation result{
      static_cast<std::int64_t>(*time->natural()), *source->string(), *what->string(), *operation->natural(), {}, line};
  for (std::size_t i = 0; i < 3; ++i) result.detail[i] = (*detail->elements())[i].natural().value_or(0);
  return result;
}

/// Whether observations of this kind are no part of the run hash.
bool is_for_oracles(const std::string& what) {
  for (std::size_t kind = 0; kind < sim::kObservedKinds; ++kind) {
    const auto observed = static_cast<sim::Observed>(kind);
    if (what == sim::to_string(observed)) return !sim::is_folded(observed);
  }
  return false;
}

/// A packet's serial number: the node that sent it, and its number there.
std::string packet(std::uint64_t serial) {
  return fmt::format("packet node{}#{}", serial >> 48, serial & 0xffff'ffff'ffff);
}

std::string reason(std::uint64_t number) {
  if (number >= models::kDropReasons) return fmt::format("reason {}", number);
  return std::string(models::to_string(static_cast<models::DropReason>(number)));
}

std::string details(const TracedObservation& o) {
  const auto& d = o.detail;
  if (o.what == "message_sent") return fmt::format("{}, {} bytes", packet(d[0]), d[1]);
  if (o.what == "message_delivered") return packet(d[0]);
  if (o.what == "message_dropped") return fmt::format("{}, {}, {} bytes", packet(d[0]), reason(d[1]), d[2]);
  if (o.what == "operation_begun" || o.what == "operation_ended" || o.what == "operation_given_up") {
    return fmt::format("{} of key {}, value {}", to_string(static_cast<sim::OperationKind>(d[0])),
                       sim::printed_key(sim::Key{d[1]}), d[2]);
  }
  if (o.what == "stray_answer") {
    if (d[0] > 1) return fmt::format("torn answer for key {}", sim::printed_key(sim::Key{d[1]}));
    return fmt::format("{} for key {}, about key {}", d[0] == 0 ? "wrong answer" : "repeated answer",
                       sim::printed_key(sim::Key{d[1]}), sim::printed_key(sim::Key{d[2]}));
  }
  if (o.what == "switch_state") {
    return fmt::format("array {} at {} holds {}, by {}", d[0] >> 32, d[0] & 0xffff'ffff, d[1], packet(d[2]));
  }
  if (o.what == "fault") return fmt::format("fault {} {}", d[0], d[1] != 0 ? "begins" : "ends");
  return fmt::format("{}, {}, {}", d[0], d[1], d[2]);
}

/// The index at which two sequences part, if they do.
std::optional<std::size_t> parted_at(const std::vector<TracedObservation>& a, const std::vector<TracedObservation>& b) {
  const std::size_t common = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (!a[i].same_as(b[i])) return i;
  }
  return a.size() != b.size() ? std::optional(common) : std::nullopt;
}

std::vector<TracedObservation> slice(const std::vector<TracedObservation>& all, std::size_t from, std::size_t until) {
  const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(std::min(i, all.size())); };
  return {at(from), at(until)};
}

/// The order in which differences are judged: by time, then by the order of recording.
std::pair<std::int64_t, std::size_t> rank(const FirstDifference& difference) {
  const auto& first = !difference.a.empty() ? difference.a.front() : difference.b.front();
  return {difference.at_ps(), first.line};
}

}  // namespace

bool TracedObservation::same_as(const TracedObservation& other) const {
  return at_ps == other.at_ps && source == other.source && what == other.what && operation == other.operation &&
         detail == other.detail;
}

std::string TracedObservation::text() const {
  return fmt::format("{:<17}  {}{}", what, details(*this), operation != 0 ? ", " + operation_name : "");
}

ObservationsBySource read_trace(std::istream& in, const std::string& name) {
  ObservationsBySource result;
  std::map<std::uint64_t, std::string> sessions;  // by what their operations' numbers begin with
  std::string text;
  for (std::size_t line = 1; std::getline(in, text); ++line) {
    auto observation = read_line(text, name, line);
    if (is_for_oracles(observation.what)) continue;
    if (observation.what == sim::to_string(sim::Observed::operation_begun))
      sessions.emplace(observation.operation >> sim::kNumberBits, observation.source);
    auto& of_source = result[observation.source];
    of_source.push_back(std::move(observation));
  }
  for (auto& [source, observations] : result) {
    for (auto& observation : observations) {
      const auto session = sessions.find(observation.operation >> sim::kNumberBits);
      observation.operation_name = session == sessions.end()
                                       ? fmt::format("operation {}", observation.operation)
                                       : sim::operation_name(session->second, sim::OperationId{observation.operation});
    }
  }
  return result;
}

std::int64_t FirstDifference::at_ps() const {
  if (a.empty() || b.empty()) return (a.empty() ? b : a).front().at_ps;
  return std::min(a.front().at_ps, b.front().at_ps);
}

std::optional<FirstDifference> first_difference(const ObservationsBySource& a, const ObservationsBySource& b,
                                                std::size_t context) {
  std::optional<FirstDifference> first;
  const std::vector<TracedObservation> none;
  const auto consider = [&](const std::string& source) {
    const auto in_a = a.find(source), in_b = b.find(source);
    const auto& of_a = in_a != a.end() ? in_a->second : none;
    const auto& of_b = in_b != b.end() ? in_b->second : none;
    const auto at = parted_at(of_a, of_b);
    if (!at) return;
    const std::size_t begin = *at - std::min(*at, context), end = *at + 1 + context;
    FirstDifference difference{source, slice(of_a, begin, *at), slice(of_a, *at, end), slice(of_b, *at, end)};
    if (!first || rank(difference) < rank(*first)) first = std::move(difference);
  };
  for (const auto& [source, observations] : a) consider(source);
  for (const auto& [source, observations] : b) {
    if (!a.contains(source)) consider(source);
  }
  return first;
}

}  // namespace racksim::tools
