#include "sim/register_history.hpp"

#include <algorithm>

namespace racksim::sim {

void RegisterHistory::reset(std::uint64_t value) {
  values_.assign(1, Value{value, {}, {}});
  pending_.clear();
  latest_forgotten_ = {};
}

bool RegisterHistory::begin_write(Moment begun, std::uint64_t value) {
  if (known(value) != nullptr) return false;
  values_.push_back({value, {kNever, 0, {}, {}}, begun});
  pending_.push_back({begun, value, true});
  return true;
}

void RegisterHistory::begin_read(Moment begun) {
  pending_.push_back({begun, 0, false});
}

void RegisterHistory::end_write(Moment ended) {
  const auto write = take(ended.operation);
  if (!write) return;
  // Its value may be forgotten already: other operations can read and overwrite it before its writer knows.
  auto* value = known(write->written);
  if (value != nullptr && value->first_end.position == kNever) value->first_end = ended;
  forget();
}

std::optional<RegisterHistory::Contradiction> RegisterHistory::end_read(Moment ended, std::uint64_t returned) {
  const auto read = take(ended.operation);
  if (!read) return std::nullopt;
  auto* value = known(returned);
  if (value == nullptr) return Contradiction{read->begun, std::nullopt, std::nullopt};
  if (value->first_end.position == kNever) value->first_end = ended;
  if (read->begun.position > value->last_begin.position) {
    value->last_begin = read->begun;
    // Forgotten values all ended before this read began, or they would not be forgotten.
    if (value->bound_before(latest_forgotten_)) return Contradiction{read->begun, *value, latest_forgotten_};
    for (const auto& other : values_) {
      if (&other != value && value->bound_before(other) && other.bound_before(*value))
        return Contradiction{read->begun, *value, other};
    }
  }
  forget();
  return std::nullopt;
}

bool RegisterHistory::abandon_oldest_read() {
  const auto read = std::find_if(pending_.begin(), pending_.end(), [](const Pending& p) { return !p.is_write; });
  if (read == pending_.end()) return false;
  pending_.erase(read);
  forget();
  return true;
}

std::optional<RegisterHistory::Pending> RegisterHistory::take(std::uint64_t operation) {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [operation](const Pending& p) { return p.begun.operation == operation; });
  if (found == pending_.end()) return std::nullopt;
  const auto result = *found;
  pending_.erase(found);
  return result;
}

RegisterHistory::Value* RegisterHistory::known(std::uint64_t value) {
  // From the back: the value in question is mostly a recent one.
  const auto found =
      std::find_if(values_.rbegin(), values_.rend(), [value](const Value& v) { return v.value == value; });
  return found == values_.rend() ? nullptr : &*found;
}

// Values whose operations so far all lie before any read that can still end are closed. A closed value that is bound
// before another closed or forgotten one cannot be read any more: that read would begin after the end of the other.
void RegisterHistory::forget() {
  if (values_.size() == 1) return;
  const auto oldest_read = std::find_if(pending_.begin(), pending_.end(), [](const Pending& p) { return !p.is_write; });
  const auto horizon = oldest_read == pending_.end() ? kNever : oldest_read->begun.position;
  const auto is_closed = [horizon](const Value& v) {
    return std::max(v.first_end.position, v.last_begin.position) < horizon;
  };
  Value latest, second;  // closed values with the latest last_begin
  for (const auto& v : values_) {
    if (!is_closed(v)) continue;
    if (v.last_begin.position >= latest.last_begin.position) {
      second = latest;
      latest = v;
    } else if (v.last_begin.position > second.last_begin.position) {
      second = v;
    }
  }
  const auto is_dead = [&, forgotten = latest_forgotten_](const Value& v) {
    return is_closed(v) && (v.bound_before(v.value == latest.value ? second : latest) || v.bound_before(forgotten));
  };
  auto kept = values_.begin();
  for (const auto& v : values_) {
    if (!is_dead(v)) {
      *kept++ = v;
    } else if (v.last_begin.position > latest_forgotten_.last_begin.position) {
      latest_forgotten_ = v;
    }
  }
  values_.erase(kept, values_.end());
}

}  // namespace racksim::sim
