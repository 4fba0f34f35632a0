// The record of operations. See service.hpp.
#include "models/service/service.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/kernel/invariant.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::models {
namespace {

// Jain, Chiu and Hawe, "A quantitative measure of fairness", DEC-TR-301, 1984: (sum of x)^2 / (n * sum of x^2).
double fairness(const std::vector<double>& counts) {
  double sum = 0, squares = 0;
  for (const double count : counts) {
    sum += count;
    squares += count * count;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(counts.size()) * squares) : 0;
}

}  // namespace

Service::Service(sim::Calendar& calendar, sim::EventLog& event_log, sim::Metrics& metrics, unsigned nodes,
                 unsigned threads_per_node, unsigned sessions_per_thread)
    : calendar_(calendar),
      event_log_(event_log),
      metrics_(metrics),
      threads_per_node_(threads_per_node),
      sessions_per_thread_(sessions_per_thread),
      operations_(metrics.counter(event_log.services() + "operations", "operations", "that ended", sim::Shown::json)),
      latency_(metrics.histogram(event_log.services() + "latency",
                                 "time from the begin of an operation to its end, while measuring")),
      read_latency_(metrics.histogram(event_log.services() + "latency.read", "the same for reads")),
      write_latency_(metrics.histogram(event_log.services() + "latency.write", "the same for writes")) {
  for (unsigned node = 0; node < nodes; ++node) {
    for (unsigned thread = 0; thread < threads_per_node; ++thread) {
      for (unsigned number = 0; number < sessions_per_thread; ++number) {
        std::string name = fmt::format("node{}/thread{}", node, thread);
        if (sessions_per_thread > 1) name += fmt::format("/session{}", number);
        sessions_.push_back({.source = event_log.add_session(std::move(name))});
      }
    }
  }
  const auto of_nodes = [&](const char* name, const char* unit, const char* doc, auto compute) {
    metrics.computed(
        event_log.services() + name, unit, doc, [this, compute] { return compute(operations_of_nodes()); },
        sim::Shown::json);
  };
  of_nodes("operations.min_node", "operations", "of the node that ended fewest while measuring, of those with sessions",
           [](const auto& counts) { return *std::min_element(counts.begin(), counts.end()); });
  of_nodes("operations.max_node", "operations", "the same of the node that ended most",
           [](const auto& counts) { return *std::max_element(counts.begin(), counts.end()); });
  of_nodes("operations.fairness", "",
           "Jain's index of the nodes' operations while measuring: 1 if all are alike, 1 / nodes if one ends them all",
           fairness);
}

sim::Value Service::next_value(Session session, std::uint32_t count) {
  // Unique in the run and never 0, which stands for data that nobody has written.
  const std::size_t index = index_of(session);
  sessions_[index].writes += count;
  RACKSIM_INVARIANT(session_of(value_of(index)) == index, "a value tells its session and is never 0");
  return sim::Value{value_of(index) - (count - 1)};
}

Service::PendingOperation Service::begin(Session session, sim::OperationKind kind, sim::Key key, std::uint64_t operand,
                                         std::uint32_t objects) {
  const std::size_t index = index_of(session);
  SessionState& state = sessions_[index];
  const sim::OperationId operation{sim::number_of_session(index, state.operations + 1)};
  state.operations += objects;
  ++pending_;
  sim::record_begun(event_log_, state.source, calendar_.now(), operation, kind, key, sim::Value{operand}, objects);
  const PendingOperation begun{.operation = operation,
                               .at = calendar_.now(),
                               .key = key,
                               .value = sim::Value{operand},
                               .objects = objects,
                               .kind = kind,
                               .at_node = session.node};
  record_parts(sim::Observed::part_begun, state.source, begun,
               [&](std::uint32_t i) { return operand == 0 ? 0 : operand + i; });
  return begun;
}

sim::Duration Service::end(Session session, const PendingOperation& begun, sim::Value value) {
  record_parts(sim::Observed::part_ended, source_of(session), begun, [&](std::uint32_t i) { return value + i; });
  sim::record_ended(event_log_, source_of(session), calendar_.now(), begun.operation, begun.kind, begun.key, value);
  return count(begun);
}

sim::Duration Service::end(Session session, const PendingOperation& begun, std::span<const sim::Value> values) {
  record_parts(sim::Observed::part_ended, source_of(session), begun,
               [&](std::uint32_t i) { return values[i].number(); });
  sim::record_ended(event_log_, source_of(session), calendar_.now(), begun.operation, begun.kind, begun.key, values[0]);
  return count(begun);
}

