// The transition table of a directory entry. See directory_step.hpp; guards and actions are in directory_step.cpp.
#include <optional>
#include <vector>

#include "protocols/gam/home/directory_step.hpp"

namespace racksim::gam {

/// The table, apart from DirectoryStep because it names all of its members.
struct DirectoryStep::Life {
  using State = DirectoryState;
  using Event = DirectoryEvent;
  using Table = models::TransitionTable<State, Event, DirectoryStep>;
  using Step = DirectoryStep;

  static constexpr Table::Guard kBehindOwn{"an access of its thread waits", &Step::behind_own},
      kReadLocked{"read-locked here", &Step::is_read_locked},
      kMayLock{"free for it, and nobody waits", &Step::may_lock}, kTries{"only tries", &Step::tries},
      kUnblocked{"blocking off", &Step::does_not_block}, kNoRead{"locked against it", &Step::must_not_read},
      kNoReadToTry{"locked against the try", &Step::must_not_read_to_try},
      kNoWrite{"locked against it", &Step::must_not_write},
      kNoWriteToTry{"locked against the try", &Step::must_not_write_to_try},
      kOthersShare{"others share it", &Step::others_share}, kLastSharer{"the last sharer", &Step::is_last_sharer},
      kOwner{"the owner", &Step::is_owner}, kMoreAwaited{"others are awaited", &Step::more_awaited},
      kWasDenied{"a sharer has denied", &Step::was_denied}, kByOwner{"by the owner", &Step::has_owner},
      kRequesterLost{"for a node that is dead", &Step::requester_is_lost};

  static constexpr Table::Action kPerform{"perform it", &Step::perform}, kLock{"grant the lock", &Step::lock},
      kRefuse{"refuse it", &Step::refuse}, kQueue{"queue", &Step::queue},
      kFetchShared{"send FETCH_AND_SHARED", &Step::fetch_and_share},
      kFetchInvalidate{"send FETCH_AND_INVALIDATE", &Step::fetch_and_invalidate},
      kInvalidate{"send INVALIDATE to each", &Step::invalidate},
      kInvalidateUnblocked{"send INVALIDATE to each, and forget them", &Step::invalidate_unblocked},
      kShare{"list it, send the data", &Step::share}, kForwardRead{"send READ_FORWARD", &Step::forward_read},
      kGrant{"grant, with data unless it shares", &Step::grant},
      kInvalidateForward{"send INVALIDATE_FORWARD to the others", &Step::invalidate_forward},
      kForwardWrite{"send WRITE_FORWARD", &Step::forward_write}, kDeny{"send DENIED", &Step::deny},
      kRemove{"strike it off", &Step::remove_sharer}, kTakeData{"data into memory", &Step::take_written_back},
      kWriteBackAck{"send wb-ack", &Step::acknowledge_write_back},
      kFinishGrant{"grant what is waited for", &Step::finish_grant},
      kFinishShared{"list the owner and the reader", &Step::finish_shared},
      kFinishFetched{"forget the owner", &Step::finish_fetched},
      kFinishTransfer{"note the new owner, send grant-ack", &Step::finish_transfer},
      kNoteDenied{"note the denial", &Step::note_denied},
      kTellDenied{"send DENIED to the requester", &Step::tell_denied},
      kRefuseInitiator{"refuse the try", &Step::refuse_initiator},
      kEndDenied{"refuse the try, or send grant-ack", &Step::end_denied_forward},
      kLateAck{"count it; the last performs the write", &Step::count_late_ack},
      kAwaitRecovery{"await recovery", &Step::await_recovery};

