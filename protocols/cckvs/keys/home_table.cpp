// The transition table of a key at its home. See hand_over_step.hpp.
#include <optional>
#include <vector>

#include "protocols/cckvs/keys/hand_over_step.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::cckvs {

namespace {
namespace home {

using Guard = HomeTable::Guard;
using Action = HomeTable::Action;
using Rule = Rules::HandOver;
using Message = HandOverMessage;

void leave_caches(HandOverStep& step) {
  step.at.cache.remove(step.key);
  step.at.outbox.tell_all(Message::done, step.key, {});
}

// Guards.

constexpr Guard store_writes("handover puts-while-installing",
                             [](const HandOverStep& step) { return step.follows(Rule::puts_while_installing); });
constexpr Guard store_serves("handover store-while-cached",
                             [](const HandOverStep& step) { return step.follows(Rule::store_while_cached); });
constexpr Guard at_once("handover paper", [](const HandOverStep& step) { return step.follows(Rule::paper); });
// Of INSTALLED those of all others, of SEALED its own too.
constexpr Guard last("the last one", [](const HandOverStep& step) {
  NodeSet answered = step.at.changes.find(step.key)->answered;
  answered.set(step.from);
  const bool own = step.at.state_of(step.key).home == HomeState::sealing;
  return answered.count() == step.at.nodes - (own ? 0 : 1);
});
constexpr Guard alone("handover paper or home-alone, its own", [](const HandOverStep& step) {
  return (step.follows(Rule::paper) || step.follows(Rule::home_alone)) && step.from == step.at.self;
});

// Actions.

constexpr Action serve("serve from the store", [](HandOverStep& step) {
  Stored stored = step.at.outbox.load(step.key);
  if (step.request->is_put) {
    stored = {step.at.cache.order().next(stored.timestamp, step.at.self), step.request->value};
    step.at.outbox.store(step.key, stored);
  }
  step.at.outbox.served(*step.request, step.key, stored);
});
constexpr Action hold("hold", [](HandOverStep& step) { step.at.changes[step.key].held.push_back(*step.request); });
constexpr Action use_copy("run on the own copy",
                          [](HandOverStep& step) { step.at.cache.run(step.key, *step.request); });
constexpr Action copy("copy from the store, send INSTALL", [](HandOverStep& step) {
  const Stored stored = step.at.outbox.load(step.key);
  step.at.cache.install(step.key, stored.timestamp, stored.value);
  step.at.changes[step.key].answered.reset();
  step.at.outbox.tell_all(Message::install, step.key, stored);
});
constexpr Action note("note the answer", [](HandOverStep& step) {
  HandOverChange& change = step.at.changes[step.key];
  change.answered.set(step.from);
  if (!step.copy) return;
  const bool greater =
      !change.greatest || step.at.cache.order().after(step.copy->timestamp, change.greatest->timestamp);
  if (greater) change.greatest = step.copy;
});
constexpr Action activate("send ACTIVATE",
                          [](HandOverStep& step) { step.at.outbox.tell_all(Message::activate, step.key, {}); });
constexpr Action seal("hold who waits for the copy, send SEAL", [](HandOverStep& step) {
  HandOverChange& change = step.at.changes[step.key];
  change.answered.reset();
  change.greatest.reset();
  for (const Stalled& stalled : step.at.cache.withdraw_stalled(step.key)) change.held.push_back(stalled);
  step.at.outbox.tell_all(Message::seal, step.key, {});
});
// Somebody has a Valid copy of the greatest timestamp that was committed: the node that committed it, which has
// answered after that.
constexpr Action write_back("store the greatest Valid copy, drop the own one, send DONE", [](HandOverStep& step) {
  const std::optional<Stored> greatest = step.at.changes[step.key].greatest;
  RACKSIM_INVARIANT(greatest || step.follows(Rule::sealed_early), "some node has a Valid copy when all have sealed");
  if (greatest) step.at.outbox.store(step.key, *greatest);
  leave_caches(step);
});
constexpr Action write_own("store the own copy, drop it, send DONE", [](HandOverStep& step) {
  const Entry& entry = *step.at.cache.find(step.key);
  step.at.outbox.store(step.key, {entry.header.timestamp(), entry.value});
  leave_caches(step);
});

using enum HomeState;

std::vector<HomeTable::Row> rows() {
  using enum HomeEvent;
  constexpr auto stays = std::nullopt;
  const std::vector<HomeEvent> request{get, put};
  // clang-format off
  return {
  // row                            state         event        guard         actions             next        section
  {"served by the store",           {store},      request,     {},           {serve},            stays,      "§6.1"},
  {"get while installing",          {installing}, {get},       {},           {serve},            stays,      "ours"},
  {"put into what is being copied", {installing}, {put},       store_writes, {serve},            stays,      "fault"},
  {"put while installing",          {installing}, {put},       {},           {hold},             stays,      "ours"},
  {"served beside the copies",      {cached},     request,     store_serves, {serve},            stays,      "fault"},
  {"run on the copy",               {cached},     request,     {},           {use_copy},         stays,      "ours"},
  {"request while sealing",         {sealing},    request,     {},           {hold},             stays,      "ours"},

  {"install and use",               {store},      {install},   at_once,      {copy},             cached,     "as printed"},
  {"install",                       {store},      {install},   {},           {copy},             installing, "ours"},
  {"all have a copy",               {installing}, {installed}, last,         {note, activate},   cached,     "ours"},
  {"one has a copy",                {installing}, {installed}, {},           {note},             stays,      "ours"},
  {"evict",                         {cached},     {evict},     {},           {seal},             sealing,    "ours"},
  {"decided alone",                 {sealing},    {sealed},    alone,        {note, write_own},  store,      "as printed"},
  {"all have sealed",               {sealing},    {sealed},    last,         {note, write_back}, store,      "ours"},
  {"one has sealed",                {sealing},    {sealed},    {},           {note},             stays,      "ours"},
  };
  // clang-format on
}

}  // namespace home
}  // namespace

const HomeTable& home_table() {
  using S = HomeState;
  using E = HomeEvent;
  static const HomeTable table({
      .name = "cckvs home",
      .doc = "a key at its home, in the store or cached by all",
      .states = {"Store", "Installing", "Cached", "Sealing"},
      .events = {"get", "put", "install", "evict", "INSTALLED", "SEALED"},
      .initial = S::store,
      .rows = home::rows(),
      .ignored = {{{S::store, S::cached, S::sealing}, {E::installed}, "the home has not waited for this copy"},
                  {{S::store, S::installing, S::cached}, {E::sealed}, "the home has not waited for this answer"}},
      .impossible = {{{S::installing, S::cached, S::sealing},
                      {E::install},
                      "one change at a time, and only of what is in the store"},
                     {{S::store, S::installing, S::sealing},
                      {E::evict},
                      "one change at a time, and only of what is cached"}},
  });
  return table;
}

}  // namespace racksim::cckvs
