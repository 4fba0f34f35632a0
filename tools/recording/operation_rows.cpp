// Holds rows until it is their turn. See operation_rows.hpp.
#include "tools/recording/operation_rows.hpp"

#include <utility>

namespace racksim::tools {

void OperationRows::observe(const sim::Observation& observation) {
  if (observation.what == sim::Observed::operation_begun) {
    begin(observation);
  } else {
    end(observation);
  }
  advance();
}

void OperationRows::begin(const sim::Observation& observation) {
  const auto view = sim::OperationView::of(observation);
  numbers_[observation.operation] = first_ + held_.size();
  held_.push_back({{.begun = observation.at,
                    .ended = {},
                    .session = service_.issuer(observation.operation),
                    .kind = view.kind,
                    .key = view.key,
                    .bytes = service_.bytes_of(view),
                    .answered_by = {},
                    .in_window = false}});
}

void OperationRows::end(const sim::Observation& observation) {
  const std::uint64_t* known = numbers_.find(observation.operation);
  if (known == nullptr) return;
  const std::uint64_t number = *known;
  Held* held = find(observation.operation);
  numbers_.erase(observation.operation);
  if (held == nullptr) return;  // it has been handed over
  held->over = true;
  if (observation.what == sim::Observed::operation_ended) {
    held->row.ended = observation.at;
    held->row.in_window = metrics_.measuring();
  }
  if (number >= first_) return;
  hand_over(*held);
  set_aside_.erase(number);
}

OperationRows::Held* OperationRows::find(sim::OperationId operation) {
  const std::uint64_t* number = numbers_.find(operation);
  if (number == nullptr) return nullptr;
  if (*number >= first_) return &held_[*number - first_];
  const auto aside = set_aside_.find(*number);
  return aside == set_aside_.end() ? nullptr : &aside->second;
}

void OperationRows::answered(sim::OperationId operation, const std::string& by) {
  if (Held* held = find(operation)) held->row.answered_by = by;
}

void OperationRows::is_for_dead(sim::OperationId operation) {
  if (Held* held = find(operation)) held->omitted = true;
}

void OperationRows::hand_over(const Held& held) {
  if (!held.omitted) sink_(held.row);
}

void OperationRows::advance() {
  while (!held_.empty()) {
    Held& front = held_.front();
    if (front.over) {
      hand_over(front);
    } else if (needs_ends_) {
      if (held_.size() <= kMostHeld) return;
      set_aside_.emplace(first_, std::move(front));
    } else {
      // Whether one is omitted is told after it has begun, and before anything else is observed.
      if (held_.size() == 1) return;
      hand_over(front);
    }
    held_.pop_front();
    ++first_;
  }
}

void OperationRows::finish() {
  for (const auto& [number, held] : set_aside_) hand_over(held);
  for (const Held& held : held_) hand_over(held);
  set_aside_.clear();
  held_.clear();
}

}  // namespace racksim::tools
