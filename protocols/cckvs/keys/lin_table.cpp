// The transition table of Lin. See lin_step.hpp; guards and actions are in lin_step.cpp.
#include <optional>
#include <vector>

#include "protocols/cckvs/keys/lin_step.hpp"

namespace racksim::cckvs {

/// The table, apart from LinStep because it names all of its members.
struct LinStep::Life {
  using State = CacheState;
  using Event = LinEvent;
  using Step = LinStep;
  using Table = models::TransitionTable<State, Event, LinStep>;

  static constexpr Table::Guard kReadsOld{"get_in_write old", &Step::reads_old_in_write},
      kReadsNew{"get_in_write new", &Step::reads_new_in_write},
      kReadsInvalid{"invalid_state off", &Step::reads_invalid},
      kStartsAtOnce{"start_at_once, or waited together", &Step::starts_at_once},
      kEqualInvalidates{"equal_ignored off", &Step::equal_invalidates},
      kLosersAtOnce{"losers at-once", &Step::losers_return_at_once},
      kLosersAcked{"losers acked", &Step::acknowledges_losers}, kLast{"the last one", &Step::completes},
      kCountsAny{"ack_timestamps off", &Step::counts_any},
      kLastOfAny{"ack_timestamps off, the last one", &Step::completes_any},
      kLastOfLoser{"losers acked, the last one", &Step::completes_loser},
      kRetransmits{"retransmit", &Step::retransmits}, kTakesAny{"update_timestamps off", &Step::takes_any_update},
      kResends{"resend_invalidations", &Step::resends}, kAsks{"ask_for_updates", &Step::asks};

  static constexpr Table::Action kAnswer{"answer", &Step::answer},
      kAnswerNew{"answer the value to come", &Step::answer_new}, kStall{"stall", &Step::stall},
      kBegin{"version + 1, send INV to all", &Step::begin}, kTakeTimestamp{"take the timestamp", &Step::take_timestamp},
      kAck{"send ACK", &Step::acknowledge}, kSupersede{"own put is superseded", &Step::supersede},
      kReturnSuperseded{"superseded puts return", &Step::return_superseded}, kCount{"add the sender", &Step::count_ack},
      kCountLoser{"add the sender to the loser's", &Step::count_loser},
      kReturnLoser{"the loser returns", &Step::return_loser},
      kCommit{"take the value, send UPD to all, the put returns", &Step::commit},
      kTakeValue{"take the value", &Step::take_value},
      kResend{"send INV to those missing", &Step::resend_invalidations},
      kResendUpdate{"send UPD to the sender", &Step::resend_update},
      kAsk{"send ACK to the writer", &Step::ask_for_update};

