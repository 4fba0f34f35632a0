#include "sim/checkers/register_values.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace racksim::sim::checkers {

RegisterValues::RegisterValues(Operations operations, std::uint64_t initial)
    : writes_{kNone}, value_of_(operations.size(), kNone) {
  require_history(operations);
  std::vector<std::pair<std::uint64_t, std::size_t>> numbers{{initial, 0}};  // by value
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& operation = operations[i];
    if (operation.action != Action::read && operation.action != Action::write) {
      problem_ = {Verdict::undecided, "only reads and writes can be judged so", {operation}};
      return;
    }
    if (operation.action == Action::read) continue;
    value_of_[i] = writes_.size();
    numbers.emplace_back(operation.argument, writes_.size());
    writes_.push_back(i);
  }
  std::sort(numbers.begin(), numbers.end());
  const auto twin = std::adjacent_find(numbers.begin(), numbers.end(),
                                       [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twin != numbers.end()) {
    problem_ = {Verdict::undecided, fmt::format("value {} is not unique: it is written twice", twin->first), {}};
    if (twin->second == 0) problem_.why = fmt::format("value {} is not unique: it is the initial value", twin->first);
    for (const auto& [value, number] : {*twin, *(twin + 1)}) {
      if (number != 0) problem_.operations.push_back(operations[writes_[number]]);
    }
    return;
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& operation = operations[i];
    if (operation.action == Action::write || operation.pending()) continue;
    const auto found = std::lower_bound(numbers.begin(), numbers.end(), std::pair{operation.result, std::size_t{0}});
    if (found == numbers.end() || found->first != operation.result) {
      problem_ = {Verdict::fail, "a read returned a value that nobody wrote", {operation}};
      return;
    }
    value_of_[i] = found->second;
  }
}

}  // namespace racksim::sim::checkers
