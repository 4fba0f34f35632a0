#include "sim/checkers/history_recorder.hpp"

#include <algorithm>
#include <tuple>

#include "sim/record/run_hash.hpp"

namespace racksim::sim::checkers {
namespace {

constexpr std::size_t kInitialsPerOperation = 4;
constexpr unsigned kMostHalvings = 63;

}  // namespace

void HistoryRecorder::initial_value(Key key, Value value) {
  if (!keeps(key)) return;
  initials_.push_back({key, value});
  stay_within_budget();
}

void HistoryRecorder::observe(const Observation& observation) {
  const bool begins = observation.what == Observed::operation_begun;
  if (observation.what == Observed::write_lost) {
    left_out_.insert(LostWriteView::of(observation).key);
    return;
  }
  if (!begins && observation.what != Observed::operation_ended) return;
  const auto view = OperationView::of(observation);
  if (!accesses_memory(view.kind)) return;
  ++position_;
  if (is_atomic(view.kind)) left_out_.insert(view.key);
  const auto action = view.kind == OperationKind::read ? Action::read : Action::write;
  if (!keeps(view.key) || is_atomic(view.kind)) {
    dropped_ += begins ? 1 : 0;
    return;
  }
  if (begins) {
    Operation operation;
    operation.id = observation.operation;
    operation.session = observation.source.index;
    operation.action = action;
    operation.key = view.key;
    operation.argument = view.value;
    operation.invoked = position_;
    operation.invoked_at = observation.at;
    pending_[operation.id] = operations_.size();
    operations_.push_back(operation);
    return stay_within_budget();
  }
  const auto* index = pending_.find(observation.operation);
  if (index == nullptr) return;
  auto& operation = operations_[*index];
  operation.responded = position_;
  operation.responded_at = observation.at;
  if (action == Action::read) operation.result = view.value;
  pending_.erase(observation.operation);
}

std::vector<KeyHistory> HistoryRecorder::by_key() {
  std::sort(operations_.begin(), operations_.end(), [](const Operation& a, const Operation& b) {
    return std::tie(a.key, a.invoked) < std::tie(b.key, b.invoked);
  });
  index_pending();
  std::sort(initials_.begin(), initials_.end(), [](const Initial& a, const Initial& b) { return a.key < b.key; });
  std::vector<KeyHistory> result;
  auto initial = initials_.begin();
  for (auto begin = operations_.begin(); begin != operations_.end();) {
    const auto end = std::find_if(begin, operations_.end(), [&](const Operation& o) { return o.key != begin->key; });
    while (initial != initials_.end() && initial->key < begin->key) ++initial;
    const bool known = initial != initials_.end() && initial->key == begin->key;
    if (!left_out_.contains(begin->key)) {
      result.push_back({begin->key, known ? initial->value : kNeverWritten, {begin, end}});
    }
    begin = end;
  }
  return result;
}

bool HistoryRecorder::keeps(Key key) const {
  HashMixer mixer(0);
  mixer.add(key);
  return mixer.finish().low >> (kMostHalvings - halvings_) >> 1 == 0;
}

void HistoryRecorder::stay_within_budget() {
  const auto before = halvings_;
  while (operations_.size() + initials_.size() / kInitialsPerOperation > budget_ && halvings_ < kMostHalvings) {
    ++halvings_;
    dropped_ += std::erase_if(operations_, [this](const Operation& operation) { return !keeps(operation.key); });
    std::erase_if(initials_, [this](const Initial& initial) { return !keeps(initial.key); });
  }
  if (halvings_ != before) index_pending();
}

void HistoryRecorder::index_pending() {
  pending_ = {};
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (operations_[i].pending()) pending_[operations_[i].id] = i;
  }
}

}  // namespace racksim::sim::checkers
