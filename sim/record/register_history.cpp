#include "sim/record/register_history.hpp"

#include <algorithm>

namespace racksim::sim {

void RegisterHistory::reset(Value value) {
  values_.assign(1, KnownValue{value, {}, {}});
  past_.clear();
  pending_.clear();
}

void RegisterHistory::keep_past() {
  keeps_past_ = true;
  if (values_.front().value == kNeverWritten) return;
  past_.push_back({kNeverWritten, {}, {}});
  values_.front().last_begin.position = 1;  // after what it has overwritten, and before all that is written
}

bool RegisterHistory::begin_write(Moment begun, Value value) {
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

std::optional<RegisterHistory::Contradiction> RegisterHistory::end_read(Moment ended, Value returned) {
  const auto read = take(ended.operation);
  if (!read) return std::nullopt;
  auto* value = known(returned);
  if (value == nullptr || undone_for(*value, read->begun.position)) {
    return Contradiction{read->begun, std::nullopt, std::nullopt};
  }
  if (value->first_end.position == kNever) value->first_end = ended;
  if (read->begun.position > value->last_begin.position) {
    value->last_begin = read->begun;
    for (const auto& other : values_) {
      if (&other != value && !other.is_undone() && !value->is_undone() && value->bound_before(other) &&
          other.bound_before(*value))
        return Contradiction{read->begun, *value, other};
    }
  }
  forget();
  return std::nullopt;
}

void RegisterHistory::abandon_read(OperationId operation) {
  if (take(operation)) forget();
}

bool RegisterHistory::abandon_oldest_read() {
  const auto read = std::find_if(pending_.begin(), pending_.end(), [](const Pending& p) { return !p.is_write; });
  if (read == pending_.end()) return false;
  pending_.erase(read);
  forget();
  return true;
}

bool RegisterHistory::undo(Value value, std::uint64_t position) {
  auto* undone = known(value);
  if (undone == nullptr) {
    const auto forgotten =
        std::find_if(past_.begin(), past_.end(), [&](const KnownValue& v) { return v.value == value; });
    if (forgotten == past_.end()) return false;
    past_.erase(forgotten);
  } else if (!undone->is_undone()) {
    undone->undone = position;
  }
  // What it had overwritten, and nothing else has, can be read again.
  const auto overwritten = [](const KnownValue& v, const std::vector<KnownValue>& by) {
    return std::any_of(by.begin(), by.end(), [&](const KnownValue& other) {
      return other.value != v.value && !other.is_undone() && other.first_end.position != kNever &&
             v.bound_before(other);
    });
  };
  std::vector<KnownValue> back;
  for (const KnownValue& v : past_) {
    if (!overwritten(v, values_) && !overwritten(v, past_)) back.push_back(v);
  }
  for (const KnownValue& v : back) std::erase_if(past_, [&](const KnownValue& old) { return old.value == v.value; });
  values_.insert(values_.end(), back.begin(), back.end());
  forget();
  return true;
}

// A read that begins now binds every value that an operation has ended with before its own.
bool RegisterHistory::is_current(const KnownValue& value) const {
  return !value.is_undone() && std::none_of(values_.begin(), values_.end(), [&](const KnownValue& other) {
    return &other != &value && !other.is_undone() && other.first_end.position != kNever && value.bound_before(other);
  });
}

std::optional<RegisterHistory::Pending> RegisterHistory::take(OperationId operation) {
  const auto found = std::find_if(pending_.begin(), pending_.end(),
                                  [operation](const Pending& p) { return p.begun.operation == operation; });
  if (found == pending_.end()) return std::nullopt;
  const auto result = *found;
  pending_.erase(found);
  return result;
}

RegisterHistory::KnownValue* RegisterHistory::known(Value value) {
  // From the back: the value in question is mostly a recent one.
  const auto found =
      std::find_if(values_.rbegin(), values_.rend(), [value](const KnownValue& v) { return v.value == value; });
  return found == values_.rend() ? nullptr : &*found;
}

// A read that ends from now on began at the horizon or later: it is pending, or yet to begin. Call a value closed if
// its first_end lies before the horizon. If v is bound before a closed u, a read that returned v would bind u before v
// too: v cannot be read any more and is forgotten. That loses no later contradiction with v. It would need a value x
// that is bound before v and can still be read, hence is not bound before a closed value. So v is not closed, and
// last_begin(v) > first_end(x) > last_begin(u) > first_end(v) > horizon > first_end(u): v and u are bound before each
// other already, which was reported.
void RegisterHistory::forget() {
  if (values_.size() == 1) return;
  const auto oldest_read = std::find_if(pending_.begin(), pending_.end(), [](const Pending& p) { return !p.is_write; });
  const auto horizon = oldest_read == pending_.end() ? kNever : oldest_read->begun.position;
  const auto is_closed = [horizon](const KnownValue& v) { return !v.is_undone() && v.first_end.position < horizon; };
  KnownValue latest, second;  // closed values with the latest last_begin
  for (const auto& v : values_) {
    if (!is_closed(v)) continue;
    if (v.last_begin.position >= latest.last_begin.position) {
      second = latest;
      latest = v;
    } else if (v.last_begin.position > second.last_begin.position) {
      second = v;
    }
  }
  // One that is undone can be read by those reads that had begun before.
  std::erase_if(values_, [&](const KnownValue& v) { return v.is_undone() && v.undone < horizon; });
  std::erase_if(values_, [&](const KnownValue& v) {
    const bool forgotten = !v.is_undone() && v.bound_before(v.value == latest.value ? second : latest);
    if (forgotten && keeps_past_) past_.push_back(v);
    return forgotten;
  });
}

}  // namespace racksim::sim
