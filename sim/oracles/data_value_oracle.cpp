#include "sim/oracles/data_value_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace racksim::sim {

namespace {
// The operations that contradict each other, the read first; 0 stands for the settled past.
std::vector<OperationId> involved(const Moment& read, const RegisterHistory::Contradiction& why) {
  std::vector<OperationId> operations{read.operation};
  if (!why.returned) return operations;
  for (const auto operation : {why.returned->first_end.operation, why.conflicting->last_begin.operation}) {
    if (operation != 0 && operation != read.operation) operations.push_back(operation);
  }
  return operations;
}
}  // namespace

DataValueOracle::DataValueOracle(const EventLog& event_log, std::size_t value_limit)
    : Oracle("data-value", "operation"), event_log_(event_log), value_limit_(value_limit) {}

void DataValueOracle::initial_value(Key key, Value value) {
  check_value({OperationKind::write, key, value}, true);
  auto& state = states_[key];
  if (state != kNeverWritten && state != value)
    throw std::runtime_error(
        fmt::format("oracle {}: key {} already has a history or another initial value", name(), printed_key(key)));
  state = value;
}

void DataValueOracle::observe(const Observation& observation) {
  const bool lost = observation.what == Observed::write_lost;
  if (!lost && !kAccessKinds.contains(observation.what)) return;
  expect_in_order(observation.at);
  if (lost) return lose(LostWriteView::of(observation), observation);
  const auto operation = OperationView::of(observation);
  if (!accesses_memory(operation.kind)) return;
  const Moment moment{++position_, observation.operation, observation.at, observation.source};
  auto& state = states_[operation.key];
  if (state == kConvicted) return;
  if (is_atomic(operation.kind)) {
    ++unjudged_keys_;
    if (state >= kOpen) return convict(state, static_cast<std::uint32_t>(state - kOpen));
    state = kConvicted;
    return;
  }
  if (gives_up(observation.what)) return give_up(operation, moment, state);
  begins(observation.what) ? begin(operation, moment, state) : end(operation, moment, state);
}

void DataValueOracle::begin(const OperationView& operation, const Moment& moment, State& state) {
  const auto index = open(state);
  auto& history = histories_[index];
  if (operation.kind == OperationKind::read) {
    history.begin_read(moment);
    return;
  }
  check_value(operation, false);
  if (!history.begin_write(moment, operation.value)) {
    violated(moment.at,
             fmt::format("key {}: {} writes value {}, which another write carries already", printed_key(operation.key),
                         told(moment), operation.value),
             {operation.key, {moment.operation}});
    return convict(state, index);
  }
  while (history.values().size() > value_limit_ && history.abandon_oldest_read()) ++unchecked_reads_;
}

void DataValueOracle::end(const OperationView& operation, const Moment& moment, State& state) {
  if (state < kOpen) return;  // nothing is pending on a settled key
  count_judged();
  const auto index = static_cast<std::uint32_t>(state - kOpen);
  auto& history = histories_[index];
  if (operation.kind == OperationKind::write) {
    history.end_write(moment);
  } else if (const auto why = history.end_read(moment, operation.value)) {
    violated(moment.at, keeps_more() ? explained(operation, moment, history, *why) : std::string(),
             {operation.key, involved(moment, *why)});
    return convict(state, index);
  }
  settle(operation.key, state, index);
}

// A write that was given up stays pending: it may take effect at any time, or never.
void DataValueOracle::give_up(const OperationView& operation, const Moment& moment, State& state) {
  if (state < kOpen || operation.kind == OperationKind::write) return;
  const auto index = static_cast<std::uint32_t>(state - kOpen);
  histories_[index].abandon_read(moment.operation);
  settle(operation.key, state, index);
}

