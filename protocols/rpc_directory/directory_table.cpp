// The transition table of a directory entry, and what its rows ask and do. See directory_step.hpp.
#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "protocols/rpc_directory/directory.hpp"
#include "protocols/rpc_directory/directory_step.hpp"
#include "protocols/rpc_directory/races.hpp"

namespace racksim::rpc_directory {

sim::KeyAndOperations DirectoryStep::key_and_operations() const {
  sim::KeyAndOperations about{directory.shared().lines.object_of(message.line, 0), {}};
  if (message.operation != 0) about.operations.push_back(message.operation);
  return about;
}

bool DirectoryStep::owner_asks() const {
  return entry.holders.front().node == message.sender;
}

void DirectoryStep::grant_exclusive(const Message& request) {
  const Holder* own = entry.holder(request.sender);
  const bool upgrade = own != nullptr && request.version != 0 && own->version == request.version;
  entry.holders.assign(1, {request.sender, request.request});
  directory.reply(request, {.verdict = upgrade ? Verdict::upgrade : Verdict::page});
}

namespace directory_rows {
namespace {

using Step = DirectoryStep;
using Guard = DirectoryTable::Guard;
using Action = DirectoryTable::Action;

constexpr Guard nobody_else("nobody else shares it", [](const Step& step) {
  return std::all_of(step.entry.holders.begin(), step.entry.holders.end(),
                     [&](const Holder& holder) { return holder.node == step.message.sender; });
});
constexpr Guard no_acks("await_acks off", [](const Step& step) { return !step.directory.shared().options.await_acks; });
constexpr Guard no_queue("queue_busy off",
                         [](const Step& step) { return !step.directory.shared().options.queue_busy; });
constexpr Guard owner_asks("the owner asks", [](const Step& step) { return step.owner_asks(); });
constexpr Guard more_acks("others are awaited", [](const Step& step) {
  const auto& awaited = step.entry.transaction->awaited;
  return std::any_of(awaited.begin(), awaited.end(),
                     [&](const Holder& holder) { return holder.node != step.message.sender; });
});
constexpr Guard tries("a try", [](const Step& step) { return step.message.tries; });
constexpr Guard others_stay("another keeps its share", [](const Step& step) {
  return std::any_of(step.entry.holders.begin(), step.entry.holders.end(), [&](const Holder& holder) {
    return holder.node != step.message.sender && holder.node != step.entry.transaction->request.sender;
  });
});
constexpr Guard last_share("the last share", [](const Step& step) { return step.entry.holders.size() == 1; });
constexpr Guard stale("of a copy that is gone", [](const Step& step) {
  const Holder* holder = step.entry.holder(step.message.sender);
  return holder == nullptr || (step.directory.shared().options.versions && holder->version != step.message.version);
});
// Until all have answered nobody knows whether the holders will be others.
constexpr Guard of_known_copy("of a copy that is known, a try waits", [](const Step& step) {
  return step.entry.transaction->request.tries && !stale.holds(step);
});
// The owner's notice and the requester's come by different queue pairs.
constexpr Guard requester_leaves("it has the page, and evicts it", [](const Step& step) {
  const Message& request = step.entry.transaction->request;
  return step.message.sender == request.sender && step.message.version == request.request;
});
constexpr Guard has_left("it has evicted the page",
                         [](const Step& step) { return step.entry.transaction->requester_left; });
constexpr Guard reader("a reader waits", [](const Step& step) {
  return step.entry.transaction->request.kind == MessageKind::read_request;
});

// The node may still be among the holders with a share that it has evicted; the notice of that is stale from now on.
constexpr Action grant_share("grant a share, with the page", [](Step& step) {
  if (Holder* holder = step.entry.holder(step.message.sender)) {
    step.directory.shared().coverage.race(races.sharer_asks_again);
    holder->version = step.message.request;
  } else {
    step.entry.holders.push_back({step.message.sender, step.message.request});
  }
  step.directory.reply(step.message, {.verdict = Verdict::page});
});
constexpr Action grant_write("grant, with the page unless the share is there",
                             [](Step& step) { step.grant_exclusive(step.message); });
constexpr Action invalidate("send invalidations", [](Step& step) {
  const bool awaited = step.entry.transaction != nullptr;
  for (const Holder& holder : step.entry.holders) {
    if (holder.node == step.message.sender) continue;
    if (awaited) step.entry.transaction->awaited.push_back(holder);
    step.directory.invalidate(holder, step.message);
  }
});
constexpr Action begin("busy for this request", [](Step& step) {
  if (step.entry.state == DirectoryState::exclusive && step.owner_asks()) {
    step.directory.shared().coverage.race(races.owner_asks_again);
  }
  step.entry.transaction = std::make_unique<Transaction>(Transaction{.request = step.message});
});
constexpr Action redirect("reply: ask the owner", [](Step& step) {
  ++step.directory.shared().counters.redirected.value;
  const Holder& owner = step.entry.holders.front();
  step.directory.reply(step.message,
                       {.owner_version = owner.version, .owner = owner.node, .verdict = Verdict::ask_owner});
});
constexpr Action queue("queue the request", [](Step& step) {
  ++step.directory.shared().counters.queued.value;
  step.entry.transaction->queue.push_back(step.message);
});
constexpr Action acknowledge("one less is awaited", [](Step& step) {
  std::erase_if(step.entry.transaction->awaited,
                [&](const Holder& holder) { return holder.node == step.message.sender; });
});
constexpr Action refuse("reply: busy",
                        [](Step& step) { step.directory.reply(step.message, {.verdict = Verdict::busy}); });
constexpr Action refuse_waiting("reply to who tries: busy", [](Step& step) {
  step.directory.reply(step.entry.transaction->request, {.verdict = Verdict::busy});
});
constexpr Action finish_write("grant the write waited for", [](Step& step) {
  const Message request = step.entry.transaction->request;
  // What the owner has given back it does not have any more.
  if (step.entry.state != DirectoryState::invalidating) step.entry.holders.clear();
  step.grant_exclusive(request);
});
constexpr Action finish_read("grant the read waited for", [](Step& step) {
  const Message request = step.entry.transaction->request;
  step.entry.holders.assign(1, {request.sender, request.request});
  step.directory.reply(request, {.verdict = Verdict::page});
});
constexpr Action note_owner("note the new owner", [](Step& step) {
  const Message& request = step.entry.transaction->request;
  step.entry.holders.assign(1, {request.sender, request.request});
});
constexpr Action note_sharer("note the new sharer", [](Step& step) {
  const Message& request = step.entry.transaction->request;
  step.entry.holders.push_back({request.sender, request.request});
});
constexpr Action note_left("note that the requester has no copy any more", [](Step& step) {
  step.directory.shared().coverage.race(races.requester_evicts_first);
  step.entry.transaction->requester_left = true;
});
constexpr Action forget_all("forget the holders", [](Step& step) { step.entry.holders.clear(); });
constexpr Action drop_holder("forget the holder", [](Step& step) {
  std::erase_if(step.entry.holders, [&](const Holder& holder) { return holder.node == step.message.sender; });
});
constexpr Action note_stale("nothing: it is stale", [](Step& step) { ++step.directory.shared().counters.stale.value; });

DirectoryTable make() {
  constexpr auto stays = std::nullopt;
  using enum DirectoryState;
  using DirectoryEvent::evicted, DirectoryEvent::written_back, DirectoryEvent::handed_over, DirectoryEvent::shared_out;
  using DirectoryEvent::kept, DirectoryEvent::not_given;
  using DirectoryEvent::read_request, DirectoryEvent::write_request, DirectoryEvent::acknowledged;
  const std::vector<DirectoryEvent> requests{read_request, write_request};
  const std::vector<DirectoryState> busy{invalidating, handing_over, sharing_out, awaiting_write_back},
      not_shared{uncached, exclusive, invalidating, handing_over, sharing_out, awaiting_write_back};
  return DirectoryTable({
      .name = "rpc-directory entry",
      .doc = "what the home of a line knows of its copies",
      .states = {"uncached", "shared", "exclusive", "invalidating", "handing over", "sharing out",
                 "awaiting write-back"},
      .events = {"read request", "write request", "acknowledged", "evicted", "written back", "handed over",
                 "shared out", "kept", "not given"},
      .initial = uncached,
      // clang-format off
      .rows = {
      // row                             states          events           guard        actions              next state    section
      {"first share",                    {uncached},     {read_request},  {},          {grant_share},       shared,       "possession"},
      {"next share",                     {shared},       {read_request},  {},          {grant_share},       stays,        "possession"},
      {"first owner",                    {uncached},     {write_request}, {},          {grant_write},       exclusive,    "possession"},
      {"only sharer writes",             {shared},       {write_request}, nobody_else, {grant_write},       exclusive,    "possession"},
      {"write without acknowledgements", {shared},       {write_request}, no_acks,     {invalidate, grant_write}, exclusive, "without await_acks"},
      {"write to a shared line",         {shared},       {write_request}, {},          {begin, invalidate}, invalidating, "invalidation"},
      {"owner asks again",               {exclusive},    requests,        owner_asks,  {begin},             awaiting_write_back, "ours"},
      {"reader meets an owner",          {exclusive},    {read_request},  {},          {begin, redirect},   sharing_out,  "copy request"},
      {"writer meets an owner",          {exclusive},    {write_request}, {},          {begin, redirect},   handing_over, "copy request"},
      {"a try at a busy line",           busy,           requests,        tries,       {refuse},            stays,        "ours"},
      {"read beside invalidations",      {invalidating}, {read_request},  no_queue,    {grant_share},       stays,        "without queue_busy"},
      {"request of a busy line",         busy,           requests,        {},          {queue},             stays,        "ours"},

      {"copy gone",                      {invalidating}, {acknowledged},  more_acks,   {acknowledge, drop_holder}, stays,  "invalidation"},
      {"all copies gone that are not in use", {invalidating}, {acknowledged}, others_stay, {drop_holder, refuse_waiting}, shared, "ours"},
      {"all copies gone",                {invalidating}, {acknowledged},  {},          {acknowledge, finish_write}, exclusive, "invalidation"},
      {"copy in use",                    {invalidating}, {kept},          more_acks,   {acknowledge},       stays,        "ours"},
      {"last copy in use",               {invalidating}, {kept},          {},          {refuse_waiting},    shared,       "ours"},
      {"owner uses it",                  {handing_over, sharing_out}, {not_given}, {}, {},                  exclusive,    "ours"},
      {"handed over, and evicted since", {handing_over}, {handed_over},   has_left,    {forget_all},        uncached,     "ours"},
      {"handed over",                    {handing_over}, {handed_over},   {},          {note_owner},        exclusive,    "copy request"},
      {"shared out, and evicted since",  {sharing_out},  {shared_out},    has_left,    {},                  shared,       "ours"},
      {"shared out",                     {sharing_out},  {shared_out},    {},          {note_sharer},       shared,       "copy request"},

      {"new owner evicts before the old one's notice", {handing_over}, {written_back}, requester_leaves, {note_left}, stays, "ours"},
      {"new sharer evicts before the owner's notice", {sharing_out}, {evicted}, requester_leaves, {note_left}, stays,     "ours"},
      {"stale eviction of a share",      {shared},       {evicted},       stale,       {note_stale},        stays,        "ours"},
      {"last share evicted",             {shared},       {evicted},       last_share,  {drop_holder},       uncached,     "eviction"},
      {"share evicted",                  {shared},       {evicted},       {},          {drop_holder},       stays,        "eviction"},
      {"share evicted before a try is over", {invalidating}, {evicted},   of_known_copy, {drop_holder},     stays,        "ours"},
      {"share evicted too late",         not_shared,     {evicted},       {},          {note_stale},        stays,        "ours"},
      {"owner evicts",                   {exclusive},    {written_back},  {},          {drop_holder},       uncached,     "eviction"},
      {"owner evicts before a writer's copy request", {handing_over}, {written_back}, {}, {finish_write},   exclusive,    "ours"},
      {"owner evicts before a reader's copy request", {sharing_out}, {written_back}, {}, {finish_read},     shared,       "ours"},
      {"owner may read again",           {awaiting_write_back}, {written_back}, reader, {finish_read},      shared,       "ours"},
      {"owner may write again",          {awaiting_write_back}, {written_back}, {},    {finish_write},      exclusive,    "ours"},
      },
      .ignored = {
          {{uncached, shared, exclusive, handing_over, sharing_out, awaiting_write_back}, {acknowledged}, "without await_acks nobody waits for it"},
      },
      .impossible = {
          {{uncached, shared, invalidating}, {written_back}, "there is no owner"},
          {{uncached, shared, exclusive, invalidating, sharing_out, awaiting_write_back}, {handed_over}, "nobody was asked to hand it over"},
          {{uncached, shared, exclusive, invalidating, handing_over, awaiting_write_back}, {shared_out}, "nobody was asked to share it"},
          {{uncached, shared, exclusive, handing_over, sharing_out, awaiting_write_back}, {kept}, "no try awaits it"},
          {{uncached, shared, exclusive, invalidating, awaiting_write_back}, {not_given}, "no try has asked an owner"},
      },
      // clang-format on
  });
}

}  // namespace
}  // namespace directory_rows

const DirectoryTable& directory_table() {
  static const DirectoryTable table = directory_rows::make();
  return table;
}

}  // namespace racksim::rpc_directory
