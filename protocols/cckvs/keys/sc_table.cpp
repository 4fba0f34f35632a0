// The transition table of SC. See key_step.hpp.
#include <optional>
#include <vector>

#include "protocols/cckvs/keys/key_step.hpp"

namespace racksim::cckvs {

namespace {
namespace sc {

constexpr ScTable::Guard takes_any("update_timestamps off",
                                   [](const KeyStep& step) { return !step.at.rules.update_timestamps; });

constexpr ScTable::Action answer("answer", [](KeyStep& step) {
  step.at.outbox.answered(step.operation, step.key, step.entry.value);
});
constexpr ScTable::Action write("version + 1, take the value, send UPD to all, return", [](KeyStep& step) {
  const Timestamp mine = step.next_timestamp();
  step.entry.header.set(mine);
  step.entry.value = step.value;
  step.at.outbox.committed(step.operation, step.key, mine, step.value);
  step.at.outbox.send_all(step.message(CacheMessage::Type::update, mine, step.value), step.operation);
  step.at.outbox.returned(step.operation, step.key, false);
});
constexpr ScTable::Action take("take timestamp and value", [](KeyStep& step) {
  step.entry.header.set(step.timestamp);
  step.entry.value = step.value;
});

std::vector<ScTable::Row> rows() {
  using enum ScEvent;
  constexpr auto stays = std::nullopt;
  constexpr auto valid = ScState::valid;
  // clang-format off
  return {
  // row               state    event        guard      actions   next   section
  {"hit",              {valid}, {get},       {},        {answer}, stays, "§5.2"},
  {"put",              {valid}, {put},       {},        {write},  stays, "§5.2"},
  {"updated",          {valid}, {newer_upd}, {},        {take},   stays, "§5.2"},
  {"updated by any",   {valid}, {older_upd}, takes_any, {take},   stays, "without update_timestamps"},
  {"update that lost", {valid}, {older_upd}, {},        {},       stays, "§5.2"},
  };
  // clang-format on
}

}  // namespace sc
}  // namespace

const ScTable& sc_table() {
  static const ScTable table({
      .name = "cckvs sc key",
      .doc = "a key in the cache of a node, per-key sequentially consistent",
      .states = {"Valid"},
      .events = {"get", "put", "UPD, newer", "UPD, older or same"},
      .initial = ScState::valid,
      .rows = sc::rows(),
  });
  return table;
}

}  // namespace racksim::cckvs