// Who loses a write that nobody has begun, or loses any in a run that expects none, hides something.
void DataValueOracle::lose(const LostWriteView& lost, const Observation& observation) {
  auto& state = states_[lost.key];
  if (state == kConvicted) return;
  const auto index = open(state);
  if (expects_losses_ && histories_[index].undo(lost.value, ++position_)) return;
  violated(observation.at,
           fmt::format("key {}: value {} of {} is said to be lost, {}", printed_key(lost.key), lost.value,
                       event_log_.called(observation.source),
                       expects_losses_ ? "but no write of it has begun" : "though the protocol promises to lose none"),
           {lost.key, {}});
  convict(state, index);
}

// A key that nobody has written is as good as one that nobody has used.
void DataValueOracle::settle(Key key, State& state, std::uint32_t index) {
  if (!histories_[index].is_settled()) return;
  const Value value = histories_[index].values().front().value;
  vacant_.push_back(index);
  if (value != kNeverWritten) {
    state = value;
  } else {
    states_.erase(key);
  }
}

void DataValueOracle::convict(State& state, std::uint32_t index) {
  state = kConvicted;
  vacant_.push_back(index);
}

bool DataValueOracle::may_hold(Key key, Value value) const {
  const State* state = states_.find(key);
  if (state == nullptr) return value == kNeverWritten;
  if (*state == kConvicted) return true;
  if (*state < kOpen) return *state == value;
  const auto possible = possible_values(key);
  return std::binary_search(possible.begin(), possible.end(), value);
}

std::vector<Value> DataValueOracle::possible_values(Key key) const {
  const State* state = states_.find(key);
  if (state == nullptr) return {kNeverWritten};
  if (*state == kConvicted) return {};
  if (*state < kOpen) return {Value{*state}};
  const auto& history = histories_[*state - kOpen];
  std::vector<Value> possible;
  for (const auto& value : history.values()) {
    if (history.is_current(value)) possible.push_back(value.value);
  }
  std::sort(possible.begin(), possible.end());
  return possible;
}

std::uint32_t DataValueOracle::open(State& state) {
  if (state >= kOpen) return static_cast<std::uint32_t>(state - kOpen);
  if (vacant_.empty()) {
    vacant_.push_back(static_cast<std::uint32_t>(histories_.size()));
    histories_.emplace_back();
  }
  const auto index = vacant_.back();
  vacant_.pop_back();
  histories_[index].reset(Value{state});
  if (expects_losses_) histories_[index].keep_past();
  state = kOpen + index;
  return index;
}

void DataValueOracle::check_value(const OperationView& operation, bool may_be_unwritten) const {
  if (operation.value < kValueBound && (may_be_unwritten || operation.value != kNeverWritten)) return;
  throw std::runtime_error(fmt::format("oracle {}: key {} is given value {}, but written values lie in [1, 2^63)",
                                       name(), printed_key(operation.key), operation.value));
}

std::string DataValueOracle::explained(const OperationView& read, const Moment& ended, const RegisterHistory& history,
                                       const RegisterHistory::Contradiction& why) const {
  auto text = fmt::format("key {}: read by {}, ended at {}, returned value {}, ", printed_key(read.key),
                          told(why.read_begun), printed(ended.at), read.value);
  if (!why.returned) {
    text += "which had been overwritten before the read began, or which no write had begun to write; it could return";
    const char* separator = " ";
    for (const auto& value : history.values()) {
      text += fmt::format("{}{}", separator, value.value);
      separator = ", ";
    }
    return text;
  }
  const auto& old = *why.returned;
  const auto& newer = *why.conflicting;
  return text + fmt::format(
                    "but value {} came after it: {} had to do with value {} and ended before {} had to do with "
                    "value {}, and that value was complete before the read began",
                    newer.value, told(old.first_end), old.value, told(newer.last_begin), newer.value);
}

std::string DataValueOracle::told(const Moment& moment) const {
  if (moment.operation == 0) return "the state before the pending operations";
  return fmt::format("{} ({})", event_log_.operation(moment.operation, moment.session), printed(moment.at));
}

}  // namespace racksim::sim
