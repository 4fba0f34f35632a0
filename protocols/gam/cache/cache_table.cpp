// The transition table of a line in a cache. See cache_step.hpp; guards and actions are in cache_step.cpp.
#include <optional>
#include <vector>

#include "protocols/gam/cache/cache_step.hpp"
#include "protocols/gam/home/directory_step.hpp"

namespace racksim::gam {

/// The table, apart from CacheStep because it names all of its members.
struct CacheStep::Life {
  using State = CacheState;
  using Event = CacheEvent;
  using Table = models::TransitionTable<State, Event, CacheStep>;
  using Step = CacheStep;

  static constexpr Table::Guard kBehindOwn{"an access of its thread waits", &Step::behind_own},
      kReadLocked{"read-locked here", &Step::is_read_locked}, kDyingReads{"dying_reads paper", &Step::reads_dying},
      kMayLock{"free for it, and nobody waits", &Step::may_lock}, kTries{"only tries", &Step::tries},
      kLocked{"locked here", &Step::is_locked}, kLockedToTry{"locked here, for a try", &Step::is_locked_to_try},
      kWritten{"write-locked here", &Step::is_written},
      kWrittenToTry{"write-locked here, for a try", &Step::is_written_to_try},
      kAckFirst{"invalidate_order ack-first", &Step::acknowledges_first},
      kCopyToCome{"of the copy to come", &Step::waits_for_copy}, kNoBackOff{"back_off off", &Step::does_not_back_off},
      kSameCopy{"of this copy", &Step::is_same_copy}, kDataThere{"the owner's data are there", &Step::has_owner_data},
      kAckThere{"the grant-ack is there", &Step::has_grant_ack},
      kOneMessage{"two_messages off", &Step::needs_no_other_message}, kWasDenied{"denied", &Step::was_denied},
      kOtherMissing{"by the owner, and the home's is missing", &Step::lacks_other_message},
      kHasCopy{"the copy is still there", &Step::has_copy};

  static constexpr Table::Action kPerform{"perform it", &Step::perform}, kLock{"grant the lock", &Step::lock},
      kRefuse{"refuse it", &Step::refuse}, kQueue{"queue", &Step::queue}, kAskRead{"send READ", &Step::ask_to_read},
      kAskWrite{"send WRITE", &Step::ask_to_write},
      kAskPermission{"send WRITE_PERMISSION_ONLY", &Step::ask_for_permission},
      kTakeData{"take the data", &Step::take_data}, kTakeGrant{"take the grant", &Step::take_grant},
      kRememberData{"remember the data", &Step::remember_owner_data},
      kRememberAck{"remember the grant-ack", &Step::remember_grant_ack},
      kRememberDenied{"remember the denial", &Step::remember_denied},
      kRefuseInitiator{"refuse the try", &Step::refuse_initiator}, kAcknowledge{"send inv-ack", &Step::acknowledge},
      kDrop{"drop the copy", &Step::drop_copy}, kDropLater{"drop the copy later", &Step::drop_later},
      kDeny{"send DENIED", &Step::deny}, kSendData{"send the data", &Step::send_data},
      kTellEvicted{"send ACTIVE_INVALIDATE", &Step::tell_evicted}, kWriteBack{"send WRITE_BACK", &Step::write_back},
      kEndWriteBack{"free the buffer", &Step::end_write_back}, kWithdraw{"withdraw what was asked", &Step::withdraw},
      kAskAgain{"ask again", &Step::ask_again}, kTakeRestored{"take what was logged", &Step::take_restored};

