// The transition table of a key at a node that is not its home. See hand_over_step.hpp.
#include <vector>

#include "protocols/cckvs/keys/hand_over_step.hpp"

namespace racksim::cckvs {

namespace {
namespace member {

using Guard = MemberTable::Guard;
using Action = MemberTable::Action;
using Rule = Rules::HandOver;

// Guards.

constexpr Guard at_once("handover active-at-install or paper", [](const HandOverStep& step) {
  return step.follows(Rule::active_at_install) || step.follows(Rule::paper);
});
constexpr Guard must_wait("own puts under way", [](const HandOverStep& step) {
  return !step.follows(Rule::sealed_early) && step.at.has_own_puts(step.key);
});
constexpr Guard has_puts("own puts under way", [](const HandOverStep& step) { return step.at.has_own_puts(step.key); });

// Actions.

constexpr Action take("take the copy, send INSTALLED", [](HandOverStep& step) {
  step.at.cache.install(step.key, step.copy->timestamp, step.copy->value);
  step.at.outbox.tell_home(step.from, HandOverMessage::installed, step.key, {});
});
constexpr Action move("send who waits to the home", [](HandOverStep& step) {
  for (const Stalled& stalled : step.at.cache.withdraw_stalled(step.key)) {
    step.at.outbox.send_home(step.from, step.key, stalled);
  }
});
constexpr Action tell("send SEALED", [](HandOverStep& step) {
  step.at.outbox.tell_home(step.from, HandOverMessage::sealed, step.key, step.at.valid_copy(step.key));
});
constexpr Action drop("drop the copy", [](HandOverStep& step) { step.at.cache.remove(step.key); });

using enum MemberState;

std::vector<MemberTable::Row> rows() {
  using enum MemberEvent;
  // clang-format off
  return {
  // row                  state        event        guard      actions       next       section
  {"installed and used",  {absent},    {install},   at_once,   {take},       active,    "as printed"},
  {"installed",           {absent},    {install},   {},        {take},       installed, "ours"},
  {"all have a copy",     {installed}, {activate},  {},        {},           active,    "ours"},
  {"sealing",             {active},    {seal},      must_wait, {move},       sealing,   "ours"},
  {"sealed",              {active},    {seal},      {},        {move, tell}, sealed,    "ours"},
  {"own puts over",       {sealing},   {puts_over}, {},        {tell},       sealed,    "ours"},
  {"dropped under a put", {sealed},    {done},      has_puts,  {},           leaving,   "fault"},
  {"dropped",             {sealed},    {done},      {},        {drop},       absent,    "ours"},
  {"not waited for",      {sealing},   {done},      {},        {},           leaving,   "as printed"},
  {"dropped late",        {leaving},   {puts_over}, {},        {drop},       absent,    "as printed"},
  };
  // clang-format on
}

}  // namespace member
}  // namespace

const MemberTable& member_table() {
  using S = MemberState;
  using E = MemberEvent;
  static const MemberTable table({
      .name = "cckvs member",
      .doc = "a key at a node that is not its home",
      .states = {"Absent", "Installed", "Active", "Sealing", "Sealed", "Leaving"},
      .events = {"INSTALL", "ACTIVATE", "SEAL", "own puts over", "DONE"},
      .initial = S::absent,
      .rows = member::rows(),
      .ignored = {{{S::active}, {E::activate}, "it uses its copy already"}},
      .impossible =
          {{{S::installed, S::active, S::sealing, S::sealed, S::leaving}, {E::install}, "it comes behind DONE"},
           {{S::absent, S::sealing, S::sealed, S::leaving}, {E::activate}, "it comes before SEAL, in order"},
           {{S::absent, S::installed, S::sealing, S::sealed, S::leaving}, {E::seal}, "it comes behind ACTIVATE"},
           {{S::absent, S::installed, S::active, S::sealed}, {E::puts_over}, "nothing waits for them"},
           {{S::absent, S::installed, S::active, S::leaving}, {E::done}, "it comes once, behind SEAL"}},
  });
  return table;
}

}  // namespace racksim::cckvs
