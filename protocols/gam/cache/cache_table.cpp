// The transition table of a line in a cache, with its guards and actions. See cache_step.hpp.
#include <optional>
#include <utility>
#include <vector>

#include "protocols/gam/cache/cache_step.hpp"
#include "protocols/gam/rules/races.hpp"

namespace racksim::gam {

namespace cache_rows {

using Guard = CacheTable::Guard;
using Action = CacheTable::Action;
using Step = CacheStep;

constexpr Guard behind_own("an access of its thread waits", [](const Step& step) {
  return step.frame->work != nullptr && step.frame->work->pending.has_of_thread(step.request->thread);
});
constexpr Guard read_locked("read-locked here", [](const Step& step) { return step.frame->lock.is_read(); });
constexpr Guard dying_reads("dying_reads paper",
                            [](const Step& step) { return step.options().dying_reads == Options::DyingReads::paper; });
// A try does not queue, so it heeds no queue: it fails against who holds the lock alone (§4.1).
constexpr Guard may_lock("free for it, and it tries or nobody waits", [](const Step& step) {
  return step.frame->lock.admits(step.request->is_exclusive()) &&
         (step.request->tries() || step.frame->work == nullptr || !step.frame->work->pending.holds_locks_back());
});
constexpr Guard only_tries("only tries", [](const Step& step) { return step.request->tries(); });
constexpr Guard locked("locked here", [](const Step& step) { return !step.frame->lock.is_free(); });
constexpr Guard locked_try("locked here, for a try",
                           [](const Step& step) { return !step.frame->lock.is_free() && step.message->tries; });
constexpr Guard written("write-locked here", [](const Step& step) { return step.frame->lock.is_written(); });
constexpr Guard written_try("write-locked here, for a try",
                            [](const Step& step) { return step.frame->lock.is_written() && step.message->tries; });
constexpr Guard ack_first("invalidate_order ack-first", [](const Step& step) {
  return step.options().invalidate_order == Options::InvalidateOrder::ack_first;
});
// It names the request by which this node became a sharer: the one under way, whose data it has overtaken, or an
// earlier one, whose copy has been evicted since.
constexpr Guard is_to_come("of the copy to come", [](const Step& step) {
  return step.options().fill_invalidate == Options::FillInvalidate::queue ||
         step.message->request == step.frame->work->number;
});
constexpr Guard no_back_off("back_off off", [](const Step& step) { return !step.options().back_off; });
constexpr Guard same_copy("of this copy",
                          [](const Step& step) { return step.message->request == step.frame->request; });
constexpr Guard data_there("the owner's data are there", [](const Step& step) { return step.frame->work->owner_data; });
constexpr Guard ack_there("the grant-ack is there", [](const Step& step) { return step.frame->work->grant_ack; });
constexpr Guard one_message("two_messages off", [](const Step& step) { return !step.options().two_messages; });
constexpr Guard was_denied("denied", [](const Step& step) { return step.frame->work->denied; });
constexpr Guard other_due("by the owner, and the home's is missing", [](const Step& step) {
  return step.message->sender != step.home() && !step.frame->work->grant_ack;
});
constexpr Guard has_copy("the copy is still there", [](const Step& step) { return step.frame->has_copy; });

constexpr Action perform("perform it", [](Step& step) {
  step.copies.touch(*step.frame);
  step.copies.output.perform(*step.request, step.frame->data, step.frame->counter);
});
constexpr Action lock("grant the lock", [](Step& step) {
  Frame& frame = *step.frame;
  if (frame.work != nullptr && frame.work->pending.holds_locks_back()) step.race(races.try_passes_waiter);
  const bool exclusive = step.request->is_exclusive();
  step.copies.touch(frame);
  frame.lock.take(exclusive);
  if (exclusive) step.copies.output.log().log_line(step.line, frame.data, frame.counter);
  step.copies.output.grant(*step.request);
});
constexpr Action refuse("refuse it", [](Step& step) { step.copies.output.refuse(*step.request); });
constexpr Action queue("queue", [](Step& step) {
  PendingList& pending = step.copies.work_of(*step.frame).pending;
  if (step.request != nullptr) {
    ++step.counters().merged.value;
    return pending.add(*step.request);
  }
  ++step.counters().blocked.value;
  pending.add(*step.message);
  if (step.frame->state == CacheState::to_shared) step.race(races.invalidation_overtakes_copy);
  if (step.frame->state == CacheState::to_dirty) step.race(races.forward_overtakes_line);
  if (is_stable(step.frame->state)) step.race(races.message_meets_lock);
});
constexpr Action ask_read("send READ", [](Step& step) { step.ask(step.counters().read_misses, MessageKind::read); });
constexpr Action ask_write("send WRITE",
                           [](Step& step) { step.ask(step.counters().write_misses, MessageKind::write); });
constexpr Action ask_permission("send WRITE_PERMISSION_ONLY", [](Step& step) {
  step.frame->has_copy = true;
  step.copies.touch(*step.frame);
  step.ask(step.counters().upgrades, MessageKind::write_permission_only);
});
constexpr Action take_data("take the data", [](Step& step) {
  step.frame->data = std::move(*step.data);
  step.frame->request = step.frame->work->number;
});
constexpr Action take_grant("take the grant", [](Step& step) { step.take_grant(); });
constexpr Action remember_data("remember the data", [](Step& step) {
  step.frame->work->arrived = std::move(*step.data);
  step.frame->work->owner_data = true;
});
constexpr Action remember_ack("remember the grant-ack", [](Step& step) {
  step.race(races.grant_ack_first);
  step.frame->work->grant_ack = true;
  step.frame->work->counter = step.counter;
});
constexpr Action remember_denial("remember the denial", [](Step& step) { step.frame->work->denied = true; });
constexpr Action end_try("refuse the try", [](Step& step) {
  LineWork& work = *step.frame->work;
  work.denied = work.grant_ack = false;
  step.frame->has_copy = false;
  step.copies.output.refuse(*std::exchange(work.initiator, nullptr));
});
constexpr Action acknowledge("send inv-ack", [](Step& step) {
  const Message& asked = *step.message;
  step.copies.output.notify(asked.sender, {ImmediateKind::invalidate_ack, asked.transaction}, asked.operation);
  const CacheState state = step.frame != nullptr ? step.frame->state : CacheState::to_invalid;
  if (state == CacheState::to_shared || state == CacheState::to_invalid) step.race(races.invalidation_meets_eviction);
});
constexpr Action forget("drop the copy", [](Step& step) {
  if (step.frame->state == CacheState::to_dirty && step.frame->has_copy) step.race(races.upgrade_loses_copy);
  step.frame->data.clear();
  step.frame->has_copy = false;
});
// As the paper's Figure 4 has it: acknowledged (3), then invalidated (4.1), as the worker's next work.
constexpr Action forget_later("drop the copy later", [](Step& step) { step.drops_later = true; });
constexpr Action deny("send DENIED", [](Step& step) {
  ++step.counters().denied.value;
  const Message& asked = *step.message;
  Message denial = asked;
  denial.sender = step.copies.self();
  denial.kind = MessageKind::denied_to_home;
  step.copies.output.send(asked.sender, denial);
  if (asked.kind != MessageKind::read_forward && asked.kind != MessageKind::write_forward) return;
  denial.kind = MessageKind::denied;
  step.copies.output.send(asked.requester, denial);
});
constexpr Action send_data("send the data", [](Step& step) {
  const Message& asked = *step.message;
  if (step.frame->state == CacheState::to_invalid) step.race(races.forward_meets_eviction);
  if (asked.kind == MessageKind::read_forward) step.send_line(asked.requester, {ImmediateKind::data, asked.request});
  if (asked.kind == MessageKind::write_forward) {
    // The counter that the new owner's will be: it matters to whom the owner's word alone is enough.
    step.send_line(asked.requester, {ImmediateKind::owner_data, asked.request}, step.frame->counter + 1);
    step.copies.output.notify(asked.sender, {ImmediateKind::transfer, asked.transaction}, asked.operation);
    return;
  }
  step.send_line(asked.sender, {ImmediateKind::fetched, asked.transaction});
});
constexpr Action tell_home("send ACTIVE_INVALIDATE", [](Step& step) {
  ++step.counters().evicted_shared.value;
  step.copies.output.send(step.home(), {.line = step.line,
                                        .request = step.frame->request,
                                        .sender = step.copies.self(),
                                        .kind = MessageKind::active_invalidate});
});
constexpr Action write_home("send WRITE_BACK", [](Step& step) { step.write_back(); });
constexpr Action release("free the buffer", [](Step& step) {
  --step.copies.dying;
  step.copies.write_back_buffers[step.home()].push_back(step.frame->work->buffer);
});
// What was asked of a home that is dead, or is on its way to it: whatever comes of it is late.
constexpr Action withdraw("withdraw what was asked", [](Step& step) {
  LineWork& work = *step.frame->work;
  if (work.number != 0) step.copies.numbers.end(work.number);
  work.number = 0;
  step.forget_answers();
  work.arrived.clear();
});
constexpr Action ask_again("ask again", [](Step& step) {
  ++step.counters().asked_again.value;
  step.send_request(step.frame->state == CacheState::to_shared ? MessageKind::read : MessageKind::write);
});
constexpr Action take_logged("take what was logged", [](Step& step) {
  step.frame->data = std::move(*step.data);
  step.frame->counter = step.counter;
});

static CacheTable make_table() {
  using enum CacheState;
  using States = std::vector<CacheState>;
  using Events = std::vector<CacheEvent>;
  constexpr auto stays = std::nullopt;
  const States held{shared, dirty}, moving{to_shared, to_dirty, to_invalid}, asked{to_shared, to_dirty},
      every{invalid, shared, dirty, to_shared, to_dirty, to_invalid};
  {
    using enum CacheEvent;
    const Events accesses{read, write}, locks{read_lock, write_lock}, own{read, write, read_lock, write_lock},
        fetches{share_out, hand_over};
    return CacheTable({
        .name = "gam cache line",
        .doc = "a line in the cache of a remote node",
        .states = {"Invalid", "Shared", "Dirty", "ToShared", "ToDirty", "ToInvalid"},
        .events = {"read", "write", "RLock", "WLock", "evict", "INVALIDATE", "drop", "FETCH_AND_SHARED or READ_FORWARD",
                   "FETCH_AND_INVALIDATE or WRITE_FORWARD", "data", "grant", "owner's data", "grant-ack", "DENIED",
                   "wb-ack", "home lost", "restore", "home back"},
        .initial = invalid,
        // clang-format off
        .rows = {
    // row                                  states        events        guard        actions                      next        section
    {"read miss",                           {invalid},    {read},       {},          {ask_read},                  to_shared,  "§2.3.2"},
    {"write miss",                          {invalid},    {write},      {},          {ask_write},                 to_dirty,   "§2.4.2"},
    {"behind an own access",                held,         accesses,     behind_own,  {queue},                     stays,      "§2.5"},
    {"read hit",                            held,         {read},       {},          {perform},                   stays,      "§2.3.2"},
    {"write under a read lock",             held,         {write},      read_locked, {queue},                     stays,      "ours"},
    {"write hit",                           {dirty},      {write},      {},          {perform},                   stays,      "§2.4.2"},
    {"upgrade",                             {shared},     {write},      {},          {ask_permission},            to_dirty,   "§2.5"},
    {"read lock miss",                      {invalid},    {read_lock},  {},          {ask_read},                  to_shared,  "§4.1"},
    {"write lock miss",                     {invalid},    {write_lock}, {},          {ask_write},                 to_dirty,   "§4.1"},
    {"read lock hit",                       {shared},     {read_lock},  may_lock,    {lock},                      stays,      "§4.1"},
    {"lock hit",                            {dirty},      locks,        may_lock,    {lock},                      stays,      "§4.1"},
    {"lock upgrade",                        {shared},     {write_lock}, may_lock,    {ask_permission},            to_dirty,   "§4.1"},
    {"try-lock fails",                      held,         locks,        only_tries,  {refuse},                    stays,      "§4.1"},
    {"lock waits",                          held,         locks,        {},          {queue},                     stays,      "§4.1"},
    {"read of a dying line",                {to_invalid}, {read},       dying_reads, {perform},                   stays,      "§2.6"},
    {"in transition",                       moving,       own,          {},          {queue},                     stays,      "§2.5"},

    {"evict Shared",                        {shared},     {evict},      {},          {tell_home, forget},         invalid,    "§2.6"},
    {"evict Dirty",                         {dirty},      {evict},      {},          {write_home},                to_invalid, "§2.6"},
    {"evicted",                             {to_invalid}, {evict_ack},  {},          {release, forget},           invalid,    "§2.6"},

    {"invalidation meets an eviction",      {invalid},    {invalidate}, {},          {acknowledge},               stays,      "ours"},
    {"invalidation for a try meets a lock", {shared},     {invalidate}, locked_try,  {deny},                      stays,      "§4.1"},
    {"invalidation meets a lock",           {shared},     {invalidate}, locked,      {queue},                     stays,      "§4.1"},
    {"acknowledged first",                  {shared},     {invalidate}, ack_first,   {acknowledge, forget_later}, stays,      "Figure 4"},
    {"invalidated",                         {shared},     {invalidate}, {},          {forget, acknowledge},       invalid,    "§2.4.1"},
    {"invalidation overtakes its copy",     {to_shared},  {invalidate}, is_to_come,  {queue},                     stays,      "ours"},
    {"invalidation of an evicted copy",     {to_shared},  {invalidate}, {},          {acknowledge},               stays,      "ours"},
    {"no back-off",                         {to_dirty},   {invalidate}, no_back_off, {queue},                     stays,      "without back_off"},
    {"back off",                            {to_dirty},   {invalidate}, {},          {forget, acknowledge},       stays,      "§2.5"},
    {"invalidation of a dying line",        {to_invalid}, {invalidate}, {},          {acknowledge},               stays,      "ours"},
    {"dropped late",                        {shared},     {drop},       same_copy,   {forget},                    invalid,    "Figure 4"},
    {"dropped before",                      every,        {drop},       {},          {},                          stays,      "Figure 4"},

    {"read for a try meets a lock",         {dirty},      {share_out},  written_try, {deny},                      stays,      "§4.1"},
    {"read meets a lock",                   {dirty},      {share_out},  written,     {queue},                     stays,      "§4.1"},
    {"share out",                           {dirty},      {share_out},  {},          {send_data},                 shared,     "§2.3.2"},
    {"write for a try meets a lock",        {dirty},      {hand_over},  locked_try,  {deny},                      stays,      "§4.1"},
    {"write meets a lock",                  {dirty},      {hand_over},  locked,      {queue},                     stays,      "§4.1"},
    {"hand over",                           {dirty},      {hand_over},  {},          {send_data, forget},         invalid,    "§2.4.2"},
    {"forward overtakes its line",          {to_dirty},   fetches,      {},          {queue},                     stays,      "§2.5"},
    {"forward meets an eviction",           {to_invalid}, fetches,      {},          {send_data},                 stays,      "§2.6"},

    {"filled",                              {to_shared},  {data},       {},          {take_data},                 shared,     "§2.3.2"},
    {"granted",                             {to_dirty},   {grant},      {},          {take_grant},                dirty,      "§2.4.2"},
    {"owner's data alone",                  {to_dirty},   {owner_data}, one_message, {take_grant},                dirty,      "without two_messages"},
    {"owner's data last",                   {to_dirty},   {owner_data}, ack_there,   {take_grant},                dirty,      "§2.4.2"},
    {"owner's data first",                  {to_dirty},   {owner_data}, {},          {remember_data},             stays,      "§2.4.2"},
    {"denied, and the home knows",          {to_dirty},   {grant_ack},  was_denied,  {end_try},                   invalid,    "§2.4.2"},
    {"grant-ack last",                      {to_dirty},   {grant_ack},  data_there,  {take_grant},                dirty,      "§2.4.2"},
    {"grant-ack first",                     {to_dirty},   {grant_ack},  {},          {remember_ack},              stays,      "§2.4.2"},
    {"read denied",                         {to_shared},  {denied},     {},          {end_try},                   invalid,    "§4.1"},
    {"denied by the owner first",           {to_dirty},   {denied},     other_due,   {remember_denial},           stays,      "§2.4.2"},
    {"upgrade denied",                      {to_dirty},   {denied},     has_copy,    {end_try},                   shared,     "§4.1"},
    {"write denied",                        {to_dirty},   {denied},     {},          {end_try},                   invalid,    "§4.1"},

    {"home lost, locked here",              {shared},     {home_lost},  locked,      {},                          stays,      "§5"},
    {"home lost, shared",                   {shared},     {home_lost},  {},          {forget},                    invalid,    "§5"},
    {"home lost, owned here",               {dirty},      {home_lost},  {},          {},                          stays,      "§5"},
    {"home lost, asked for",                {to_shared},  {home_lost},  {},          {withdraw},                  stays,      "§5"},
    {"home lost, to be written",            {to_dirty},   {home_lost},  {},          {withdraw, forget},          stays,      "§5"},
    {"home lost, dying",                    {to_invalid}, {home_lost},  {},          {release, withdraw, forget}, invalid,    "§5"},
    {"owner by its log",                    {invalid},    {restore},    {},          {take_logged},               dirty,      "§5"},
    {"home back",                           asked,        {home_back},  {},          {ask_again},                 stays,      "§5"},
        },
        .impossible = {
    {{invalid, to_shared, to_dirty, to_invalid},       {evict},                        "no victim"},
    {{dirty},                                          {invalidate},                   "the home sends it to sharers, and knows its owner"},
    {{invalid, shared, to_shared},                     fetches,                        "the home sends it to its owner"},
    {{invalid, shared, dirty, to_dirty, to_invalid},   {data},                         "no READ is under way"},
    {{invalid, shared, dirty, to_shared, to_invalid},  {grant, owner_data, grant_ack}, "no WRITE is under way"},
    {{invalid, shared, dirty, to_invalid},             {denied},                       "nothing is under way that tries"},
    {{invalid, shared, dirty, to_shared, to_dirty},    {evict_ack},                    "no WRITE_BACK is under way"},
    {{invalid},                                        {home_lost},                    "there is nothing"},
    {{shared, dirty, to_shared, to_dirty, to_invalid}, {restore},                      "it comes with nothing"},
    {{invalid, shared, dirty, to_invalid},             {home_back},                    "nothing is asked for"},
        },
        // clang-format on
    });
  }
}

}  // namespace cache_rows

const CacheTable& cache_table() {
  static const CacheTable table = cache_rows::make_table();
  return table;
}

}  // namespace racksim::gam
