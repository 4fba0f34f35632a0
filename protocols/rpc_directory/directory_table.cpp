// The transition table of a directory entry. See directory_step.hpp; guards and actions are in directory_step.cpp.
#include <optional>
#include <vector>

#include "protocols/rpc_directory/directory_step.hpp"

namespace racksim::rpc_directory {

/// The table, apart from DirectoryStep because it names all of its members.
struct DirectoryStep::Life {
  using State = DirectoryState;
  using Event = DirectoryEvent;
  using Table = models::TransitionTable<State, Event, DirectoryStep>;
  using Step = DirectoryStep;

  static constexpr Table::Guard kNobodyElse{"nobody else shares it", &Step::nobody_else_shares},
      kNoAcks{"await_acks off", &Step::awaits_no_acks}, kNoQueue{"queue_busy off", &Step::queues_nothing},
      kOwnerAsks{"the owner asks", &Step::owner_asks}, kMoreAcks{"others are awaited", &Step::more_acks_awaited},
      kLastShare{"the last share", &Step::is_last_share}, kStale{"of a copy that is gone", &Step::is_stale},
      kRequesterLeaves{"it has the page, and evicts it", &Step::requester_leaves},
      kHasLeft{"it has evicted the page", &Step::requester_has_left}, kReader{"a reader waits", &Step::reader_waits};

  static constexpr Table::Action kGrantShare{"grant a share, with the page", &Step::grant_share},
      kGrantExclusive{"grant, with the page unless the share is there", &Step::grant_exclusive},
      kInvalidate{"send invalidations", &Step::invalidate_others}, kBegin{"busy for this request", &Step::begin},
      kRedirect{"reply: ask the owner", &Step::redirect}, kQueue{"queue the request", &Step::queue},
      kAcknowledge{"one less is awaited", &Step::acknowledge},
      kFinishExclusive{"grant the write waited for", &Step::finish_exclusive},
      kFinishShared{"grant the read waited for", &Step::finish_shared},
      kFinishHandedOver{"note the new owner", &Step::finish_handed_over},
      kFinishSharedOut{"note the new sharer", &Step::finish_shared_out},
      kNoteLeft{"note that the requester has no copy any more", &Step::note_left},
      kForgetAll{"forget the holders", &Step::forget_holders}, kDropHolder{"forget the holder", &Step::drop_holder},
      kNoteStale{"nothing: it is stale", &Step::note_stale};

