#include "sim/oracles/values_at_rest_oracle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "sim/record/history.hpp"

namespace racksim::sim {

namespace {
std::string name_of(Holder holder) {
  return holder.is_switch() ? std::string("the switch") : fmt::format("node {}", holder.number());
}
}  // namespace

void ValuesAtRestOracle::home(Key key, Value value) {
  shown_.push_back({key, value, Holder::network_switch(), Role::home});
}

void ValuesAtRestOracle::copy(Key key, Holder holder, Value value, CopyState state) {
  shown_.push_back({key, value, holder, state == CopyState::dirty ? Role::dirty : Role::clean});
}

void ValuesAtRestOracle::lost(Key key) {
  shown_.push_back({key, kNeverWritten, Holder::network_switch(), Role::lost});
}

void ValuesAtRestOracle::finish(Time end) {
  const auto by_key = [](const Shown& a, const Shown& b) {
    return std::tie(a.key, a.role, a.holder, a.value) < std::tie(b.key, b.role, b.holder, b.value);
  };
  std::sort(shown_.begin(), shown_.end(), by_key);
  shown_.erase(std::unique(shown_.begin(), shown_.end()), shown_.end());  // pieces of one item
  // A key that was written and of which nothing is shown has a home that nobody has written.
  std::vector<Shown> unwritten;
  history_.visit_keys([&](Key key) {
    const auto at = std::lower_bound(shown_.begin(), shown_.end(), key,
                                     [](const Shown& shown, std::uint64_t k) { return shown.key < k; });
    if (at == shown_.end() || at->key != key)
      unwritten.push_back({key, kNeverWritten, Holder::network_switch(), Role::home});
  });
  if (!unwritten.empty()) {
    shown_.insert(shown_.end(), unwritten.begin(), unwritten.end());
    std::sort(shown_.begin(), shown_.end(), by_key);
  }
  count_judged(shown_.size());
  for (auto first = shown_.cbegin(); first != shown_.cend();) {
    const auto last = std::find_if(first, shown_.cend(), [&](const Shown& shown) { return shown.key != first->key; });
    judge(first, last, end);
    first = last;
  }
}

void ValuesAtRestOracle::judge(Iterator first, Iterator last, Time end) {
  if (first->role == Role::lost) return;
  const auto key = first->key;
  Shown current = *first;
  if (current.role == Role::clean) current = {key, kNeverWritten, Holder::network_switch(), Role::home};
  judge_current(key, current, end);
  const auto whose = [&] {
    return current.role == Role::dirty ? fmt::format("{}, which holds it dirty,", name_of(current.holder))
                                       : std::string("its home");
  };
  for (auto other = first; other != last; ++other) {
    if (other->role == Role::dirty && other != first) {
      violated(end,
               fmt::format("key {}: {} and {} both hold it dirty, with values {} and {}", printed_key(key),
                           name_of(current.holder), name_of(other->holder), current.value, other->value),
               {key, {}});
    }
    if (other->role == Role::clean && other->value != current.value) {
      violated(end,
               fmt::format("key {}: {} holds a clean copy of value {}, but {} has {}", printed_key(key),
                           name_of(other->holder), other->value, whose(), current.value),
               {key, {}});
    }
  }
}

void ValuesAtRestOracle::judge_current(Key key, const Shown& current, Time end) {
  if (history_.may_hold(key, current.value)) return;
  const auto last = history_.possible_values(key);
  violated(end,
           fmt::format("key {}: {} has value {}, but the last write wrote {}{}", printed_key(key),
                       current.role == Role::dirty ? name_of(current.holder) + ", which holds it dirty," : "its home",
                       current.value, last.size() > 1 ? "one of " : "", fmt::join(last, ", ")),
           {key, {}});
}

}  // namespace racksim::sim
