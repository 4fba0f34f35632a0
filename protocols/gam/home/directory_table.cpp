// The transition table of a directory entry, with its guards and actions. See directory_step.hpp.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "protocols/gam/home/directory_step.hpp"
#include "protocols/gam/home/home_data.hpp"
#include "protocols/gam/rules/races.hpp"

namespace racksim::gam {

namespace directory_rows {

using Guard = DirectoryTable::Guard;
using Action = DirectoryTable::Action;
using Step = DirectoryStep;

constexpr Guard behind_own("an access of its thread waits",
                           [](const Step& step) { return step.entry.pending.has_of_thread(step.request->thread); });
constexpr Guard read_locked("read-locked here", [](const Step& step) { return step.entry.lock.is_read(); });
// A try does not queue, so it heeds no queue: it fails against who holds the lock alone (§4.1).
constexpr Guard may_lock("free for it, and it tries or nobody waits", [](const Step& step) {
  return step.entry.lock.admits(step.request->is_exclusive()) &&
         (step.request->tries() || !step.entry.pending.holds_locks_back());
});
constexpr Guard only_tries("only tries", [](const Step& step) { return step.request->tries(); });
constexpr Guard unblocked("blocking off",
                          [](const Step& step) { return !step.options().blocking && step.entry.unblocked == nullptr; });
constexpr Guard no_read("locked against it", [](const Step& step) { return step.waits_for_lock(false); });
constexpr Guard no_read_try("locked against the try",
                            [](const Step& step) { return step.message->tries && step.waits_for_lock(false); });
constexpr Guard no_write("locked against it", [](const Step& step) { return step.waits_for_lock(true); });
constexpr Guard no_write_try("locked against the try",
                             [](const Step& step) { return step.message->tries && step.waits_for_lock(true); });
constexpr Guard others_share("others share it", [](const Step& step) {
  return std::any_of(step.entry.sharers.begin(), step.entry.sharers.end(),
                     [&](const Sharer& sharer) { return sharer.node != step.message->sender; });
});
constexpr Guard last_sharer("the last sharer", [](const Step& step) {
  return step.entry.sharers.size() == 1 && step.entry.sharers.front().node == step.sender();
});
constexpr Guard by_its_owner("the owner",
                             [](const Step& step) { return step.entry.owner.node == step.message->sender; });
constexpr Guard more_awaited("others are awaited",
                             [](const Step& step) { return step.entry.transaction->awaited > 1; });
constexpr Guard was_denied("a sharer has denied", [](const Step& step) { return step.entry.transaction->denied; });
constexpr Guard of_the_owner("by the owner", [](const Step& step) { return step.entry.transaction->awaited == 0; });
constexpr Guard for_the_dead("for a node that is dead",
                             [](const Step& step) { return step.entry.transaction->for_nobody; });

constexpr Action perform("perform it", [](Step& step) { step.perform(*step.request); });
constexpr Action lock("grant the lock", [](Step& step) {
  if (step.entry.pending.holds_locks_back()) step.home.shared.coverage.race(races.try_passes_waiter);
  step.entry.lock.take(step.request->is_exclusive());
  if (step.request->is_exclusive()) {
    step.home.output.log().log_line(step.line, HomeData(step.home.shared, step.line), step.home.counter_of(step.line));
  }
  step.home.output.grant(*step.request);
});
constexpr Action refuse("refuse it", [](Step& step) { step.home.output.refuse(*step.request); });
constexpr Action queue("queue", [](Step& step) {
  if (step.request != nullptr) {
    ++step.counters().merged.value;
    return step.entry.pending.add(*step.request);
  }
  ++step.counters().blocked.value;
  step.entry.pending.add(*step.message);
  const sim::CoverageProbe& coverage = step.home.shared.coverage;
  if (is_stable(step.entry.state)) coverage.race(races.request_meets_home_lock);
  if (!is_stable(step.entry.state) && step.message->kind == MessageKind::write_back) {
    coverage.race(races.write_back_meets_transition);
  }
});
constexpr Action fetch_and_share("send FETCH_AND_SHARED", [](Step& step) {
  step.forward(step.counters().home_reads_dirty, MessageKind::fetch_and_shared);
});
constexpr Action fetch_and_invalidate("send FETCH_AND_INVALIDATE", [](Step& step) {
  step.forward(step.counters().home_writes_dirty, MessageKind::fetch_and_invalidate);
});
constexpr Action invalidate("send INVALIDATE to each", [](Step& step) { step.invalidate(); });
constexpr Action invalidate_unblocked("send INVALIDATE to each, and forget them", [](Step& step) {
  step.invalidate();
  const Transaction& begun = *step.entry.transaction;
  step.entry.unblocked = std::make_unique<UnblockedWrite>(UnblockedWrite{begun.number, begun.local, begun.awaited});
  step.entry.transaction.reset();
  step.entry.sharers.clear();
});
constexpr Action share("list it, send the data", [](Step& step) {
  const Message& asked = *step.message;
  ++step.counters().remote_reads_clean.value;
  if (Sharer* listed = step.entry.sharer(asked.sender)) {
    listed->request = asked.request;
  } else {
    step.entry.sharers.push_back({asked.sender, asked.request});
  }
  const Shared& shared = step.home.shared;
  step.home.output.send_line(asked.sender, shared.frame_at(asked.sender, asked.frame), shared.content_of(step.line),
                             {ImmediateKind::data, asked.request}, asked.operation);
});
constexpr Action forward_read("send READ_FORWARD", [](Step& step) {
  step.forward(step.counters().remote_reads_dirty, MessageKind::read_forward);
});
constexpr Action grant("grant, with data unless it shares", [](Step& step) {
  Counters& counters = step.counters();
  const bool unshared = step.entry.state == DirectoryState::unshared;
  ++(unshared ? counters.remote_writes_unshared : counters.remote_writes_shared).value;
  const bool lost = step.has_no_copy(*step.message);
  const bool upgrade = step.message->kind == MessageKind::write_permission_only;
  if (lost && upgrade) step.home.shared.coverage.race(races.upgrade_granted_as_write);
  step.grant(*step.message, lost || !upgrade);
});
constexpr Action invalidate_forward("send INVALIDATE_FORWARD to the others", [](Step& step) {
  ++step.counters().remote_writes_shared.value;
  step.begin();
  for (const Sharer& sharer : step.entry.sharers) {
    if (sharer.node == step.message->sender) continue;
    ++step.entry.transaction->awaited;
    ++step.counters().invalidations.value;
    step.tell(sharer.node, MessageKind::invalidate_forward, &sharer);
  }
});
constexpr Action forward_write("send WRITE_FORWARD", [](Step& step) {
  step.forward(step.counters().remote_writes_dirty, MessageKind::write_forward);
});
constexpr Action deny("send DENIED", [](Step& step) { step.deny(*step.message); });
constexpr Action strike_off("strike it off", [](Step& step) {
  step.entry.strike_off(step.sender());
  if (step.entry.transaction != nullptr) --step.entry.transaction->awaited;
});
constexpr Action take_data("data into memory", [](Step& step) {
  step.home.take_written_back(*step.message);
  step.entry.owner = {};
});
constexpr Action send_ack("send wb-ack", [](Step& step) {
  const Message& asked = *step.message;
  step.home.output.notify(asked.sender, {ImmediateKind::write_back_ack, asked.request}, asked.operation);
});
constexpr Action grant_now("grant what is waited for", [](Step& step) {
  const Message asked = step.entry.transaction->request;
  step.grant(asked, asked.kind == MessageKind::write || step.has_no_copy(asked));
});
constexpr Action finish_shared("list the owner and the reader", [](Step& step) {
  const Transaction& read = *step.entry.transaction;
  step.entry.sharers.assign(1, std::exchange(step.entry.owner, {}));
  if (read.local == nullptr && !read.for_nobody) {
    step.entry.sharers.push_back({read.request.sender, read.request.request});
  }
});
constexpr Action finish_fetched("forget the owner", [](Step& step) { step.entry.owner = {}; });
constexpr Action finish_transfer("note the new owner, send grant-ack", [](Step& step) {
  const Message& asked = step.entry.transaction->request;
  step.entry.owner = {asked.sender, asked.request};
  step.acknowledge_grant(step.home.log_owner(step.line, asked.sender));
});
constexpr Action note_denial("note the denial", [](Step& step) {
  if (step.entry.transaction->denied) step.home.shared.coverage.race(races.second_denial);
  step.entry.transaction->denied = true;
  if (Sharer* sharer = step.entry.sharer(step.message->sender)) sharer->has_denied = true;
  --step.entry.transaction->awaited;
});
constexpr Action pass_on("send DENIED to the requester",
                         [](Step& step) { step.deny(step.entry.transaction->request); });
constexpr Action end_try("refuse the try", [](Step& step) { step.refuse_initiator(); });
// The owner has told a requester itself; a writer waits for the home too (§2.4.2).
constexpr Action end_denied("refuse the try, or send grant-ack", [](Step& step) {
  if (step.entry.transaction->local != nullptr) return step.refuse_initiator();
  if (step.entry.state == DirectoryState::to_dirty) step.acknowledge_grant({});
});
constexpr Action count_late_ack("count it; the last performs the write", [](Step& step) {
  UnblockedWrite& write = *step.entry.unblocked;
  if (--write.awaited > 0) return;
  step.home.transactions.end(write.number);
  step.perform(*write.request);
  step.entry.unblocked.reset();
});
constexpr Action await_recovery("await recovery", [](Step& step) {
  step.home.shared.coverage.race(races.transfer_to_nobody);
  step.entry.transaction->is_void = true;
  step.awaits_recovery = true;
});

static DirectoryTable make_table() {
  using enum DirectoryState;
  using States = std::vector<DirectoryState>;
  using Events = std::vector<DirectoryEvent>;
  constexpr auto stays = std::nullopt;
  const States readable{unshared, shared}, stable{unshared, shared, dirty}, moving{to_shared, to_dirty, to_unshared},
      collecting{to_dirty, to_unshared}, unlisted{unshared, dirty},
      unheld{unshared, dirty, to_shared, to_dirty, to_unshared},
      every{unshared, shared, dirty, to_shared, to_dirty, to_unshared};
  {
    using enum DirectoryEvent;
    const Events accesses{local_read, local_write}, locks{local_read_lock, local_write_lock},
        reading{local_read, local_read_lock}, writing{local_write, local_write_lock},
        writes{write, write_permission_only}, answers{invalidate_ack, fetched, transfer, denied};
    const Events any{local_read, local_write,           local_read_lock,   local_write_lock, read,
                     write,      write_permission_only, active_invalidate, write_back};
    return DirectoryTable({
        .name = "gam directory entry",
        .doc = "what the home of a line knows of it",
        .states = {"UnShared", "Shared", "Dirty", "ToShared", "ToDirty", "ToUnShared"},
        .events = {"local read", "local write", "local RLock", "local WLock", "READ", "WRITE", "WRITE_PERMISSION_ONLY",
                   "ACTIVE_INVALIDATE", "WRITE_BACK", "inv-ack", "fetched data", "transfer", "DENIED", "sharer lost",
                   "promoted", "restored", "announced", "late inv-ack"},
        .initial = unshared,
        // clang-format off
        .rows = {
    // row                                states         events               guard         actions                  next         section
    {"behind an own access",              readable,      accesses,            behind_own,   {queue},                 stays,       "§2.5"},
    {"home reads",                        readable,      {local_read},        {},           {perform},               stays,       "§2.3.1"},
    {"home reads a Dirty line",           {dirty},       reading,             {},           {fetch_and_share},       to_shared,   "§2.3.1"},
    {"home writes under a read lock",     readable,      {local_write},       read_locked,  {queue},                 stays,       "ours"},
    {"home writes",                       {unshared},    {local_write},       {},           {perform},               stays,       "§2.4.1"},
    {"home writes a Shared line at once", {shared},      {local_write},       unblocked,    {invalidate_unblocked},  unshared,    "§2.5"},
    {"home writes a Shared line",         {shared},      {local_write},       {},           {invalidate},            to_unshared, "§2.4.1"},
    {"home writes a Dirty line",          {dirty},       writing,             {},           {fetch_and_invalidate},  to_unshared, "§2.4.1"},
    {"home locks to read",                readable,      {local_read_lock},   may_lock,     {lock},                  stays,       "§4.1"},
    {"home locks to write",               {unshared},    {local_write_lock},  may_lock,     {lock},                  stays,       "§4.1"},
    {"home locks a Shared line",          {shared},      {local_write_lock},  may_lock,     {invalidate},            to_unshared, "§4.1"},
    {"home's try-lock fails",             readable,      locks,               only_tries,   {refuse},                stays,       "§4.1"},
    {"home's lock waits",                 readable,      locks,               {},           {queue},                 stays,       "§4.1"},

    {"read lock is denied",               readable,      {read},              no_read_try,  {deny},                  stays,       "§4.1"},
    {"read meets a lock",                 readable,      {read},              no_read,      {queue},                 stays,       "§4.1"},
    {"read",                              readable,      {read},              {},           {share},                 shared,      "§2.3.2"},
    {"read of a Dirty line",              {dirty},       {read},              {},           {forward_read},          to_shared,   "§2.3.2"},
    {"lock is denied",                    readable,      writes,              no_write_try, {deny},                  stays,       "§4.1"},
    {"write meets a lock",                readable,      writes,              no_write,     {queue},                 stays,       "§4.1"},
    {"write",                             {unshared},    writes,              {},           {grant},                 dirty,       "§2.4.2"},
    {"write of a Shared line",            {shared},      writes,              others_share, {invalidate_forward},    to_dirty,    "§2.4.2"},
    {"write by the only sharer",          {shared},      writes,              {},           {grant},                 dirty,       "§2.4.2"},
    {"write of a Dirty line",             {dirty},       writes,              {},           {forward_write},         to_dirty,    "§2.4.2"},
    {"in transition",                     moving,        any,                 {},           {queue},                 stays,       "§2.5"},

    {"last sharer evicts",                {shared},      {active_invalidate}, last_sharer,  {strike_off},            unshared,    "§2.6"},
    {"sharer evicts",                     {shared},      {active_invalidate}, {},           {strike_off},            stays,       "§2.6"},
    {"sharer has evicted in vain",        unlisted,      {active_invalidate}, {},           {},                      stays,       "ours"},
    {"owner evicts",                      {dirty},       {write_back},        by_its_owner, {take_data, send_ack},   unshared,    "§2.6"},
    {"last sharer was the owner",         {shared},      {write_back},        last_sharer,  {strike_off, send_ack},  unshared,    "ours"},
    {"sharer was the owner",              {shared},      {write_back},        {},           {strike_off, send_ack},  stays,       "ours"},
    {"owner no more",                     unlisted,      {write_back},        {},           {send_ack},              stays,       "ours"},

    {"one copy gone",                     collecting,    {invalidate_ack},    more_awaited, {strike_off},            stays,       "§2.4"},
    {"last answer, one was a denial",     {to_unshared}, {invalidate_ack},    was_denied,   {strike_off, end_try},   shared,      "§4.1"},
    {"last answer, one was DENIED",       {to_dirty},    {invalidate_ack},    was_denied,   {strike_off, pass_on},   shared,      "§4.1"},
    {"all copies gone",                   {to_unshared}, {invalidate_ack},    {},           {strike_off},            unshared,    "§2.4.1"},
    {"all copies gone for nobody",        {to_dirty},    {invalidate_ack},    for_the_dead, {strike_off},            unshared,    "§5"},
    {"all copies gone, grant",            {to_dirty},    {invalidate_ack},    {},           {strike_off, grant_now}, dirty,       "§2.4.2"},
    {"fetched to read",                   {to_shared},   {fetched},           {},           {finish_shared},         shared,      "§2.3"},
    {"fetched to write",                  {to_unshared}, {fetched},           {},           {finish_fetched},        unshared,    "§2.4.1"},
    {"transferred to nobody",             {to_dirty},    {transfer},          for_the_dead, {await_recovery},        stays,       "§5"},
    {"transferred",                       {to_dirty},    {transfer},          {},           {finish_transfer},       dirty,       "§2.4.2"},
    {"owner denies",                      {to_shared},   {denied},            {},           {end_denied},            dirty,       "§4.1"},
    {"owner denies a write",              collecting,    {denied},            of_the_owner, {end_denied},            dirty,       "§2.4.2"},
    {"a sharer denies",                   collecting,    {denied},            more_awaited, {note_denial},           stays,       "§4.1"},
    {"last sharer denies the home",       {to_unshared}, {denied},            {},           {note_denial, end_try},  shared,      "§4.1"},
    {"last sharer denies",                {to_dirty},    {denied},            {},           {note_denial, pass_on},  shared,      "§4.1"},
    {"last sharer is dead",               {shared},      {sharer_lost},       last_sharer,  {strike_off},            unshared,    "§5"},
    {"sharer is dead",                    {shared},      {sharer_lost},       {},           {strike_off},            stays,       "§5"},
    {"promoted",                          unlisted,      {promoted},          {},           {},                      dirty,       "§5"},
    {"restored",                          unheld,        {restored},          {},           {},                      unshared,    "§5"},
    {"announced",                         unheld,        {announced},         {},           {},                      shared,      "§5"},
    {"late acknowledgement",              every,         {late_ack},          {},           {count_late_ack},        stays,       "without blocking"},
        },
        .impossible = {
    {stable,        answers,                         "nothing is awaited"},
    {{to_shared},   {invalidate_ack, transfer},      "data of the owner are awaited"},
    {{to_dirty},    {fetched},                       "the data go to the requester"},
    {{to_unshared}, {transfer},                      "the data come themselves"},
    {unlisted,      {sharer_lost},                   "nobody shares it"},
    {moving,        {sharer_lost},                   "it counts as an acknowledgement, or is nothing to this transition"},
    {{shared},      {promoted, restored, announced}, "what is shared is in memory"},
    {moving,        {promoted},                      "what is in transition is restored"},
        },
        // clang-format on
    });
  }
}

}  // namespace directory_rows

const DirectoryTable& directory_table() {
  static const DirectoryTable table = directory_rows::make_table();
  return table;
}

}  // namespace racksim::gam