  static Table make_table();
  static const Table& table();
};

DirectoryStep::Life::Table DirectoryStep::Life::make_table() {
  constexpr auto kStays = std::nullopt;
  using S = State;
  using E = Event;
  const std::vector<E> requests{E::read_request, E::write_request};
  const std::vector<S> with_owner{S::exclusive, S::handing_over, S::sharing_out, S::awaiting_write_back};
  return Table({
      .name = "rpc-directory entry",
      .doc = "what the home of a line knows of its copies",
      .states = {"uncached", "shared", "exclusive", "invalidating", "handing over", "sharing out",
                 "awaiting write-back"},
      .events = {"read request", "write request", "acknowledged", "evicted", "written back", "handed over",
                 "shared out"},
      .initial = S::uncached,
      .rows =
          {
              {"first share", {S::uncached}, {E::read_request}, {}, {kGrantShare}, S::shared, "possession"},
              {"next share", {S::shared}, {E::read_request}, {}, {kGrantShare}, kStays, "possession"},
              {"first owner", {S::uncached}, {E::write_request}, {}, {kGrantExclusive}, S::exclusive, "possession"},
              {"only sharer writes",
               {S::shared},
               {E::write_request},
               kNobodyElse,
               {kGrantExclusive},
               S::exclusive,
               "possession"},
              {"write without acknowledgements",
               {S::shared},
               {E::write_request},
               kNoAcks,
               {kInvalidate, kGrantExclusive},
               S::exclusive,
               "without await_acks"},
              {"write to a shared line",
               {S::shared},
               {E::write_request},
               {},
               {kBegin, kInvalidate},
               S::invalidating,
               "invalidation"},
              {"owner asks again", {S::exclusive}, requests, kOwnerAsks, {kBegin}, S::awaiting_write_back, "ours"},
              {"reader meets an owner",
               {S::exclusive},
               {E::read_request},
               {},
               {kBegin, kRedirect},
               S::sharing_out,
               "copy request"},
              {"writer meets an owner",
               {S::exclusive},
               {E::write_request},
               {},
               {kBegin, kRedirect},
               S::handing_over,
               "copy request"},
              {"read beside invalidations",
               {S::invalidating},
               {E::read_request},
               kNoQueue,
               {kGrantShare},
               kStays,
               "without queue_busy"},
              {"request of a busy line",
               {S::invalidating, S::handing_over, S::sharing_out, S::awaiting_write_back},
               requests,
               {},
               {kQueue},
               kStays,
               "ours"},

              {"copy gone", {S::invalidating}, {E::acknowledged}, kMoreAcks, {kAcknowledge}, kStays, "invalidation"},
              {"all copies gone",
               {S::invalidating},
               {E::acknowledged},
               {},
               {kAcknowledge, kFinishExclusive},
               S::exclusive,
               "invalidation"},
              {"handed over, and evicted since",
               {S::handing_over},
               {E::handed_over},
               kHasLeft,
               {kForgetAll},
               S::uncached,
               "ours"},
              {"handed over",
               {S::handing_over},
               {E::handed_over},
               {},
               {kFinishHandedOver},
               S::exclusive,
               "copy request"},
              {"shared out, and evicted since", {S::sharing_out}, {E::shared_out}, kHasLeft, {}, S::shared, "ours"},
              {"shared out", {S::sharing_out}, {E::shared_out}, {}, {kFinishSharedOut}, S::shared, "copy request"},

              {"new owner evicts before the old one's notice",
               {S::handing_over},
               {E::written_back},
               kRequesterLeaves,
               {kNoteLeft},
               kStays,
               "ours"},
              {"new sharer evicts before the owner's notice",
               {S::sharing_out},
               {E::evicted},
               kRequesterLeaves,
               {kNoteLeft},
               kStays,
               "ours"},
              {"stale eviction of a share", {S::shared}, {E::evicted}, kStale, {kNoteStale}, kStays, "ours"},
              {"last share evicted", {S::shared}, {E::evicted}, kLastShare, {kDropHolder}, S::uncached, "eviction"},
              {"share evicted", {S::shared}, {E::evicted}, {}, {kDropHolder}, kStays, "eviction"},
              {"share evicted too late",
               {S::uncached, S::exclusive, S::invalidating, S::handing_over, S::sharing_out, S::awaiting_write_back},
               {E::evicted},
               {},
               {kNoteStale},
               kStays,
               "ours"},
              {"owner evicts", {S::exclusive}, {E::written_back}, {}, {kDropHolder}, S::uncached, "eviction"},
              {"owner evicts before a writer's copy request",
               {S::handing_over},
               {E::written_back},
               {},
               {kFinishExclusive},
               S::exclusive,
               "ours"},
              {"owner evicts before a reader's copy request",
               {S::sharing_out},
               {E::written_back},
               {},
               {kFinishShared},
               S::shared,
               "ours"},
              {"owner may read again",
               {S::awaiting_write_back},
               {E::written_back},
               kReader,
               {kFinishShared},
               S::shared,
               "ours"},
              {"owner may write again",
               {S::awaiting_write_back},
               {E::written_back},
               {},
               {kFinishExclusive},
               S::exclusive,
               "ours"},
          },
      .ignored = {{{S::uncached, S::shared, S::exclusive, S::handing_over, S::sharing_out, S::awaiting_write_back},
                   {E::acknowledged},
                   "without await_acks nobody waits for it"}},
      .impossible =
          {
              {{S::uncached, S::shared, S::invalidating}, {E::written_back}, "there is no owner"},
              {{S::uncached, S::shared, S::exclusive, S::invalidating, S::sharing_out, S::awaiting_write_back},
               {E::handed_over},
               "nobody was asked to hand it over"},
              {{S::uncached, S::shared, S::exclusive, S::invalidating, S::handing_over, S::awaiting_write_back},
               {E::shared_out},
               "nobody was asked to share it"},
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

}  // namespace racksim::rpc_directory