  static Table make_table();
  static const Table& table();
};

LinStep::Life::Table LinStep::Life::make_table() {
  constexpr auto kStays = std::nullopt;
  using S = State;
  using E = Event;
  const std::vector<S> all{S::valid, S::invalid, S::write}, waiting{S::invalid, S::write};
  const std::vector<E> others_acks{E::superseded_ack, E::other_ack};
  return Table({
      .name = "cckvs lin key",
      .doc = "a key in the cache of a node, per-key linearizable",
      .states = {"Valid", "Invalid", "Write"},
      .events = {"get", "put", "INV, newer", "INV, same", "INV, older", "ACK, current", "ACK, superseded", "ACK, other",
                 "UPD, same", "UPD, other", "timeout"},
      .initial = S::valid,
      .rows =
          {
              {"hit", {S::valid}, {E::get}, {}, {kAnswer}, kStays, "§5.2"},
              {"get of an invalid copy", {S::invalid}, {E::get}, kReadsInvalid, {kAnswer}, kStays, "without Invalid"},
              {"get of the old value", {S::write}, {E::get}, kReadsOld, {kAnswer}, kStays, "ours"},
              {"get of the new value", {S::write}, {E::get}, kReadsNew, {kAnswerNew}, kStays, "ours"},
              {"get waits", waiting, {E::get}, {}, {kStall}, kStays, "§5.2"},
              {"put", {S::valid}, {E::put}, {}, {kBegin}, S::write, "§5.2"},
              {"put on top", waiting, {E::put}, kStartsAtOnce, {kSupersede, kBegin}, S::write, "code"},
              {"put waits", waiting, {E::put}, {}, {kStall}, kStays, "ours"},

              {"invalidated", {S::valid}, {E::newer_invalidation}, {}, {kTakeTimestamp, kAck}, S::invalid, "§5.2"},
              {"invalidated anew", {S::invalid}, {E::newer_invalidation}, {}, {kTakeTimestamp, kAck}, kStays, "§5.2"},
              {"put loses and returns",
               {S::write},
               {E::newer_invalidation},
               kLosersAtOnce,
               {kTakeTimestamp, kAck, kSupersede, kReturnSuperseded},
               S::invalid,
               "losers at-once"},
              {"put loses",
               {S::write},
               {E::newer_invalidation},
               {},
               {kTakeTimestamp, kAck, kSupersede},
               S::invalid,
               "§5.2"},
              {"invalidated twice",
               {S::valid},
               {E::same_invalidation},
               kEqualInvalidates,
               {kAck},
               S::invalid,
               "without equal_ignored"},
              {"known and updated", {S::valid}, {E::same_invalidation}, {}, {}, kStays, "§5.2"},
              {"acknowledged again", {S::invalid}, {E::same_invalidation}, {}, {kAck}, kStays, "R3"},
              {"loser acknowledged", all, {E::older_invalidation}, kLosersAcked, {kAck}, kStays, "losers acked"},
              {"loser ignored", all, {E::older_invalidation}, {}, {}, kStays, "§5.2"},

              {"commit", {S::write}, {E::current_ack}, kLast, {kCount, kCommit, kReturnSuperseded}, S::valid, "§5.2"},
              {"acknowledged", {S::write}, {E::current_ack}, {}, {kCount}, kStays, "§5.2"},
              {"commit by an ACK of another put",
               {S::write},
               others_acks,
               kLastOfAny,
               {kCount, kCommit, kReturnSuperseded},
               S::valid,
               "as printed"},
              {"acknowledged by an ACK of another put",
               {S::write},
               others_acks,
               kCountsAny,
               {kCount},
               kStays,
               "as printed"},
              {"loser returns",
               all,
               {E::superseded_ack},
               kLastOfLoser,
               {kCountLoser, kReturnLoser},
               kStays,
               "losers acked"},
              {"loser's ACK", all, {E::superseded_ack}, kLosersAcked, {kCountLoser}, kStays, "losers acked"},
              {"loser's ACK in vain", all, {E::superseded_ack}, {}, {}, kStays, "§5.2"},
              {"late ACK", {S::write}, {E::other_ack}, {}, {}, kStays, "§5.2"},
              {"asked for the update", {S::valid}, {E::current_ack}, kRetransmits, {kResendUpdate}, kStays, "R4"},
              {"ACK after the commit", {S::valid}, {E::current_ack}, {}, {}, kStays, "§5.2"},

              {"updated", {S::invalid}, {E::same_update}, {}, {kTakeValue, kReturnSuperseded}, S::valid, "§5.2"},
              {"updated by any",
               {S::invalid},
               {E::other_update},
               kTakesAny,
               {kTakeTimestamp, kTakeValue, kReturnSuperseded},
               S::valid,
               "without update_timestamps"},
              {"update of another put", {S::invalid}, {E::other_update}, {}, {}, kStays, "§5.2"},

              {"sent again", {S::write}, {E::timeout}, kResends, {kResend}, kStays, "R1"},
              {"not sent again", {S::write}, {E::timeout}, {}, {}, kStays, "without resend_invalidations"},
              {"asks for the update", {S::invalid}, {E::timeout}, kAsks, {kAsk}, kStays, "R4"},
              {"does not ask", {S::invalid}, {E::timeout}, {}, {}, kStays, "without ask_for_updates"},
          },
      .ignored =
          {
              {{S::valid, S::invalid}, {E::other_ack}, "its put is over"},
              {{S::valid, S::write}, {E::same_update, E::other_update}, "the key does not wait for it"},
              {{S::valid}, {E::timeout}, "the key does not wait for anything"},
          },
      .impossible =
          {
              {{S::write}, {E::same_invalidation}, "only this node invalidates with it, and not itself"},
              {{S::invalid}, {E::current_ack}, "the key's timestamp is another node's"},
          },
  });
}

const LinStep::Life::Table& LinStep::Life::table() {
  static const Table table = make_table();
  return table;
}

const models::TableDescription& LinStep::table() {
  return Life::table().description();
}

void LinStep::execute(LinEvent event, LinStep& step, const sim::CoverageProbe& coverage) {
  Life::table().on(step.entry.header.state, event, step, coverage);
}

}  // namespace racksim::cckvs
