// The transition table of SC, its guard and actions. See sc_step.hpp.
#include "protocols/cckvs/keys/sc_step.hpp"

#include <optional>

#include "protocols/cckvs/keys/cache.hpp"
#include "protocols/cckvs/keys/lin_step.hpp"

namespace racksim::cckvs {

/// The table, apart from ScStep because it names all of its members.
struct ScStep::Life {
  using Table = models::TransitionTable<ScState, ScEvent, ScStep>;

  static Table make_table() {
    constexpr Table::Guard kTakesAny{"update_timestamps off", &ScStep::takes_any_update};
    constexpr Table::Action kAnswer{"answer", &ScStep::answer},
        kWrite{"version + 1, take the value, send UPD to all, return", &ScStep::write},
        kTake{"take timestamp and value", &ScStep::take};
    constexpr auto kStays = std::nullopt;
    constexpr auto kValid = ScState::valid;
    return Table({
        .name = "cckvs sc key",
        .doc = "a key in the cache of a node, per-key sequentially consistent",
        .states = {"Valid"},
        .events = {"get", "put", "UPD, newer", "UPD, older or same"},
        .initial = kValid,
        .rows =
            {
                {"hit", {kValid}, {ScEvent::get}, {}, {kAnswer}, kStays, "§5.2"},
                {"put", {kValid}, {ScEvent::put}, {}, {kWrite}, kStays, "§5.2"},
                {"updated", {kValid}, {ScEvent::newer_update}, {}, {kTake}, kStays, "§5.2"},
                {"updated by any",
                 {kValid},
                 {ScEvent::older_update},
                 kTakesAny,
                 {kTake},
                 kStays,
                 "without update_timestamps"},
                {"update that lost", {kValid}, {ScEvent::older_update}, {}, {}, kStays, "§5.2"},
            },
    });
  }
  static const Table& table() {
    static const Table table = make_table();
    return table;
  }
};

const models::TableDescription& ScStep::table() {
  return Life::table().description();
}

void ScStep::execute(ScEvent event, ScStep& step, const sim::CoverageProbe& coverage) {
  ScState state = ScState::valid;
  Life::table().on(state, event, step, coverage);
}

sim::KeyAndOperations ScStep::key_and_operations() const {
  sim::KeyAndOperations about{key, {}};
  if (operation != 0) about.operations.push_back(operation);
  return about;
}

bool ScStep::takes_any_update() const {
  return !cache.rules_.update_timestamps;
}

void ScStep::answer() {
  cache.outbox_.answered(operation, key, entry.value);
}

void ScStep::write() {
  const Timestamp mine = cache.order_.next(entry.header.timestamp(), cache.self_);
  entry.header.set(mine);
  entry.value = value;
  cache.outbox_.committed(operation, key, mine, value);
  cache.outbox_.update_all(key, mine, value, operation);
  cache.outbox_.returned(operation, key, false);
}

void ScStep::take() {
  entry.header.set(timestamp);
  entry.value = value;
}

}  // namespace racksim::cckvs
