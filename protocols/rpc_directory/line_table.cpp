// The transition table of a line at a node. See line_step.hpp; guards and actions are in line_step.cpp.
#include <optional>
#include <vector>

#include "protocols/rpc_directory/directory_step.hpp"
#include "protocols/rpc_directory/line_step.hpp"

namespace racksim::rpc_directory {

/// The table, apart from LineStep because it names all of its members.
struct LineStep::Life {
  using State = LineState;
  using Event = LineEvent;
  using Table = models::TransitionTable<State, Event, LineStep>;
  using Step = LineStep;

  static constexpr Table::Guard kStale{"of a copy that is gone", &Step::is_stale},
      kEarly{"of the copy that is asked for", &Step::is_early}, kInUse{"in local use", &Step::in_use};

  static constexpr Table::Action kHit{"use the copy", &Step::hit},
      kRequestShare{"request a share", &Step::request_share},
      kRequestExclusive{"request the line", &Step::request_exclusive}, kTake{"take the page", &Step::take},
      kTakeToWrite{"take what was granted", &Step::take_to_write}, kAskOwner{"ask the owner", &Step::ask_owner},
      kAcknowledge{"acknowledge", &Step::acknowledge}, kNoteStale{"nothing: it is stale", &Step::note_stale},
      kNoteLost{"note the lost share", &Step::note_lost_share}, kDefer{"defer", &Step::defer},
      kDrop{"forget the copy", &Step::drop_copy}, kHandOver{"WRITE the page there, tell the home", &Step::hand_over},
      kShareOut{"WRITE the page there and to memory, tell the home", &Step::share_out},
      kNotifyEvicted{"tell the home", &Step::notify_evicted},
      kWriteBack{"WRITE the page to memory, tell the home", &Step::write_back};

  static Table make_table();
  static const Table& table();
};

LineStep::Life::Table LineStep::Life::make_table() {
  constexpr auto kStays = std::nullopt;
  using S = State;
  using E = Event;
  const std::vector<S> asking{S::asking_shared, S::asking_exclusive, S::upgrading}, held{S::shared, S::exclusive};
  const std::vector<E> copy_request{E::give, E::share};
  return Table({
      .name = "rpc-directory line",
      .doc = "the life of a line in the cache of one node",
      .states = {"absent", "shared", "exclusive", "asking for a share", "asking for the line", "upgrading"},
      .events = {"read", "write", "granted", "redirected", "invalidate", "give", "share", "evict"},
      .initial = S::absent,
      .rows =
          {
              {"read hit", held, {E::read}, {}, {kHit}, kStays, "possession"},
              {"write hit", {S::exclusive}, {E::write}, {}, {kHit}, kStays, "possession"},
              {"read miss", {S::absent}, {E::read}, {}, {kRequestShare}, S::asking_shared, "possession"},
              {"write miss", {S::absent}, {E::write}, {}, {kRequestExclusive}, S::asking_exclusive, "possession"},
              {"upgrade", {S::shared}, {E::write}, {}, {kRequestExclusive}, S::upgrading, "possession"},

              {"granted a share", {S::asking_shared}, {E::granted}, {}, {kTake}, S::shared, "possession"},
              {"granted to write",
               {S::asking_exclusive, S::upgrading},
               {E::granted},
               {},
               {kTakeToWrite},
               S::exclusive,
               "possession"},
              {"redirected", asking, {E::redirected}, {}, {kAskOwner}, kStays, "copy request"},

              {"invalidated before",
               held,
               {E::invalidate},
               kStale,
               {kNoteStale, kAcknowledge},
               kStays,
               "without await_acks"},
              {"invalidated in use", held, {E::invalidate}, kInUse, {kDefer}, kStays, "invalidation"},
              {"invalidated", held, {E::invalidate}, {}, {kDrop, kAcknowledge}, S::absent, "invalidation"},
              {"invalidation meets eviction",
               {S::absent},
               {E::invalidate},
               {},
               {kNoteStale, kAcknowledge},
               kStays,
               "ours"},
              {"invalidated before the page",
               {S::asking_shared, S::asking_exclusive},
               {E::invalidate},
               kEarly,
               {kDefer},
               kStays,
               "ours"},
              {"invalidation meets eviction and request",
               {S::asking_shared, S::asking_exclusive},
               {E::invalidate},
               {},
               {kNoteStale, kAcknowledge},
               kStays,
               "ours"},
              {"invalidated before, upgrading",
               {S::upgrading},
               {E::invalidate},
               kStale,
               {kNoteStale, kAcknowledge},
               kStays,
               "without await_acks"},
              {"upgrade loses its share",
               {S::upgrading},
               {E::invalidate},
               {},
               {kDrop, kNoteLost, kAcknowledge},
               S::asking_exclusive,
               "invalidation"},

              {"asked for before", {S::exclusive}, copy_request, kStale, {kNoteStale}, kStays, "ours"},
              {"asked for in use", {S::exclusive}, copy_request, kInUse, {kDefer}, kStays, "copy request"},
              {"hand over", {S::exclusive}, {E::give}, {}, {kHandOver, kDrop}, S::absent, "copy request"},
              {"share out", {S::exclusive}, {E::share}, {}, {kShareOut}, S::shared, "copy request"},
              {"asked for before the page",
               {S::asking_exclusive, S::upgrading},
               copy_request,
               kEarly,
               {kDefer},
               kStays,
               "ours"},
              {"copy request meets eviction",
               {S::absent, S::shared, S::asking_shared, S::asking_exclusive, S::upgrading},
               copy_request,
               {},
               {kNoteStale},
               kStays,
               "ours"},

              {"evict a share", {S::shared}, {E::evict}, {}, {kNotifyEvicted, kDrop}, S::absent, "eviction"},
              {"evict", {S::exclusive}, {E::evict}, {}, {kWriteBack, kDrop}, S::absent, "eviction"},
          },
      .impossible =
          {
              {asking, {E::read, E::write, E::evict}, "the latch is held exclusively"},
              {{S::absent}, {E::evict}, "no victim"},
              {{S::absent, S::shared, S::exclusive}, {E::granted, E::redirected}, "no request is out"},
          },
  });
}

const LineStep::Life::Table& LineStep::Life::table() {
  static const Table table = make_table();
  return table;
}

const models::TableDescription& LineStep::table() {
  return Life::table().description();
}

void LineStep::execute(LineState& state, LineEvent event, LineStep& step, const sim::CoverageProbe& coverage) {
  Life::table().on(state, event, step, coverage);
}

}  // namespace racksim::rpc_directory
