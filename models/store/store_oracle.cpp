// Judges a store's record and what it leaves in memory. See store_oracle.hpp.
#include "models/store/store_oracle.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "models/service/oracle_entry.hpp"
#include "models/store/pair.hpp"
#include "sim/checkers/linearizability_search.hpp"
#include "sim/checkers/specification.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::models {

using sim::Observed;

StoreOracle::StoreOracle(HashStore& store, bool erases)
    : Oracle("key-value", "operation"),
      store_(store),
      erases_(erases),
      record_(*this),
      memory_(store.memory()),
      values_(store.history()),
      keys_(sim::StrayAnswer::wrong_key, store.history()),
      torn_(store.history()) {}

void StoreOracle::watch() {
  store_.history().attach(record_);
}

void StoreOracle::recorded(const sim::Observation& observation) {
  if (crashed_) return;
  if (observation.what == Observed::stray_answer) {
    keys_.observe(observation);
    torn_.observe(observation);
    return;
  }
  sim::OperationView operation = sim::OperationView::of(observation);
  const bool erasure = operation.kind == sim::OperationKind::erase;
  if (erasure) erased_.insert(operation.key);
  if (!erased_.contains(operation.key)) values_.observe(observation);
  if (!erases_) return;
  // An erasure is a write of what stands for absence.
  sim::Observation told = observation;
  if (erasure) {
    told.detail[0] = static_cast<std::uint64_t>(sim::OperationKind::write);
    told.detail[2] = absent(operation.key);
  }
  histories_.observe(told);
}

void StoreOracle::take(const sim::Oracle& from) {
  for (const sim::Violation& found : from.violations()) violated(found.at, found.what);
}

void StoreOracle::finish(sim::Time end) {
  values_.finish(end);
  count_judged(values_.judged());
  take(values_);
  take(keys_);
  take(torn_);
  if (crashed_ || memory_.is_half_done()) return;
  judge_erased(end);
  judge_rest(end);
}

namespace {

/// A tenth of a second for a key, at most: many that wait at once have too many orders.
constexpr sim::checkers::SearchBudget kSearch{.steps = std::uint64_t{1} << 17};

std::uint64_t last_position(const std::vector<sim::checkers::Operation>& operations) {
  std::uint64_t last = 0;
  for (const auto& one : operations) last = std::max(last, one.pending() ? one.invoked : one.responded);
  return last;
}

}  // namespace

void StoreOracle::judge_erased(sim::Time end) {
  for (const sim::checkers::KeyHistory& history : histories_.by_key()) {
    if (!erased_.contains(history.key)) continue;
    std::vector<sim::checkers::Operation> operations(history.operations.begin(), history.operations.end());
    // Whoever reads now finds what memory holds.
    const AtRest rest = at_rest(history.key, end);
    const std::uint64_t behind = operations.empty() ? 1 : last_position(operations) + 1;
    operations.push_back({.id = ~std::uint64_t{0},
                          .session = ~std::uint32_t{0},
                          .action = sim::checkers::Action::read,
                          .key = history.key,
                          .result = rest.pairs == 0 ? absent(history.key) : rest.value,
                          .invoked = behind,
                          .responded = behind + 1,
                          .invoked_at = end,
                          .responded_at = end});
    const auto outcome = sim::checkers::search_linearizable(operations, sim::checkers::RegisterSpecification(),
                                                            history.initial, kSearch);
    if (outcome.verdict == sim::checkers::Verdict::undecided) continue;
    count_judged(operations.size());
    if (outcome.verdict == sim::checkers::Verdict::pass) continue;
    violated(end,
             fmt::format("what was got of key {}, which was erased, is not linearizable: {}",
                         sim::printed_key(history.key), sim::checkers::explained(outcome, [&](std::uint32_t session) {
                           if (session == ~std::uint32_t{0}) return std::string("whoever reads at rest");
                           return store_.history().called(sim::Source{session});
                         })));
  }
}

void StoreOracle::judge_rest(sim::Time end) {
  std::set<std::uint64_t> keys;
  values_.visit_keys([&](sim::Key key) { keys.insert(key); });
  keys.insert(erased_.begin(), erased_.end());
  for (const std::uint64_t number : keys) {
    const sim::Key key{number};
    const AtRest rest = at_rest(key, end);
    if (rest.pairs > 1) violated(end, fmt::format("key {} has {} pairs at rest", sim::printed_key(key), rest.pairs));
    if (erased_.contains(number)) continue;
    const sim::Value value = rest.pairs == 0 ? absent(key) : rest.value;
    if (!values_.may_hold(key, value)) {
      violated(end, rest.pairs == 0 ? fmt::format("key {} is not there at rest", sim::printed_key(key))
                                    : fmt::format("key {} has the value {} at rest, which is not its last one",
                                                  sim::printed_key(key), value));
    }
  }
}

StoreOracle::AtRest StoreOracle::at_rest(sim::Key key, sim::Time end) {
  const TableLayout& layout = store_.layout();
  const std::uint64_t number = layout.bucket_of(hash_of(key));
  const bool is_new = chains_.insert(number).second;
  AtRest found;
  std::set<std::uint64_t> seen;
  for (GlobalAddress at = layout.address_of(number); seen.insert(at.value).second;) {
    Bucket bucket;
    memory_.read(at, bucket.bytes());
    for (unsigned i = 0; i < Bucket::kEntries; ++i) {
      const BucketEntry entry = bucket.entry(i);
      if (entry.is_empty()) continue;
      std::vector<std::byte> bytes(entry.bytes);
      memory_.read(entry.pair, bytes);
      const StoredPair pair(bytes);
      if (is_new) judge_pair(pair.key(), entry, end);
      if (pair.key() != key) continue;
      ++found.pairs;
      found.value = pair.value();
    }
    if (bucket.overflow() == GlobalAddress{}) return found;
    at = bucket.overflow();
  }
  violated(end, fmt::format("the chain of bucket {} leads back into itself", number));
  return found;
}

void StoreOracle::judge_pair(sim::Key key, const BucketEntry& entry, sim::Time end) {
  const auto [place, added] = taken_.emplace(entry.pair.value, entry.bytes);
  const auto behind = std::next(place);
  bool alone = added && (behind == taken_.end() || place->first + place->second <= behind->first);
  if (place != taken_.begin()) {
    const auto before = std::prev(place);
    alone = alone && before->first + before->second <= place->first;
  }
  if (!alone) {
    violated(end,
             fmt::format("the pair of key {} at {:#x} lies over another one", sim::printed_key(key), entry.pair.value));
  }
}

namespace {

const sim::Registration<OracleEntry> key_value_oracle({
    .name = "key-value",
    .doc = "what is got and put of each key of a store in shared memory is linearizable, whole and of that key, and "
           "memory ends with it",
    .attach = OracleEntry::AttachWhen::if_promised,
    .make = [](OracleContext& context) -> std::shared_ptr<sim::Oracle> {
      const auto oracle = std::dynamic_pointer_cast<StoreOracle>(context.of_workload());
      if (!oracle) {
        throw sim::OptionError("key-value", "no store in shared memory",
                               "a workload of keys on a protocol with a memory service");
      }
      oracle->watch();
      return oracle;
    },
});

}  // namespace

}  // namespace racksim::models
