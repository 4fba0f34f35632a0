// The transition table of a line at a node, and what its rows ask and do. See line_step.hpp.
#include <optional>
#include <utility>
#include <vector>

#include "protocols/rpc_directory/compute_node.hpp"
#include "protocols/rpc_directory/line_step.hpp"
#include "protocols/rpc_directory/races.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::rpc_directory {

sim::KeyAndOperations LineStep::key_and_operations() const {
  sim::KeyAndOperations about{node.shared().lines.object_of(line, 0), {}};
  if (work != nullptr && work->operation != 0) about.operations.push_back(work->operation);
  return about;
}

void LineStep::request(MessageKind kind) {
  work->request = node.take_number();
  node.ask_home(
      *work,
      {.line = line, .request = work->request, .version = frame->version, .kind = kind, .tries = work->only_tries});
}

void LineStep::take() {
  if (reply->verdict == Verdict::page) frame->data = std::move(work->fetched);
  frame->version = work->request;
  node.cache().touch(*frame);
}

namespace line_rows {
namespace {

using Step = LineStep;
using Guard = LineTable::Guard;
using Action = LineTable::Action;

constexpr Guard stale("of a copy that is gone", [](const Step& step) {
  return step.node.options().versions && step.message->version != step.frame->version;
});
constexpr Guard early("of the copy that is asked for", [](const Step& step) {
  return step.node.options().defer_early && step.message->version == step.work->request;
});
constexpr Guard in_use("in local use",
                       [](const Step& step) { return step.node.options().defer_in_use && step.frame->latch != 0; });

constexpr Guard early_at_try("of the copy that is asked for, by a try",
                             [](const Step& step) { return step.message->tries && early.holds(step); });
constexpr Guard in_use_at_try("in local use, by a try",
                              [](const Step& step) { return step.message->tries && in_use.holds(step); });

constexpr Action hit("use the copy", [](Step& step) { step.node.cache().touch(*step.frame); });
constexpr Action ask_share("request a share", [](Step& step) { step.request(MessageKind::read_request); });
constexpr Action ask_line("request the line", [](Step& step) { step.request(MessageKind::write_request); });
constexpr Action take("take the page", [](Step& step) { step.take(); });
// Without the page only to who has a share: no request of another node can have come between.
constexpr Action take_to_write("take what was granted", [](Step& step) {
  RACKSIM_INVARIANT(step.reply->verdict == Verdict::page || step.frame->state == LineState::upgrading,
                    "who is granted an upgrade has a share");
  step.take();
});
// By the handler's queue pair: one for each thread and node would be more than a NIC's cache of them holds.
constexpr Action ask_owner("ask the owner", [](Step& step) {
  const bool reads = step.frame->state == LineState::asking_shared;
  step.node.ask_owner(*step.work, step.reply->owner,
                      {.line = step.line,
                       .request = step.work->request,
                       .version = step.reply->owner_version,
                       .kind = reads ? MessageKind::share : MessageKind::give,
                       .tries = step.work->only_tries});
});
constexpr Action acknowledge("acknowledge",
                             [](Step& step) { step.node.tell_home(*step.message, MessageKind::acknowledged); });
// Its copy has been evicted: the home will learn, or has learnt, of that by the eviction itself.
constexpr Action note_stale("nothing: it is stale", [](Step& step) {
  ++step.node.counters().stale.value;
  step.node.shared().coverage.race(step.message->kind == MessageKind::invalidate ? races.eviction_meets_invalidation
                                                                                 : races.eviction_meets_copy_request);
});
constexpr Action note_lost("note the lost share",
                           [](Step& step) { step.node.shared().coverage.race(races.upgrade_loses_share); });
constexpr Action defer("defer", [](Step& step) {
  if (!readable(step.frame->state)) step.node.shared().coverage.race(races.message_before_page);
  ++step.node.counters().deferred.value;
  step.node.works().of(*step.frame).deferred.push_back(*step.message);
});
constexpr Action refuse("refuse the try", [](Step& step) { step.work->refuse(); });
constexpr Action keep("tell the home that it stays",
                      [](Step& step) { step.node.tell_home(*step.message, MessageKind::kept); });
constexpr Action deny("reply: busy, tell the home", [](Step& step) {
  step.node.deny(*step.message);
  step.node.tell_home(*step.message, MessageKind::not_given);
});
constexpr Action drop("forget the copy", [](Step& step) { step.frame->drop_copy(); });
constexpr Action hand_over("WRITE the page there, tell the home", [](Step& step) {
  ++step.node.counters().given.value;
  step.node.give_page(*step.message, *step.frame);
  step.node.tell_home(*step.message, MessageKind::handed_over);
});
// The version of what stays is the same.
constexpr Action share_out("WRITE the page there and to memory, tell the home", [](Step& step) {
  ++step.node.counters().shared_out.value;
  step.node.give_page(*step.message, *step.frame);
  step.node.write_back_and_tell(*step.frame, step.node.options().write_back_shared, MessageKind::shared_out,
                                step.message->operation);
});
constexpr Action tell_evicted("tell the home", [](Step& step) {
  ++step.node.counters().evicted_shared.value;
  step.node.write_back_and_tell(*step.frame, false, MessageKind::evicted, 0);
});
constexpr Action write_back("WRITE the page to memory, tell the home", [](Step& step) {
  ++step.node.counters().evicted_exclusive.value;
  step.node.write_back_and_tell(*step.frame, true, MessageKind::written_back, 0);
});

LineTable make() {
  constexpr auto stays = std::nullopt;
  using enum LineState;
  using LineEvent::granted, LineEvent::redirected, LineEvent::refused, LineEvent::invalidate, LineEvent::give,
      LineEvent::share;
  using LineEvent::read, LineEvent::write, LineEvent::evict;
  const std::vector<LineState> asking{asking_shared, asking_exclusive, upgrading}, held{shared, exclusive},
      misses{asking_shared, asking_exclusive}, to_write{asking_exclusive, upgrading},
      not_owned{absent, shared, asking_shared, asking_exclusive, upgrading};
  const std::vector<LineEvent> wanted{give, share};
  return LineTable({
      .name = "rpc-directory line",
      .doc = "the life of a line in the cache of one node",
      .states = {"absent", "shared", "exclusive", "asking for a share", "asking for the line", "upgrading"},
      .events = {"read", "write", "granted", "redirected", "refused", "invalidate", "give", "share", "evict"},
      .initial = absent,
      // clang-format off
      .rows = {
      // row                            states           events        guard   actions                    next state        section
      {"read hit",                      held,            {read},       {},     {hit},                     stays,            "possession"},
      {"write hit",                     {exclusive},     {write},      {},     {hit},                     stays,            "possession"},
      {"read miss",                     {absent},        {read},       {},     {ask_share},               asking_shared,    "possession"},
      {"write miss",                    {absent},        {write},      {},     {ask_line},                asking_exclusive, "possession"},
      {"upgrade",                       {shared},        {write},      {},     {ask_line},                upgrading,        "possession"},

      {"granted a share",               {asking_shared}, {granted},    {},     {take},                    shared,           "possession"},
      {"granted to write",              to_write,        {granted},    {},     {take_to_write},           exclusive,        "possession"},
      {"try refused",                   misses,          {refused},    {},     {refuse},                  absent,           "ours"},
      {"try to upgrade refused",        {upgrading},     {refused},    {},     {refuse},                  shared,           "ours"},
      {"redirected",                    asking,          {redirected}, {},     {ask_owner},               stays,            "copy request"},

      {"invalidated before",            held,            {invalidate}, stale,  {note_stale, acknowledge}, stays,            "without await_acks"},
      {"invalidated in use by a try",   held,            {invalidate}, in_use_at_try, {keep},             stays,            "ours"},
      {"invalidated in use",            held,            {invalidate}, in_use, {defer},                   stays,            "invalidation"},
      {"invalidated",                   held,            {invalidate}, {},     {drop, acknowledge},       absent,           "invalidation"},
      {"invalidation meets eviction",   {absent},        {invalidate}, {},     {note_stale, acknowledge}, stays,            "ours"},
      {"invalidated before the page by a try", misses,   {invalidate}, early_at_try, {keep},              stays,            "ours"},
      {"invalidated before the page",   misses,          {invalidate}, early,  {defer},                   stays,            "ours"},
      {"invalidation meets eviction and request", misses, {invalidate}, {},    {note_stale, acknowledge}, stays,            "ours"},
      {"invalidated before, upgrading", {upgrading},     {invalidate}, stale,  {note_stale, acknowledge}, stays,            "without await_acks"},
      {"upgrade loses its share",       {upgrading},     {invalidate}, {},     {drop, note_lost, acknowledge}, asking_exclusive, "invalidation"},

      {"asked for before",              {exclusive},     wanted,       stale,  {note_stale},              stays,            "ours"},
      {"asked for in use by a try",     {exclusive},     wanted,       in_use_at_try, {deny},             stays,            "ours"},
      {"asked for in use",              {exclusive},     wanted,       in_use, {defer},                   stays,            "copy request"},
      {"hand over",                     {exclusive},     {give},       {},     {hand_over, drop},         absent,           "copy request"},
      {"share out",                     {exclusive},     {share},      {},     {share_out},               shared,           "copy request"},
      {"asked for before the page by a try", to_write,   wanted,       early_at_try, {deny},              stays,            "ours"},
      {"asked for before the page",     to_write,        wanted,       early,  {defer},                   stays,            "ours"},
      {"copy request meets eviction",   not_owned,       wanted,       {},     {note_stale},              stays,            "ours"},

      {"evict a share",                 {shared},        {evict},      {},     {tell_evicted, drop},      absent,           "eviction"},
      {"evict",                         {exclusive},     {evict},      {},     {write_back, drop},        absent,           "eviction"},
      },
      .impossible = {
          {asking, {read, write, evict}, "the latch is held exclusively"},
          {{absent}, {evict}, "no victim"},
          {{absent, shared, exclusive}, {granted, redirected, refused}, "no request is out"},
      },
      // clang-format on
  });
}

}  // namespace
}  // namespace line_rows

const LineTable& line_table() {
  static const LineTable table = line_rows::make();
  return table;
}

}  // namespace racksim::rpc_directory
