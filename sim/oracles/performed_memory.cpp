#include "sim/oracles/performed_memory.hpp"

#include <algorithm>

namespace racksim::sim {

Value PerformedMemory::value(Key key) const {
  const Value* value = values_.find(key);
  return value == nullptr ? kNeverWritten : *value;
}

void PerformedMemory::perform(Key key, const Version& version) {
  values_[key] = version.value;
  const Reading* reading = open_.find(key);
  if (reading == nullptr) return;
  History& history = histories_[*reading];
  history.versions.push_back(version);
  while (history.versions.size() > version_limit_ && !history.reads.empty()) {
    history.reads.erase(history.reads.begin());
    forget(history);
  }
}

PerformedMemory::Reading PerformedMemory::begin_read(Key key, std::uint64_t position) {
  if (const Reading* found = open_.find(key)) {
    histories_[*found].reads.push_back(position);
    ++histories_[*found].under_way;
    return *found;
  }
  if (vacant_.empty()) {
    vacant_.push_back(static_cast<Reading>(histories_.size()));
    histories_.emplace_back();
  }
  const Reading reading = vacant_.back();
  vacant_.pop_back();
  open_[key] = reading;
  History& history = histories_[reading];
  history.key = key;
  history.versions.assign(1, Version{value(key), 0, 0});
  history.reads.push_back(position);
  history.under_way = 1;
  return reading;
}

void PerformedMemory::end_read(Reading reading, std::uint64_t position) {
  History& history = histories_[reading];
  const auto read = std::lower_bound(history.reads.begin(), history.reads.end(), position);
  if (read != history.reads.end() && *read == position) history.reads.erase(read);
  forget(history);
  if (--history.under_way > 0) return;
  open_.erase(history.key);
  if (history.versions.back().value == kNeverWritten) values_.erase(history.key);  // all that wrote it was undone
  vacant_.push_back(reading);
}

bool PerformedMemory::keeps_for(Reading reading, std::uint64_t position) const {
  const auto& reads = histories_[reading].reads;
  return std::binary_search(reads.begin(), reads.end(), position);
}

bool PerformedMemory::held(Reading reading, Value value, std::uint64_t after) const {
  const History* history = &histories_[reading];
  // The latest are the likeliest. Those before the last one that began by then were gone.
  for (auto version = history->versions.rbegin(); version != history->versions.rend(); ++version) {
    if (version->value == value) return true;
    if (version->since <= after) return false;
  }
  return false;
}

std::vector<PerformedMemory::Version> PerformedMemory::held_since(Reading reading, std::uint64_t after) const {
  std::vector<Version> result;
  const History* history = &histories_[reading];
  for (auto version = history->versions.rbegin(); version != history->versions.rend(); ++version) {
    result.push_back(*version);
    if (version->since <= after) break;
  }
  std::reverse(result.begin(), result.end());
  return result;
}

// A version that was gone when the oldest read began cannot be seen any more.
void PerformedMemory::forget(History& history) {
  auto& versions = history.versions;
  const auto horizon = history.reads.empty() ? ~std::uint64_t{0} : history.reads.front();
  while (versions.size() > 1 && versions[1].since <= horizon) versions.pop_front();
}

}  // namespace racksim::sim