  static Table make_table();
  static const Table& table();
};

CacheStep::Life::Table CacheStep::Life::make_table() {
  constexpr auto kStays = std::nullopt;
  using S = State;
  using E = Event;
  const std::vector<S> held{S::shared, S::dirty}, moving{S::to_shared, S::to_dirty, S::to_invalid};
  const std::vector<E> locks{E::read_lock, E::write_lock}, own{E::read, E::write, E::read_lock, E::write_lock};
  const std::vector<E> fetches{E::share_out, E::hand_over};
  return Table({
      .name = "gam cache line",
      .doc = "a line in the cache of a remote node",
      .states = {"Invalid", "Shared", "Dirty", "ToShared", "ToDirty", "ToInvalid"},
      .events = {"read", "write", "RLock", "WLock", "evict", "INVALIDATE", "drop", "FETCH_AND_SHARED or READ_FORWARD",
                 "FETCH_AND_INVALIDATE or WRITE_FORWARD", "data", "grant", "owner's data", "grant-ack", "DENIED",
                 "wb-ack", "home lost", "restore", "home back"},
      .initial = S::invalid,
      .rows =
          {
              {"read miss", {S::invalid}, {E::read}, {}, {kAskRead}, S::to_shared, "§2.3.2"},
              {"write miss", {S::invalid}, {E::write}, {}, {kAskWrite}, S::to_dirty, "§2.4.2"},
              {"behind an own access", held, {E::read, E::write}, kBehindOwn, {kQueue}, kStays, "§2.5"},
              {"read hit", held, {E::read}, {}, {kPerform}, kStays, "§2.3.2"},
              {"write under a read lock", held, {E::write}, kReadLocked, {kQueue}, kStays, "ours"},
              {"write hit", {S::dirty}, {E::write}, {}, {kPerform}, kStays, "§2.4.2"},
              {"upgrade", {S::shared}, {E::write}, {}, {kAskPermission}, S::to_dirty, "§2.5"},
              {"read lock miss", {S::invalid}, {E::read_lock}, {}, {kAskRead}, S::to_shared, "§4.1"},
              {"write lock miss", {S::invalid}, {E::write_lock}, {}, {kAskWrite}, S::to_dirty, "§4.1"},
              {"read lock hit", {S::shared}, {E::read_lock}, kMayLock, {kLock}, kStays, "§4.1"},
              {"lock hit", {S::dirty}, locks, kMayLock, {kLock}, kStays, "§4.1"},
              {"lock upgrade", {S::shared}, {E::write_lock}, kMayLock, {kAskPermission}, S::to_dirty, "§4.1"},
              {"try-lock fails", held, locks, kTries, {kRefuse}, kStays, "§4.1"},
              {"lock waits", held, locks, {}, {kQueue}, kStays, "§4.1"},
              {"read of a dying line", {S::to_invalid}, {E::read}, kDyingReads, {kPerform}, kStays, "§2.6"},
              {"in transition", moving, own, {}, {kQueue}, kStays, "§2.5"},

              {"evict Shared", {S::shared}, {E::evict}, {}, {kTellEvicted, kDrop}, S::invalid, "§2.6"},
              {"evict Dirty", {S::dirty}, {E::evict}, {}, {kWriteBack}, S::to_invalid, "§2.6"},
              {"evicted", {S::to_invalid}, {E::write_back_ack}, {}, {kEndWriteBack, kDrop}, S::invalid, "§2.6"},

              {"invalidation meets an eviction", {S::invalid}, {E::invalidate}, {}, {kAcknowledge}, kStays, "ours"},
              {"invalidation for a try meets a lock",
               {S::shared},
               {E::invalidate},
               kLockedToTry,
               {kDeny},
               kStays,
               "§4.1"},
              {"invalidation meets a lock", {S::shared}, {E::invalidate}, kLocked, {kQueue}, kStays, "§4.1"},
              {"acknowledged first",
               {S::shared},
               {E::invalidate},
               kAckFirst,
               {kAcknowledge, kDropLater},
               kStays,
               "Figure 4"},
              {"invalidated", {S::shared}, {E::invalidate}, {}, {kDrop, kAcknowledge}, S::invalid, "§2.4.1"},
              {"invalidation overtakes its copy",
               {S::to_shared},
               {E::invalidate},
               kCopyToCome,
               {kQueue},
               kStays,
               "ours"},
              {"invalidation of an evicted copy", {S::to_shared}, {E::invalidate}, {}, {kAcknowledge}, kStays, "ours"},
              {"no back-off", {S::to_dirty}, {E::invalidate}, kNoBackOff, {kQueue}, kStays, "without back_off"},
              {"back off", {S::to_dirty}, {E::invalidate}, {}, {kDrop, kAcknowledge}, kStays, "§2.5"},
              {"invalidation of a dying line", {S::to_invalid}, {E::invalidate}, {}, {kAcknowledge}, kStays, "ours"},
              {"dropped late", {S::shared}, {E::drop}, kSameCopy, {kDrop}, S::invalid, "Figure 4"},
              {"dropped before",
               {S::invalid, S::shared, S::dirty, S::to_shared, S::to_dirty, S::to_invalid},
               {E::drop},
               {},
               {},
               kStays,
               "Figure 4"},

              {"read for a try meets a lock", {S::dirty}, {E::share_out}, kWrittenToTry, {kDeny}, kStays, "§4.1"},
              {"read meets a lock", {S::dirty}, {E::share_out}, kWritten, {kQueue}, kStays, "§4.1"},
              {"share out", {S::dirty}, {E::share_out}, {}, {kSendData}, S::shared, "§2.3.2"},
              {"write for a try meets a lock", {S::dirty}, {E::hand_over}, kLockedToTry, {kDeny}, kStays, "§4.1"},
              {"write meets a lock", {S::dirty}, {E::hand_over}, kLocked, {kQueue}, kStays, "§4.1"},
              {"hand over", {S::dirty}, {E::hand_over}, {}, {kSendData, kDrop}, S::invalid, "§2.4.2"},
              {"forward overtakes its line", {S::to_dirty}, fetches, {}, {kQueue}, kStays, "§2.5"},
              {"forward meets an eviction", {S::to_invalid}, fetches, {}, {kSendData}, kStays, "§2.6"},

              {"filled", {S::to_shared}, {E::data}, {}, {kTakeData}, S::shared, "§2.3.2"},
              {"granted", {S::to_dirty}, {E::grant}, {}, {kTakeGrant}, S::dirty, "§2.4.2"},
              {"owner's data alone",
               {S::to_dirty},
               {E::owner_data},
               kOneMessage,
               {kTakeGrant},
               S::dirty,
               "without two_messages"},
              {"owner's data last", {S::to_dirty}, {E::owner_data}, kAckThere, {kTakeGrant}, S::dirty, "§2.4.2"},
              {"owner's data first", {S::to_dirty}, {E::owner_data}, {}, {kRememberData}, kStays, "§2.4.2"},
              {"denied, and the home knows",
               {S::to_dirty},
               {E::grant_ack},
               kWasDenied,
               {kRefuseInitiator},
               S::invalid,
               "§2.4.2"},
              {"grant-ack last", {S::to_dirty}, {E::grant_ack}, kDataThere, {kTakeGrant}, S::dirty, "§2.4.2"},
              {"grant-ack first", {S::to_dirty}, {E::grant_ack}, {}, {kRememberAck}, kStays, "§2.4.2"},
              {"read denied", {S::to_shared}, {E::denied}, {}, {kRefuseInitiator}, S::invalid, "§4.1"},
              {"denied by the owner first",
               {S::to_dirty},
               {E::denied},
               kOtherMissing,
               {kRememberDenied},
               kStays,
               "§2.4.2"},
              {"upgrade denied", {S::to_dirty}, {E::denied}, kHasCopy, {kRefuseInitiator}, S::shared, "§4.1"},
              {"write denied", {S::to_dirty}, {E::denied}, {}, {kRefuseInitiator}, S::invalid, "§4.1"},

              {"home lost, locked here", {S::shared}, {E::home_lost}, kLocked, {}, kStays, "§5"},
              {"home lost, shared", {S::shared}, {E::home_lost}, {}, {kDrop}, S::invalid, "§5"},
              {"home lost, owned here", {S::dirty}, {E::home_lost}, {}, {}, kStays, "§5"},
              {"home lost, asked for", {S::to_shared}, {E::home_lost}, {}, {kWithdraw}, kStays, "§5"},
              {"home lost, to be written", {S::to_dirty}, {E::home_lost}, {}, {kWithdraw, kDrop}, kStays, "§5"},
              {"home lost, dying",
               {S::to_invalid},
               {E::home_lost},
               {},
               {kEndWriteBack, kWithdraw, kDrop},
               S::invalid,
               "§5"},
              {"owner by its log", {S::invalid}, {E::restore}, {}, {kTakeRestored}, S::dirty, "§5"},
              {"home back", {S::to_shared, S::to_dirty}, {E::home_back}, {}, {kAskAgain}, kStays, "§5"},
          },
      .impossible =
          {
              {{S::invalid, S::to_shared, S::to_dirty, S::to_invalid}, {E::evict}, "no victim"},
              {{S::dirty}, {E::invalidate}, "the home sends it to sharers, and knows its owner"},
              {{S::invalid, S::shared, S::to_shared}, fetches, "the home sends it to its owner"},
              {{S::invalid, S::shared, S::dirty, S::to_dirty, S::to_invalid}, {E::data}, "no READ is under way"},
              {{S::invalid, S::shared, S::dirty, S::to_shared, S::to_invalid},
               {E::grant, E::owner_data, E::grant_ack},
               "no WRITE is under way"},
              {{S::invalid, S::shared, S::dirty, S::to_invalid}, {E::denied}, "nothing is under way that tries"},
              {{S::invalid, S::shared, S::dirty, S::to_shared, S::to_dirty},
               {E::write_back_ack},
               "no WRITE_BACK is under way"},
              {{S::invalid}, {E::home_lost}, "there is nothing"},
              {{S::shared, S::dirty, S::to_shared, S::to_dirty, S::to_invalid}, {E::restore}, "it comes with nothing"},
              {{S::invalid, S::shared, S::dirty, S::to_invalid}, {E::home_back}, "nothing is asked for"},
          },
  });
}

const CacheStep::Life::Table& CacheStep::Life::table() {
  static const Table table = make_table();
  return table;
}

const models::TableDescription& CacheStep::table() {
  return Life::table().description();
}

void CacheStep::execute(CacheState& state, CacheEvent event, CacheStep& step, const sim::CoverageProbe& coverage) {
  Life::table().on(state, event, step, coverage);
}

}  // namespace racksim::gam
