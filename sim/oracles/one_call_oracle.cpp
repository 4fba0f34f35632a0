// Instants at which all objects of a call held what it read. See one_call_oracle.hpp.
#include "sim/oracles/one_call_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

namespace racksim::sim {

void OneCallOracle::observe(const Observation& observation) {
  expect_in_order(observation.at);
  ++position_;
  if (observation.what == Observed::performed) {
    const auto view = PerformedView::of(observation);
    return memory_.perform(view.key, {view.value, position_, observation.operation});
  }
  if (observation.what == Observed::write_lost) {
    undone_.insert(LostWriteView::of(observation).key);
  } else if (begins(observation.what)) {
    begin(observation);
  } else {
    end(observation);
  }
}

void OneCallOracle::begin(const Observation& observation) {
  const auto view = OperationView::of(observation);
  if (view.kind != OperationKind::read) return;
  std::uint64_t operation = observation.operation;
  if (observation.what == Observed::operation_begun) {
    if (view.objects == 1) return;
    if (vacant_.empty()) {
      vacant_.push_back(static_cast<std::uint32_t>(reads_.size()));
      reads_.emplace_back();
    }
    const std::uint32_t slot = vacant_.back();
    vacant_.pop_back();
    slots_[operation] = slot;
    reads_[slot] = {position_, {}};
    for (std::uint32_t i = 1; i < view.objects; ++i) whole_[operation + i] = operation;
  } else {
    const std::uint64_t* whole = whole_.find(operation);
    if (whole == nullptr) return;
    operation = *whole;
  }
  Read& read = reads_[*slots_.find(operation)];
  read.parts.push_back({view.key, memory_.begin_read(view.key, read.begun)});
}

// The parts end first, then their operation.
void OneCallOracle::end(const Observation& observation) {
  const bool is_part = observation.what == Observed::part_ended || observation.what == Observed::part_given_up;
  const std::uint64_t* whole = is_part ? whole_.find(observation.operation) : nullptr;
  if (is_part && whole == nullptr) return;
  const std::uint64_t operation = is_part ? *whole : observation.operation.number();
  const std::uint32_t* slot = slots_.find(operation);
  if (slot == nullptr) return;
  if (ends(observation.what)) {
    Part& part = reads_[*slot].parts[observation.operation - operation];
    part.ended = true;
    part.value = OperationView::of(observation).value;
  }
  if (!is_part) close(OperationId{operation}, ends(observation.what), observation.at);
}

void OneCallOracle::close(OperationId operation, bool judges, Time at) {
  const std::uint32_t slot = *slots_.find(operation);
  Read& read = reads_[slot];
  if (judges) judge(operation, read, at);
  for (std::size_t i = 0; i < read.parts.size(); ++i) {
    memory_.end_read(read.parts[i].reading, read.begun);
    if (i > 0) whole_.erase(operation + i);
  }
  slots_.erase(operation);
  vacant_.push_back(slot);
}

void OneCallOracle::judge(OperationId operation, const Read& read, Time at) {
  count_judged();
  std::vector<Span> instants{{0, position_ + 1}};
  for (const Part& part : read.parts) {
    instants = narrowed(instants, read, part, operation);
    if (!instants.empty()) continue;
    std::string what;
    for (const Part& one : read.parts) {
      what += fmt::format("{}{} of key {}", what.empty() ? "" : ", ", one.value, printed_key(one.key));
    }
    return violated(at,
                    fmt::format("{} read in one call values that memory held at no one instant: {}",
                                event_log_.operation(operation), what),
                    {part.key, {operation}});
  }
}

std::vector<OneCallOracle::Span> OneCallOracle::narrowed(const std::vector<Span>& instants, const Read& read,
                                                         const Part& part, OperationId operation) const {
  if (!part.ended || undone_.contains(part.key) || !memory_.keeps_for(part.reading, read.begun)) return instants;
  const auto versions = memory_.held_since(part.reading, read.begun);
  std::vector<Span> held;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (versions[i].value != part.value) continue;
    const bool own = versions[i].operation >> kNumberBits == operation >> kNumberBits;
    if (own && versions[i].since > read.begun) return instants;
    held.push_back({versions[i].since, i + 1 < versions.size() ? versions[i + 1].since : position_ + 1});
  }
  if (held.empty()) return instants;  // from its session's buffer, or the oracle of single objects tells
  std::vector<Span> both;
  for (const Span& a : instants) {
    for (const Span& b : held) {
      const Span common{std::max(a.from, b.from), std::min(a.to, b.to)};
      if (common.from < common.to) both.push_back(common);
    }
  }
  return both;
}

}  // namespace racksim::sim
