// The transition table of Lin. See key_step.hpp.
#include <algorithm>
#include <optional>
#include <vector>

#include "protocols/cckvs/keys/key_step.hpp"

namespace racksim::cckvs {

namespace {
namespace lin {

using Guard = LinTable::Guard;
using Action = LinTable::Action;
using Losers = Rules::Losers;
using Type = CacheMessage::Type;

/// Whether the put has all acknowledgements with this one.
bool is_last(const KeyStep& step, const Put& put) {
  const std::uint32_t needed = step.at.nodes - (step.at.rules.all_acks ? 1 : 2);
  const bool counts = !step.at.rules.ack_set || !put.acknowledged.test(step.from);
  return put.acks + (counts ? 1 : 0) >= needed;
}
void add_sender(const KeyStep& step, Put& put) {
  if (step.at.rules.ack_set && put.acknowledged.test(step.from)) return;
  put.acknowledged.set(step.from);
  ++put.acks;
}

// Guards.

constexpr Guard reads_old("get_in_write old", [](const KeyStep& step) {
  return step.at.rules.get_in_write == Rules::GetInWrite::old_value;
});
constexpr Guard reads_new("get_in_write new", [](const KeyStep& step) {
  return step.at.rules.get_in_write == Rules::GetInWrite::new_value;
});
constexpr Guard reads_stale("invalid_state off", [](const KeyStep& step) { return !step.at.rules.invalid_state; });
constexpr Guard at_once("start_at_once, or waited together", [](const KeyStep& step) {
  return step.on_top || (step.at.rules.start_at_once && step.has_room_on_top());
});
constexpr Guard same_counts("equal_ignored off", [](const KeyStep& step) { return !step.at.rules.equal_ignored; });
constexpr Guard loses_now("losers at-once",
                          [](const KeyStep& step) { return step.at.rules.losers == Losers::at_once; });
constexpr Guard lost_acked("losers acked", [](const KeyStep& step) { return step.at.rules.losers == Losers::acked; });
constexpr Guard last("the last one", [](const KeyStep& step) { return is_last(step, step.current()); });
constexpr Guard counts_any("ack_timestamps off", [](const KeyStep& step) { return !step.at.rules.ack_timestamps; });
constexpr Guard last_of_any("ack_timestamps off, the last one", [](const KeyStep& step) {
  return !step.at.rules.ack_timestamps && is_last(step, step.current());
});
constexpr Guard loser_last("losers acked, the last one", [](const KeyStep& step) {
  return step.at.rules.losers == Losers::acked && is_last(step, step.told_of());
});
constexpr Guard retransmits("retransmit", [](const KeyStep& step) { return step.at.rules.retransmit; });
constexpr Guard takes_any("update_timestamps off",
                          [](const KeyStep& step) { return !step.at.rules.update_timestamps; });
constexpr Guard resends("resend_invalidations", [](const KeyStep& step) { return step.at.rules.resend_invalidations; });
constexpr Guard asks("ask_for_updates", [](const KeyStep& step) { return step.at.rules.ask_for_updates; });

// Actions.

constexpr Action answer("answer",
                        [](KeyStep& step) { step.at.outbox.answered(step.operation, step.key, step.entry.value); });
constexpr Action answer_new("answer the value to come", [](KeyStep& step) {
  step.at.outbox.answered(step.operation, step.key, step.current().value);
});
constexpr Action stall("stall", [](KeyStep& step) {
  step.work().stalled.push_back({step.operation, step.value != 0, step.value});
  step.at.outbox.stalled(step.operation, step.key);
});
constexpr Action begin("version + 1, send INV to all", [](KeyStep& step) {
  const Timestamp mine = step.next_timestamp();
  step.entry.header.set(mine);
  step.entry.header.acks = 0;
  step.work().puts.push_back({step.operation, mine, step.value, {}});
  step.at.outbox.send_all(step.message(Type::invalidation, mine), step.operation);
});
constexpr Action stamp("take the timestamp", [](KeyStep& step) { step.entry.header.set(step.timestamp); });
constexpr Action take("take the value", [](KeyStep& step) { step.entry.value = step.value; });
constexpr Action ack("send ACK", [](KeyStep& step) {
  step.at.outbox.send(step.from, step.message(Type::acknowledgement, step.timestamp), 0);
});
constexpr Action lose("own put is superseded", [](KeyStep& step) {
  if (Put* put = step.work().current()) put->superseded = true;
});
// They come just before the put that the key has now: every node knows that one, so none reads what was before.
constexpr Action settle("superseded puts return", [](KeyStep& step) {
  Work* work = step.at.work.find(step.key);
  if (work == nullptr || step.at.rules.losers == Losers::blocked) return;
  for (const Put& put : work->puts) {
    if (put.superseded) step.at.outbox.returned(put.operation, step.key, true);
  }
  std::erase_if(work->puts, [](const Put& put) { return put.superseded; });
});
constexpr Action note("add the sender", [](KeyStep& step) {
  Put& put = step.current();
  add_sender(step, put);
  step.entry.header.acks = static_cast<std::uint8_t>(std::min<std::uint32_t>(put.acks, 255));
});
constexpr Action note_lost("add the sender to the loser's", [](KeyStep& step) { add_sender(step, step.told_of()); });
constexpr Action end_lost("the loser returns", [](KeyStep& step) {
  step.at.outbox.returned(step.told_of().operation, step.key, true);
  std::erase_if(step.work().puts, [&](const Put& put) { return put.timestamp == step.timestamp; });
});
constexpr Action commit("take the value, send UPD to all, the put returns", [](KeyStep& step) {
  const Put put = step.current();
  step.work().puts.pop_back();
  step.entry.value = put.value;
  step.at.outbox.committed(put.operation, step.key, put.timestamp, put.value);
  step.at.outbox.send_all(step.message(Type::update, put.timestamp, put.value), put.operation);
  step.at.outbox.returned(put.operation, step.key, false);
});
constexpr Action resend_inv("send INV to those missing", [](KeyStep& step) {
  const Put& put = step.current();
  for (NodeId node = 0; node < step.at.nodes; ++node) {
    if (node == step.at.self || put.acknowledged.test(node)) continue;
    step.at.outbox.send(node, step.message(Type::invalidation, put.timestamp), put.operation);
  }
});
constexpr Action resend_upd("send UPD to the sender", [](KeyStep& step) {
  step.at.outbox.send(step.from, step.message(Type::update, step.entry.header.timestamp(), step.entry.value), 0);
});
// The writer is Valid with exactly this timestamp, and answers; or it has not got all acknowledgements, and counts this
// one; or it has lost against a put whose invalidation is on its way here.
constexpr Action ask("send ACK to the writer", [](KeyStep& step) {
  step.at.outbox.send(step.entry.header.writer, step.message(Type::acknowledgement, step.entry.header.timestamp()), 0);
});

using enum CacheState;

std::vector<LinTable::Row> rows() {
  using enum LinEvent;
  constexpr auto stays = std::nullopt;
  const std::vector<CacheState> waiting{invalid, write}, any{valid, invalid, write};
  const std::vector<LinEvent> others{lost_ack, other_ack};
  // clang-format off
  return {
  // row                                    states     event        guard        actions                     next     section
  {"hit",                                   {valid},   {get},       {},          {answer},                   stays,   "§5.2"},
  {"get of an invalid copy",                {invalid}, {get},       reads_stale, {answer},                   stays,   "without Invalid"},
  {"get of the old value",                  {write},   {get},       reads_old,   {answer},                   stays,   "ours"},
  {"get of the new value",                  {write},   {get},       reads_new,   {answer_new},               stays,   "ours"},
  {"get waits",                             waiting,   {get},       {},          {stall},                    stays,   "§5.2"},
  {"put",                                   {valid},   {put},       {},          {begin},                    write,   "§5.2"},
  {"put on top",                            waiting,   {put},       at_once,     {lose, begin},              write,   "code"},
  {"put waits",                             waiting,   {put},       {},          {stall},                    stays,   "ours"},

  {"invalidated",                           {valid},   {newer_inv}, {},          {stamp, ack},               invalid, "§5.2"},
  {"invalidated anew",                      {invalid}, {newer_inv}, {},          {stamp, ack},               stays,   "§5.2"},
  {"put loses and returns",                 {write},   {newer_inv}, loses_now,   {stamp, ack, lose, settle}, invalid, "losers at-once"},
  {"put loses",                             {write},   {newer_inv}, {},          {stamp, ack, lose},         invalid, "§5.2"},
  {"invalidated twice",                     {valid},   {same_inv},  same_counts, {ack},                      invalid, "without equal_ignored"},
  {"known and updated",                     {valid},   {same_inv},  {},          {},                         stays,   "§5.2"},
  {"acknowledged again",                    {invalid}, {same_inv},  {},          {ack},                      stays,   "R3"},
  {"loser acknowledged",                    any,       {older_inv}, lost_acked,  {ack},                      stays,   "losers acked"},
  {"loser ignored",                         any,       {older_inv}, {},          {},                         stays,   "§5.2"},

  {"commit",                                {write},   {same_ack},  last,        {note, commit, settle},     valid,   "§5.2"},
  {"acknowledged",                          {write},   {same_ack},  {},          {note},                     stays,   "§5.2"},
  {"commit by an ACK of another put",       {write},   others,      last_of_any, {note, commit, settle},     valid,   "as printed"},
  {"acknowledged by an ACK of another put", {write},   others,      counts_any,  {note},                     stays,   "as printed"},
  {"loser returns",                         any,       {lost_ack},  loser_last,  {note_lost, end_lost},      stays,   "losers acked"},
  {"loser's ACK",                           any,       {lost_ack},  lost_acked,  {note_lost},                stays,   "losers acked"},
  {"loser's ACK in vain",                   any,       {lost_ack},  {},          {},                         stays,   "§5.2"},
  {"late ACK",                              {write},   {other_ack}, {},          {},                         stays,   "§5.2"},
  {"asked for the update",                  {valid},   {same_ack},  retransmits, {resend_upd},               stays,   "R4"},
  {"ACK after the commit",                  {valid},   {same_ack},  {},          {},                         stays,   "§5.2"},

  {"updated",                               {invalid}, {same_upd},  {},          {take, settle},             valid,   "§5.2"},
  {"updated by any",                        {invalid}, {other_upd}, takes_any,   {stamp, take, settle},      valid,   "without update_timestamps"},
  {"update of another put",                 {invalid}, {other_upd}, {},          {},                         stays,   "§5.2"},

  {"sent again",                            {write},   {timeout},   resends,     {resend_inv},               stays,   "R1"},
  {"not sent again",                        {write},   {timeout},   {},          {},                         stays,   "without resend_invalidations"},
  {"asks for the update",                   {invalid}, {timeout},   asks,        {ask},                      stays,   "R4"},
  {"does not ask",                          {invalid}, {timeout},   {},          {},                         stays,   "without ask_for_updates"},
  };
  // clang-format on
}

}  // namespace lin
}  // namespace

const LinTable& lin_table() {
  using S = CacheState;
  using E = LinEvent;
  static const LinTable table({
      .name = "cckvs lin key",
      .doc = "a key in the cache of a node, per-key linearizable",
      .states = {"Valid", "Invalid", "Write"},
      .events = {"get", "put", "INV, newer", "INV, same", "INV, older", "ACK, current", "ACK, superseded", "ACK, other",
                 "UPD, same", "UPD, other", "timeout"},
      .initial = S::valid,
      .rows = lin::rows(),
      .ignored = {{{S::valid, S::invalid}, {E::other_ack}, "its put is over"},
                  {{S::valid, S::write}, {E::same_upd, E::other_upd}, "the key does not wait for it"},
                  {{S::valid}, {E::timeout}, "the key does not wait for anything"}},
      .impossible = {{{S::write}, {E::same_inv}, "only this node invalidates with it, and not itself"},
                     {{S::invalid}, {E::same_ack}, "the key's timestamp is another node's"}},
  });
  return table;
}

}  // namespace racksim::cckvs
