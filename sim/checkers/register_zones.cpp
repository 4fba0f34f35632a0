#include "sim/checkers/register_zones.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sim/checkers/register_values.hpp"

namespace racksim::sim::checkers {
namespace {

constexpr std::size_t kNone = RegisterValues::kNone;

struct Zone {
  std::uint64_t in_place = Operation::kPending;
  std::uint64_t last_begin = 0;
  // The operations that say so; none for the initial value.
  std::size_t ends = kNone, begins = kNone;

  bool bound_before(const Zone& other) const { return in_place < other.last_begin; }
};

/// Two values that are bound before each other. In the order of last_begin, v's partners among the values before it are
/// those that begin after v was in place, a suffix; of these the one that was in place first is the most binding.
std::optional<std::pair<std::size_t, std::size_t>> find_contradiction(const std::vector<Zone>& zones) {
  std::vector<std::size_t> order(zones.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return zones[a].last_begin < zones[b].last_begin; });
  // Places in `order` whose value was in place before that of every later place so far: the minima of all suffixes.
  std::vector<std::size_t> minima;
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto& zone = zones[order[place]];
    const auto first = std::partition_point(minima.begin(), minima.end(), [&](std::size_t earlier) {
      return zones[order[earlier]].last_begin <= zone.in_place;
    });
    if (first != minima.end() && zones[order[*first]].bound_before(zone)) return std::pair{order[*first], order[place]};
    while (!minima.empty() && zones[order[minima.back()]].in_place >= zone.in_place) minima.pop_back();
    minima.push_back(place);
  }
  return std::nullopt;
}

enum class Counts : bool { writes_alone, reads_too };

Outcome check(Operations operations, std::uint64_t initial, Counts ends, const char* promise) {
  const RegisterValues values(operations, initial);
  if (values.problem().verdict != Verdict::pass) return values.problem();
  std::vector<Zone> zones(values.size());
  zones[0].in_place = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto& operation = operations[i];
    const auto value = values.value_of(i);
    if (value == kNone) continue;
    const auto write = values.write_of(value);
    if (write != kNone && operation.precedes(operations[write])) {
      return {Verdict::fail, "a read had returned a value before its write began", {operation, operations[write]}};
    }
    auto& zone = zones[value];
    const bool is_write = operation.action == Action::write;
    if ((is_write || ends == Counts::reads_too) && operation.responded < zone.in_place) {
      zone.in_place = operation.responded;
      zone.ends = i;
    }
    if (operation.invoked > zone.last_begin) {
      zone.last_begin = operation.invoked;
      zone.begins = i;
    }
  }
  const auto found = find_contradiction(zones);
  if (!found) return {};
  // The later of the two beginnings is the one that made it impossible.
  auto [older, newer] = *found;
  if (zones[older].last_begin < zones[newer].last_begin) std::swap(older, newer);
  Outcome outcome{Verdict::fail, promise, {}};
  for (const auto index : {zones[newer].ends, zones[older].begins, zones[older].ends, zones[newer].begins}) {
    if (index != kNone) outcome.operations.push_back(operations[index]);
  }
  return outcome;
}

}  // namespace

Outcome check_linearizable_register(Operations operations, std::uint64_t initial) {
  return check(operations, initial, Counts::reads_too,
               "two values would each have to come before the other, for of each an operation ended before one of the "
               "other began");
}

Outcome check_no_stale_read(Operations operations, std::uint64_t initial) {
  return check(operations, initial, Counts::writes_alone,
               "a read returned an older value than one whose write had been acknowledged before the read began, "
               "whichever of two values is taken for the older");
}

}  // namespace racksim::sim::checkers
