#include "sim/checkers/history_recorder.hpp"

#include <algorithm>
#include <tuple>

#include "sim/record/run_hash.hpp"
#include "sim/record/space_saving.hpp"

namespace racksim::sim::checkers {
namespace {

constexpr std::size_t kSampledPart = 4;  // of the budget: one in so many operations is for keys chosen by their hash
constexpr std::size_t kMostUsed = 1024;  // keys that may be kept whatever their hash
constexpr unsigned kMostHalvings = 63;

}  // namespace

void HistoryRecorder::initial_value(Key key, Value value) {
  if (keeps(key)) initials_.push_back({key, value});
}

void HistoryRecorder::observe(const Observation& observation) {
  const bool begun = begins(observation.what);
  if (observation.what == Observed::write_lost) {
    left_out_.insert(LostWriteView::of(observation).key);
    return;
  }
  if (!begun && !ends(observation.what)) return;
  const auto view = OperationView::of(observation);
  if (!accesses_memory(view.kind)) return;
  ++position_;
  if (is_atomic(view.kind)) left_out_.insert(view.key);
  const auto action = view.kind == OperationKind::read ? Action::read : Action::write;
  if (!keeps(view.key) || cut_.contains(view.key) || is_atomic(view.kind)) {
    dropped_ += begun ? 1 : 0;
    return;
  }
  if (begun) {
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

bool HistoryRecorder::is_sampled(Key key) const {
  HashMixer mixer(0);
  mixer.add(key);
  return mixer.finish().low >> (kMostHalvings - halvings_) >> 1 == 0;
}

void HistoryRecorder::stay_within_budget() {
  if (operations_.size() <= budget_) return;
  choose_most_used();
  const auto give_up = [this] {
    dropped_ += std::erase_if(operations_, [this](const Operation& operation) { return !keeps(operation.key); });
  };
  give_up();
  // So much that this is not to be done again soon.
  while (operations_.size() > budget_ - budget_ / (2 * kSampledPart) && halvings_ < kMostHalvings) {
    ++halvings_;
    give_up();
  }
  std::erase_if(initials_, [this](const Initial& initial) { return !keeps(initial.key); });
  index_pending();
}

void HistoryRecorder::choose_most_used() {
  SpaceSaving uses(kMostUsed);
  for (const Operation& operation : operations_) uses.add(operation.key);
  std::vector<SpaceSaving::Counter> keys = uses.counters();
  std::sort(keys.begin(), keys.end(),
            [](const auto& a, const auto& b) { return a.count != b.count ? a.count > b.count : a.key < b.key; });
  std::size_t room = budget_ - budget_ / kSampledPart;
  if (keys.front().count > room) {
    keep_beginning(keys.front().key, room);
    keys.front().count = room;
  }
  most_used_.clear();
  for (const SpaceSaving::Counter& one : keys) {
    if (one.count > room) continue;
    most_used_.insert(one.key);
    room -= one.count;
  }
}

void HistoryRecorder::keep_beginning(Key key, std::size_t operations) {
  std::uint64_t end = 0;
  for (const Operation& operation : operations_) {
    if (operation.key != key || operations-- > 0) continue;
    end = operation.invoked;
    break;
  }
  if (end == 0) return;  // it has been used less than its counter says
  cut_.insert(key);
  dropped_ += std::erase_if(operations_, [&](const Operation& one) { return one.key == key && one.invoked >= end; });
  for (Operation& one : operations_) {
    if (one.key == key && one.responded > end) one.responded = Operation::kPending;
  }
}

void HistoryRecorder::index_pending() {
  pending_ = {};
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    if (operations_[i].pending()) pending_[operations_[i].id] = i;
  }
}

}  // namespace racksim::sim::checkers
