#include "tests/sim/checkers/histories.hpp"

#include <optional>

namespace racksim::sim::checkers {

History& History::add(std::uint32_t session, Action action, std::uint64_t key, std::uint64_t argument,
                      std::uint64_t result, std::uint64_t from, std::uint64_t to) {
  Operation operation;
  operation.id = ++last_id_;
  operation.session = session;
  operation.action = action;
  operation.key = Key{key};
  operation.argument = argument;
  operation.result = result;
  operation.invoked = from;
  operation.responded = to;
  operation.invoked_at = Time::from_ps(static_cast<std::int64_t>(from) * 1000);
  if (to != kOpen) operation.responded_at = Time::from_ps(static_cast<std::int64_t>(to) * 1000);
  const auto place = std::find_if(operations_.begin(), operations_.end(),
                                  [from](const Operation& other) { return other.invoked > from; });
  operations_.insert(place, operation);
  return *this;
}

History history_of(const std::vector<Program>& programs) {
  History history;
  std::uint64_t instant = 0;
  for (std::size_t s = 0; s < programs.size(); ++s) {
    for (const auto& i : programs[s]) {
      const bool reads = i.action == Action::read;
      history.add(static_cast<std::uint32_t>(s), i.action, i.key, reads ? 0 : i.value, reads ? i.value : 0, instant + 1,
                  instant + 2);
      instant += 2;
    }
  }
  return history;
}

std::vector<Operation> random_history(RandomStream& random, const Shape& shape) {
  std::vector<Operation> history;
  std::vector<std::uint64_t> registers(shape.keys, 0);
  std::vector<std::optional<std::size_t>> current(shape.sessions);
  std::vector<bool> acted;
  std::vector<std::size_t> late_lies;
  std::uint64_t position = 0, values = 0;
  std::size_t running = 0;
  const auto act = [&](Operation& operation) {
    auto& word = registers[operation.key];
    const auto lies = random.chance(shape.lie);
    if (lies && shape.unique_values && random.chance(0.3)) late_lies.push_back(operation.id - 1);
    operation.result = lies ? random.below(shape.unique_values ? values + 1 : 4) : word;
    if (operation.action == Action::write) word = operation.argument;
    if (operation.action == Action::fetch_and_add) word += operation.argument;
    if (operation.action == Action::compare_and_swap && word == operation.expected) word = operation.argument;
  };
  while (history.size() < shape.operations || running > 0) {
    const auto session = random.below(shape.sessions);
    auto& index = current[session];
    if (!index) {
      if (history.size() == shape.operations) continue;
      Operation operation;
      operation.id = history.size() + 1;
      operation.session = static_cast<std::uint32_t>(session);
      operation.action = shape.actions[random.below(shape.actions.size())];
      operation.key = Key{random.below(shape.keys)};
      if (operation.action != Action::read) operation.argument = shape.unique_values ? ++values : 1 + random.below(3);
      operation.expected = random.below(4);
      operation.invoked = ++position;
      operation.invoked_at = Time::from_ps(static_cast<std::int64_t>(position));
      index = history.size();
      history.push_back(operation);
      acted.push_back(false);
      ++running;
      continue;
    }
    if (!acted[*index] && random.chance(0.5)) {
      act(history[*index]);
      acted[*index] = true;
      if (random.chance(0.5)) continue;
    }
    if (random.chance(shape.crash)) {
      index.reset();
      --running;
    } else if (acted[*index]) {
      history[*index].responded = ++position;
      history[*index].responded_at = Time::from_ps(static_cast<std::int64_t>(position));
      index.reset();
      --running;
    }
  }
  // These foresee values of writes that have not begun.
  for (const auto liar : late_lies) history[liar].result = random.below(values + 1);
  return history;
}

std::vector<Operation> random_lock_history(RandomStream& random, std::size_t operations, std::size_t sessions,
                                           double crash) {
  std::vector<Operation> history;
  std::vector<std::optional<std::size_t>> current(sessions);
  std::vector<bool> holds(sessions, false);
  std::uint64_t position = 0;
  std::size_t running = 0;
  while (history.size() < operations || running > 0) {
    const auto session = random.below(sessions);
    auto& index = current[session];
    if (!index && history.size() < operations) {
      Operation operation;
      operation.id = history.size() + 1;
      operation.session = static_cast<std::uint32_t>(session);
      const bool odd = random.chance(0.05);
      const auto request = random.chance(0.5) ? Action::lock : Action::lock_shared;
      operation.action = holds[session] != odd ? Action::unlock : request;
      operation.invoked = ++position;
      index = history.size();
      history.push_back(operation);
      ++running;
    } else if (index) {
      auto& operation = history[*index];
      if (!random.chance(crash)) {
        operation.responded = ++position;
        holds[session] = operation.action != Action::unlock;
      }
      index.reset();
      --running;
    }
  }
  return history;
}

}  // namespace racksim::sim::checkers
