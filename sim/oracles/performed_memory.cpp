#include "sim/oracles/performed_memory.hpp"

#include <algorithm>

namespace racksim::sim {

Value PerformedMemory::value(Key key) const {
  const Cell* cell = cells_.find(key);
  return cell == nullptr ? kNeverWritten : cell->value;
}

void PerformedMemory::perform(Key key, const Version& version) {
  Cell& cell = cells_[key];
  cell.value = version.value;
  if (cell.history == kNone) return;
  History& history = histories_[cell.history];
  history.versions.push_back(version);
  while (history.versions.size() > version_limit_ && !history.reads.empty()) {
    history.reads.erase(history.reads.begin());
    forget(history);
  }
}

void PerformedMemory::begin_read(Key key, std::uint64_t position) {
  Cell& cell = cells_[key];
  if (cell.history == kNone) {
    if (vacant_.empty()) {
      vacant_.push_back(static_cast<std::uint32_t>(histories_.size()));
      histories_.emplace_back();
    }
    cell.history = vacant_.back();
    vacant_.pop_back();
    histories_[cell.history].versions.assign(1, Version{cell.value, 0, 0});
  }
  histories_[cell.history].reads.push_back(position);
}

void PerformedMemory::end_read(Key key, std::uint64_t position) {
  Cell* cell = cells_.find(key);
  if (cell == nullptr || cell->history == kNone) return;
  History& history = histories_[cell->history];
  const auto read = std::lower_bound(history.reads.begin(), history.reads.end(), position);
  if (read != history.reads.end() && *read == position) history.reads.erase(read);
  forget(history);
  if (!history.reads.empty()) return;
  vacant_.push_back(cell->history);
  cell->history = kNone;
  if (cell->value == kNeverWritten) cells_.erase(key);
}

bool PerformedMemory::keeps_for(Key key, std::uint64_t position) const {
  const History* history = history_of(key);
  return history != nullptr && std::binary_search(history->reads.begin(), history->reads.end(), position);
}

bool PerformedMemory::held(Key key, Value value, std::uint64_t after) const {
  const History* history = history_of(key);
  if (history == nullptr) return false;
  // The latest are the likeliest. Those before the last one that began by then were gone.
  for (auto version = history->versions.rbegin(); version != history->versions.rend(); ++version) {
    if (version->value == value) return true;
    if (version->since <= after) return false;
  }
  return false;
}

std::vector<PerformedMemory::Version> PerformedMemory::held_since(Key key, std::uint64_t after) const {
  std::vector<Version> result;
  const History* history = history_of(key);
  if (history == nullptr) return result;
  for (auto version = history->versions.rbegin(); version != history->versions.rend(); ++version) {
    result.push_back(*version);
    if (version->since <= after) break;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

const PerformedMemory::History* PerformedMemory::history_of(Key key) const {
  const Cell* cell = cells_.find(key);
  return cell == nullptr || cell->history == kNone ? nullptr : &histories_[cell->history];
}

// A version that was gone when the oldest read began cannot be seen any more.
void PerformedMemory::forget(History& history) {
  auto& versions = history.versions;
  const auto horizon = history.reads.empty() ? ~std::uint64_t{0} : history.reads.front();
  while (versions.size() > 1 && versions[1].since <= horizon) versions.pop_front();
}

}  // namespace racksim::sim
