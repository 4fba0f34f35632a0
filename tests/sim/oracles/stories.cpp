#include "tests/sim/oracles/stories.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>

namespace racksim::sim {

void tell(Story story, EventLog& event_log, Oracle& oracle) {
  std::sort(story.begin(), story.end(), [](const Event& a, const Event& b) { return a.at < b.at; });
  event_log.attach(oracle);
  Time now;
  for (const auto& event : story) {
    now = Time::from_ps(static_cast<std::int64_t>(event.at) * 1000);
    const Source session{event.session};
    if (event.what == Observed::operation_begun) {
      record_begun(event_log, session, now, OperationId{event.operation}, event.kind, Key{event.key},
                   Value{event.value});
    } else if (event.what == Observed::operation_given_up) {
      record_given_up(event_log, session, now, OperationId{event.operation}, event.kind, Key{event.key},
                      Value{event.value});
    } else if (event.what == Observed::performed) {
      record_performed(event_log, session, now, OperationId{event.operation}, Key{event.key}, Value{event.value});
    } else if (is_atomic(event.kind)) {
      record_atomic_ended(event_log, session, now, OperationId{event.operation}, event.kind, Key{event.key},
                          Value{event.value}, event.wrote);
    } else if (requests_lock(event.kind)) {
      record_lock_ended(event_log, session, now, OperationId{event.operation}, event.kind, Key{event.key},
                        event.value != 0);
    } else {
      record_ended(event_log, session, now, OperationId{event.operation}, event.kind, Key{event.key},
                   Value{event.value});
    }
  }
  oracle.finish(now);
}

NamedEventLog::NamedEventLog(std::uint32_t sessions) {
  for (std::uint32_t i = 0; i < sessions; ++i) add_source("session" + std::to_string(i));
}

std::vector<Violation> judged(const Story& story, MemoryModel model) {
  NamedEventLog event_log;
  MemoryModelOracle oracle(model, event_log);
  tell(story, event_log, oracle);
  return oracle.violations();
}

std::vector<checkers::Operation> seen_by_clients(const Story& story) {
  const auto action_of = [](OperationKind kind) {
    switch (kind) {
      case OperationKind::read:
        return checkers::Action::read;
      case OperationKind::write:
        return checkers::Action::write;
      case OperationKind::compare_and_swap:
        return checkers::Action::compare_and_swap;
      case OperationKind::fetch_and_add:
        return checkers::Action::fetch_and_add;
      case OperationKind::fence:
        return checkers::Action::fence;
      default:
        throw std::invalid_argument("a lock's operation has no place in a search");
    }
  };
  std::vector<checkers::Operation> history;
  std::map<std::uint64_t, std::size_t> index;
  for (const auto& event : story) {
    if (event.what == Observed::operation_begun) {
      checkers::Operation operation;
      operation.id = event.operation;
      operation.session = event.session;
      operation.action = action_of(event.kind);
      operation.key = Key{event.key};
      operation.argument = event.value;
      operation.expected = event.expected;
      operation.invoked = event.at;
      index[event.operation] = history.size();
      history.push_back(operation);
    } else if (event.what == Observed::operation_ended) {
      auto& operation = history[index.at(event.operation)];
      operation.responded = event.at;
      operation.result = event.value;
    }
  }
  return history;
}

Teller& Teller::write(std::uint32_t session, std::uint64_t key, std::uint64_t value, Interval interval,
                      std::uint64_t performed) {
  operate(session, OperationKind::write, key, value, value, false, interval);
  if (performed != kNever)
    story_.push_back({performed, Observed::performed, session, last_, OperationKind::write, key, value});
  return *this;
}

Teller& Teller::read(std::uint32_t session, std::uint64_t key, std::uint64_t value, Interval interval) {
  operate(session, OperationKind::read, key, 0, value, false, interval);
  return *this;
}

Teller& Teller::fence(std::uint32_t session, Interval interval) {
  operate(session, OperationKind::fence, 0, 0, 0, false, interval);
  return *this;
}

Teller& Teller::add(std::uint32_t session, std::uint64_t key, std::uint64_t value, std::uint64_t before,
                    Interval interval, std::uint64_t performed) {
  operate(session, OperationKind::fetch_and_add, key, value, before, true, interval);
  if (performed != kNever) {
    story_.push_back(
        {performed, Observed::performed, session, last_, OperationKind::fetch_and_add, key, before + value});
  }
  return *this;
}

Teller& Teller::failed_swap(std::uint32_t session, std::uint64_t key, std::uint64_t before, Interval interval) {
  operate(session, OperationKind::compare_and_swap, key, 0, before, false, interval);
  return *this;
}

Teller& Teller::lock(std::uint32_t session, Interval interval, OperationKind kind, bool granted) {
  operate(session, kind, kLock, 0, granted ? 1 : 0, false, interval);
  return *this;
}

Teller& Teller::unlock(std::uint32_t session, Interval interval) {
  operate(session, OperationKind::unlock, kLock, 0, 0, false, interval);
  return *this;
}

Teller& Teller::give_up(std::uint64_t operation, std::uint64_t at) {
  const auto begun = std::find_if(story_.begin(), story_.end(), [&](const Event& event) {
    return event.operation == operation && event.what == Observed::operation_begun;
  });
  Event event = *begun;
  event.at = at;
  event.what = Observed::operation_given_up;
  story_.push_back(event);
  return *this;
}

void Teller::operate(std::uint32_t session, OperationKind kind, std::uint64_t key, std::uint64_t given,
                     std::uint64_t returned, bool wrote, Interval interval) {
  story_.push_back({interval.from, Observed::operation_begun, session, ++last_, kind, key, given});
  if (interval.to != kNever)
    story_.push_back({interval.to, Observed::operation_ended, session, last_, kind, key, returned, wrote});
}

}  // namespace racksim::sim