sim::Duration Service::end_atomic(Session session, const PendingOperation& begun, sim::Value before, bool wrote) {
  sim::record_atomic_ended(event_log_, source_of(session), calendar_.now(), begun.operation, begun.kind, begun.key,
                           before, wrote);
  return count(begun);
}

sim::Duration Service::end_lock(Session session, const PendingOperation& begun, bool granted) {
  sim::record_lock_ended(event_log_, source_of(session), calendar_.now(), begun.operation, begun.kind, begun.key,
                         granted);
  return count(begun);
}

sim::Duration Service::count(const PendingOperation& begun) {
  RACKSIM_INVARIANT(pending_ > 0, "an operation that ends was pending");
  --pending_;
  const sim::Duration took = calendar_.now() - begun.at;
  ++operations_.value;
  over_time_.add(calendar_.now(), took);
  latency_over_time_.add(calendar_.now(), took);
  const bool measuring = metrics_.measuring();
  if (measuring) ++sessions_[session_of(begun.operation)].measured;
  metrics_.record(latency_, took, measuring);
  if (begun.kind == sim::OperationKind::read) metrics_.record(read_latency_, took, measuring);
  if (begun.kind == sim::OperationKind::write) metrics_.record(write_latency_, took, measuring);
  return took;
}

void Service::end_for_dead(Session session, const PendingOperation& begun) {
  --pending_;
  if (witness_ != nullptr) witness_->is_for_dead(begun.operation);
  sim::record_ended(event_log_, source_of(session), calendar_.now(), begun.operation, begun.kind, begun.key, 0);
}

void Service::give_up(Session session, const PendingOperation& begun) {
  --pending_;
  record_parts(sim::Observed::part_given_up, source_of(session), begun,
               [&](std::uint32_t i) { return begun.value == 0 ? 0 : begun.value + i; });
  sim::record_given_up(event_log_, source_of(session), calendar_.now(), begun.operation, begun.kind, begun.key,
                       begun.value);
}

void Service::lost_write(sim::Key key, sim::Value value, sim::Loss why, sim::Value recovered) {
  // The sum that an atomic operation has written names no session: it is told in the first one's name.
  const std::size_t author = session_of(value);
  const sim::Source source = source_of(author < sessions_.size() ? author : 0);
  sim::record_lost_write(event_log_, source, calendar_.now(), {key, value, why, recovered});
}

void Service::sessions_died(NodeId node) {
  for (std::size_t index = 0; index < sessions_.size(); ++index) {
    std::vector<PendingOperation>& dead = sessions_[index].dead;
    for (const PendingOperation& begun : dead) {
      if (begun.at_node == node) give_up(session_number(index), begun);
    }
    std::erase_if(dead, [node](const PendingOperation& begun) { return begun.at_node == node; });
  }
}

void Service::run_before(sim::Task<void> task) {
  event_log_.pause();
  sim::Scope scope(calendar_);
  scope.spawn(std::move(task));
  calendar_.drain_ready();
  while (scope.running() > 0 && calendar_.run_one(sim::Time::from_ps(-1))) {
  }
  if (scope.running() > 0) throw std::logic_error("an access of the warm-up has not ended before time zero");
  event_log_.go_on();
}

sim::Time Service::oldest_pending() const {
  sim::Time oldest = sim::Time::max();
  for (const SessionState& state : sessions_) {
    for (const PendingOperation& begun : state.dead) oldest = std::min(oldest, begun.at);
    for (const Guard* guard = state.newest; guard != nullptr; guard = guard->next()) {
      oldest = std::min(oldest, guard->begun().at);
    }
  }
  return oldest;
}

void Service::add_waits(std::vector<sim::Wait>& waits) const {
  for (const SessionState& state : sessions_) {
    for (const Guard* guard = state.newest; guard != nullptr; guard = guard->next()) {
      const PendingOperation& begun = guard->begun();
      sim::Wait wait{.who = event_log_.name(state.source),
                     .whom = {},
                     .why = fmt::format("{} of {}, since {}", sim::to_string(begun.kind), sim::printed_key(begun.key),
                                        sim::printed(begun.at))};
      const auto others = waited_for(begun);
      if (others.empty()) waits.push_back(wait);
      for (const std::size_t other : others) {
        wait.whom = event_log_.name(sessions_[other].source);
        waits.push_back(wait);
      }
    }
  }
}

std::vector<double> Service::operations_of_nodes() const {
  if (sessions_.empty()) return {0.0};
  const std::size_t per_node = std::size_t{threads_per_node_} * sessions_per_thread_;
  std::vector<double> counts(sessions_.size() / per_node);
  for (std::size_t i = 0; i < sessions_.size(); ++i) counts[i / per_node] += static_cast<double>(sessions_[i].measured);
  return counts;
}

}  // namespace racksim::models