  static Table make_table();
  static const Table& table();
};

DirectoryStep::Life::Table DirectoryStep::Life::make_table() {
  constexpr auto kStays = std::nullopt;
  using S = State;
  using E = Event;
  const std::vector<S> readable{S::unshared, S::shared}, stable{S::unshared, S::shared, S::dirty},
      moving{S::to_shared, S::to_dirty, S::to_unshared}, acknowledging{S::to_dirty, S::to_unshared};
  const std::vector<S> unheld{S::unshared, S::dirty, S::to_shared, S::to_dirty, S::to_unshared};
  const std::vector<E> locks{E::local_read_lock, E::local_write_lock}, writes{E::write, E::write_permission_only},
      answers{E::invalidate_ack, E::fetched, E::transfer, E::denied};
  const std::vector<E> any{E::local_read, E::local_write,           E::local_read_lock,   E::local_write_lock, E::read,
                           E::write,      E::write_permission_only, E::active_invalidate, E::write_back};
  return Table({
      .name = "gam directory entry",
      .doc = "what the home of a line knows of it",
      .states = {"UnShared", "Shared", "Dirty", "ToShared", "ToDirty", "ToUnShared"},
      .events = {"local read", "local write", "local RLock", "local WLock", "READ", "WRITE", "WRITE_PERMISSION_ONLY",
                 "ACTIVE_INVALIDATE", "WRITE_BACK", "inv-ack", "fetched data", "transfer", "DENIED", "sharer lost",
                 "promoted", "restored", "announced", "late inv-ack"},
      .initial = S::unshared,
      .rows =
          {
              {"behind an own access", readable, {E::local_read, E::local_write}, kBehindOwn, {kQueue}, kStays, "§2.5"},
              {"home reads", readable, {E::local_read}, {}, {kPerform}, kStays, "§2.3.1"},
              {"home reads a Dirty line",
               {S::dirty},
               {E::local_read, E::local_read_lock},
               {},
               {kFetchShared},
               S::to_shared,
               "§2.3.1"},
              {"home writes under a read lock", readable, {E::local_write}, kReadLocked, {kQueue}, kStays, "ours"},
              {"home writes", {S::unshared}, {E::local_write}, {}, {kPerform}, kStays, "§2.4.1"},
              {"home writes a Shared line at once",
               {S::shared},
               {E::local_write},
               kUnblocked,
               {kInvalidateUnblocked},
               S::unshared,
               "§2.5"},
              {"home writes a Shared line", {S::shared}, {E::local_write}, {}, {kInvalidate}, S::to_unshared, "§2.4.1"},
              {"home writes a Dirty line",
               {S::dirty},
               {E::local_write, E::local_write_lock},
               {},
               {kFetchInvalidate},
               S::to_unshared,
               "§2.4.1"},
              {"home locks to read", readable, {E::local_read_lock}, kMayLock, {kLock}, kStays, "§4.1"},
              {"home locks to write", {S::unshared}, {E::local_write_lock}, kMayLock, {kLock}, kStays, "§4.1"},
              {"home locks a Shared line",
               {S::shared},
               {E::local_write_lock},
               kMayLock,
               {kInvalidate},
               S::to_unshared,
               "§4.1"},
              {"home's try-lock fails", readable, locks, kTries, {kRefuse}, kStays, "§4.1"},
              {"home's lock waits", readable, locks, {}, {kQueue}, kStays, "§4.1"},

              {"read lock is denied", readable, {E::read}, kNoReadToTry, {kDeny}, kStays, "§4.1"},
              {"read meets a lock", readable, {E::read}, kNoRead, {kQueue}, kStays, "§4.1"},
              {"read", readable, {E::read}, {}, {kShare}, S::shared, "§2.3.2"},
              {"read of a Dirty line", {S::dirty}, {E::read}, {}, {kForwardRead}, S::to_shared, "§2.3.2"},
              {"lock is denied", readable, writes, kNoWriteToTry, {kDeny}, kStays, "§4.1"},
              {"write meets a lock", readable, writes, kNoWrite, {kQueue}, kStays, "§4.1"},
              {"write", {S::unshared}, writes, {}, {kGrant}, S::dirty, "§2.4.2"},
              {"write of a Shared line",
               {S::shared},
               writes,
               kOthersShare,
               {kInvalidateForward},
               S::to_dirty,
               "§2.4.2"},
              {"write by the only sharer", {S::shared}, writes, {}, {kGrant}, S::dirty, "§2.4.2"},
              {"write of a Dirty line", {S::dirty}, writes, {}, {kForwardWrite}, S::to_dirty, "§2.4.2"},
              {"in transition", moving, any, {}, {kQueue}, kStays, "§2.5"},

              {"last sharer evicts", {S::shared}, {E::active_invalidate}, kLastSharer, {kRemove}, S::unshared, "§2.6"},
              {"sharer evicts", {S::shared}, {E::active_invalidate}, {}, {kRemove}, kStays, "§2.6"},
              {"sharer has evicted in vain", {S::unshared, S::dirty}, {E::active_invalidate}, {}, {}, kStays, "ours"},
              {"owner evicts", {S::dirty}, {E::write_back}, kOwner, {kTakeData, kWriteBackAck}, S::unshared, "§2.6"},
              {"last sharer was the owner",
               {S::shared},
               {E::write_back},
               kLastSharer,
               {kRemove, kWriteBackAck},
               S::unshared,
               "ours"},
              {"sharer was the owner", {S::shared}, {E::write_back}, {}, {kRemove, kWriteBackAck}, kStays, "ours"},
              {"owner no more", {S::unshared, S::dirty}, {E::write_back}, {}, {kWriteBackAck}, kStays, "ours"},

              {"one copy gone", acknowledging, {E::invalidate_ack}, kMoreAwaited, {kRemove}, kStays, "§2.4"},
              {"last answer, one was a denial",
               {S::to_unshared},
               {E::invalidate_ack},
               kWasDenied,
               {kRemove, kRefuseInitiator},
               S::shared,
               "§4.1"},
              {"last answer, one was DENIED",
               {S::to_dirty},
               {E::invalidate_ack},
               kWasDenied,
               {kRemove, kTellDenied},
               S::shared,
               "§4.1"},
              {"all copies gone", {S::to_unshared}, {E::invalidate_ack}, {}, {kRemove}, S::unshared, "§2.4.1"},
              {"all copies gone for nobody",
               {S::to_dirty},
               {E::invalidate_ack},
               kRequesterLost,
               {kRemove},
               S::unshared,
               "§5"},
              {"all copies gone, grant",
               {S::to_dirty},
               {E::invalidate_ack},
               {},
               {kRemove, kFinishGrant},
               S::dirty,
               "§2.4.2"},
              {"fetched to read", {S::to_shared}, {E::fetched}, {}, {kFinishShared}, S::shared, "§2.3"},
              {"fetched to write", {S::to_unshared}, {E::fetched}, {}, {kFinishFetched}, S::unshared, "§2.4.1"},
              {"transferred to nobody", {S::to_dirty}, {E::transfer}, kRequesterLost, {kAwaitRecovery}, kStays, "§5"},
              {"transferred", {S::to_dirty}, {E::transfer}, {}, {kFinishTransfer}, S::dirty, "§2.4.2"},
              {"owner denies", {S::to_shared}, {E::denied}, {}, {kEndDenied}, S::dirty, "§4.1"},
              {"owner denies a write", acknowledging, {E::denied}, kByOwner, {kEndDenied}, S::dirty, "§2.4.2"},
              {"a sharer denies", acknowledging, {E::denied}, kMoreAwaited, {kNoteDenied}, kStays, "§4.1"},
              {"last sharer denies the home",
               {S::to_unshared},
               {E::denied},
               {},
               {kNoteDenied, kRefuseInitiator},
               S::shared,
               "§4.1"},
              {"last sharer denies", {S::to_dirty}, {E::denied}, {}, {kNoteDenied, kTellDenied}, S::shared, "§4.1"},
              {"last sharer is dead", {S::shared}, {E::sharer_lost}, kLastSharer, {kRemove}, S::unshared, "§5"},
              {"sharer is dead", {S::shared}, {E::sharer_lost}, {}, {kRemove}, kStays, "§5"},
              {"promoted", {S::unshared, S::dirty}, {E::promoted}, {}, {}, S::dirty, "§5"},
              {"restored", unheld, {E::restored}, {}, {}, S::unshared, "§5"},
              {"announced", unheld, {E::announced}, {}, {}, S::shared, "§5"},
              {"late acknowledgement",
               {S::unshared, S::shared, S::dirty, S::to_shared, S::to_dirty, S::to_unshared},
               {E::late_ack},
               {},
               {kLateAck},
               kStays,
               "without blocking"},
          },
      .impossible =
          {
              {stable, answers, "nothing is awaited"},
              {{S::to_shared}, {E::invalidate_ack, E::transfer}, "data of the owner are awaited"},
              {{S::to_dirty}, {E::fetched}, "the data go to the requester"},
              {{S::to_unshared}, {E::transfer}, "the data come themselves"},
              {{S::unshared, S::dirty}, {E::sharer_lost}, "nobody shares it"},
              {moving, {E::sharer_lost}, "it counts as an acknowledgement, or is nothing to this transition"},
              {{S::shared}, {E::promoted, E::restored, E::announced}, "what is shared is in memory"},
              {moving, {E::promoted}, "what is in transition is restored"},
          },
  });
}

const DirectoryStep::Life::Table& DirectoryStep::Life::table() {
  static const Table table = make_table();
  return table;
}

const models::TableDescription& DirectoryStep::table() {
  return Life::table().description();
}

void DirectoryStep::execute(DirectoryState& state, DirectoryEvent event, DirectoryStep& step,
                            const sim::CoverageProbe& coverage) {
  Life::table().on(state, event, step, coverage);
}

}  // namespace racksim::gam
