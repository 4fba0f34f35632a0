// The transition table of a line at a node, and what its rows ask and do. See frame_step.hpp.
#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "protocols/selcc/frame_step.hpp"
#include "protocols/selcc/line_events.hpp"
#include "protocols/selcc/races.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::selcc {

namespace {

using models::Opcode;
using Step = FrameStep;
using Guard = FrameTable::Guard;
using Action = FrameTable::Action;

constexpr Guard latched("in local use", [](const Step& step) { return step.frame->latch != 0; });
constexpr Guard latched_drops("in local use, R9", [](const Step& step) {
  return step.frame->latch != 0 && step.options().drop_shared_deferral;
});
constexpr Guard defers_shared("R9 off", [](const Step& step) { return !step.options().drop_shared_deferral; });
constexpr Guard any_case("R10 off, not in local use",
                         [](const Step& step) { return !step.options().match_case && step.frame->latch == 0; });
// Not a try: its priority never grows, and it would be refused for as long as the line stays where it is.
constexpr Guard too_low("below the writer's priority", [](const Step& step) {
  return step.options().priority_matching && !step.message->tries &&
         step.message->priority < step.frame->writer_priority;
});
constexpr Guard confirms("R1", [](const Step& step) { return step.options().confirm; });
constexpr Guard giver_waits("R2", [](const Step& step) { return step.options().giver_waits; });
constexpr Guard forwards("forwarding", [](const Step& step) { return step.options().forwarding; });
constexpr Guard no_forwarding("no forwarding", [](const Step& step) { return !step.options().forwarding; });
constexpr Guard held_back("a starved writer wants it", [](const Step& step) {
  return step.node.host().now() < step.node.host().held_back(step.line);
});
constexpr Guard own_release("its own release is out, undo waited", [](const Step& step) {
  return step.options().undo == Undo::waited && step.node.verbs().has_atomic_of(step.line);
});
// Of two that ask each other one is not deferred, whatever words have told them.
constexpr Guard out_of_order("R14, a node before it", [](const Step& step) {
  return step.options().ordered_deferral && step.message->sender < step.node.id() &&
         step.options().owners_may_be_innocent(step.node.compute_nodes());
});
constexpr Guard no_writer("no writer in the word", [](const Step& step) {
  return !step.word().names_owner() && (step.word().readers() & LatchWord::shared(step.node.id())) == 0;
});
constexpr Guard own_trace("own trace in the word", [](const Step& step) { return step.word().names(step.node.id()); });
constexpr Guard undo_waited("undo waited", [](const Step& step) { return step.options().undo == Undo::waited; });
constexpr Guard names_dead("the word names dead nodes", [](const Step& step) {
  return step.word().without(step.node.host().departed()) != step.word();
});
constexpr Guard somebody("the word names somebody", [](const Step& step) { return !step.targets().empty(); });
constexpr Guard was_free("the word was 0", [](const Step& step) { return step.word().free(); });
constexpr Guard upgraded("the word was its own bit",
                         [](const Step& step) { return step.word() == LatchWord(LatchWord::shared(step.node.id())); });
// A try fails a few times at most, and then keeps its share.
constexpr Guard last_upgrade("too many upgrades have failed", [](const Step& step) {
  return step.options().upgrade_fallback && step.work->upgrades >= step.options().upgrade_attempts &&
         !step.work->only_tries;
});
constexpr Guard turned_away("one of them busy", [](const Step& step) { return step.work->turned_away; });
// Who tries, and what others answer it. It gives up after as many latch operations as the published code's: with fewer it
// would fail where a word merely tells of what is on its way, the node's own release among it.
constexpr Guard try_turned_away("a try, one of them busy",
                                [](const Step& step) { return step.work->only_tries && step.work->turned_away; });
constexpr Guard try_is_over("a try, its last attempt", [](const Step& step) { return step.gives_up(); });
constexpr Guard try_is_over_at_once("a try, its last attempt, undo not waited", [](const Step& step) {
  return step.gives_up() && step.options().undo != Undo::waited;
});
constexpr Guard try_held_back("a try, and a starved writer wants it", [](const Step& step) {
  return step.work->only_tries && step.node.host().now() < step.node.host().held_back(step.line);
});
constexpr Guard asked_by_try("by a try", [](const Step& step) { return step.message->tries; });
constexpr Guard latched_at_try("in local use, by a try",
                               [](const Step& step) { return step.frame->latch != 0 && step.message->tries; });

constexpr Action hit("use the copy", [](Step& step) { step.node.cache().touch(*step.frame); });
constexpr Action get_shared("FAA its bit, READ",
                            [](Step& step) { step.acquire(Opcode::fetch_add, LatchWord::shared(step.node.id())); });
constexpr Action get_modified("CAS 0 to its id, READ", [](Step& step) {
  step.acquire(Opcode::compare_swap, LatchWord::modified(step.node.id()));
});
// The copy that it has stays valid: nothing is read.
constexpr Action upgrade("CAS its bit to its id", [](Step& step) {
  const NodeId id = step.node.id();
  step.start_attempt();
  ++step.work->upgrades;
  step.post_atomic(Opcode::compare_swap, LatchWord::shared(id), LatchWord::modified(id), Purpose::latch_word);
});
constexpr Action install("take the line", [](Step& step) { step.install(); });
constexpr Action install_new("take the line to write", [](Step& step) {
  step.install();
  step.keep_priority();
});
constexpr Action install_given("take the forwarded line", [](Step& step) {
  step.install();
  step.frame->dirty = step.work->fetched_dirty;
  if (step.frame->state == FrameState::asking_modified) step.keep_priority();
});
constexpr Action promote("may write", [](Step& step) {
  step.node.cache().touch(*step.frame);
  step.keep_priority();
});
constexpr Action undo("FAA its bit away", [](Step& step) {
  const Undo how = step.options().undo;
  if (how == Undo::off) return;
  ++step.node.counters().undone.value;
  step.post_atomic(Opcode::fetch_add, 0, LatchWord::minus(LatchWord::shared(step.node.id())),
                   how == Undo::waited ? Purpose::undo_waited : Purpose::undo);
});
constexpr Action ask("send invalidations", [](Step& step) { step.ask(); });
// The gap between two invalidations, C × RTT / retries (§5.1.2), not below one round trip.
constexpr Action pause("wait", [](Step& step) {
  const sim::Duration rtt = step.node.host().rtt();
  const auto gap = rtt * static_cast<std::int64_t>(step.options().resend_factor) /
                   static_cast<std::int64_t>(std::max<std::uint32_t>(step.work->attempts, 1));
  const sim::Time now = step.node.host().now();
  const sim::Time from = step.work->asked_at == sim::Time{} ? now : step.work->asked_at;
  step.wait_until(std::max(now, from + std::max(gap, rtt)));
});
constexpr Action pause_own("wait for its own trace to go", [](Step& step) {
  ++step.node.counters().own_traces.value;
  step.node.coverage().race(races.word_names_its_reader);
  step.wait_until(step.node.host().now() + step.node.host().rtt());
});
// If the word has changed meanwhile the next attempt sees it.
constexpr Action take_out("CAS the dead away", [](Step& step) {
  const std::uint64_t word = step.word().bits();
  step.post_atomic(Opcode::compare_swap, word, step.word().without(step.node.host().departed()).bits(),
                   Purpose::take_out, word);
});
constexpr Action hold_back("hold back", [](Step& step) {
  ++step.node.counters().held_back.value;
  step.wait_until(step.node.host().held_back(step.line));
});
constexpr Action release_first("FAA its bit away, to acquire Modified", [](Step& step) {
  ++step.node.counters().upgrade_fallbacks.value;
  step.work->upgrades = 0;
  step.post_atomic(Opcode::fetch_add, 0, LatchWord::minus(LatchWord::shared(step.node.id())), Purpose::fall_back);
});
constexpr Action refuse("refuse the try", [](Step& step) { step.work->refuse(); });
constexpr Action forget_asks("forget what was asked", [](Step& step) { step.work->asks.clear(); });
constexpr Action answer_all("answer all deferred: gone", [](Step& step) { step.settle_others(false); });
constexpr Action answer_owners("answer deferred cases 1, 2: gone", [](Step& step) { step.settle_others(true); });
constexpr Action defer("defer", [](Step& step) {
  ++step.node.counters().deferred.value;
  LineWork& kept = step.node.works().of(*step.frame);
  RACKSIM_INVARIANT(std::none_of(kept.deferred.begin(), kept.deferred.end(),
                                 [&](const Invalidation& other) { return other.sender == step.message->sender; }) ||
                        !step.options().await_answer,
                    "a sender has one invalidation of a line out");
  kept.deferred.push_back(*step.message);
  kept.urged = true;
});
constexpr Action say_busy("answer: busy", [](Step& step) { step.answer(Verdict::busy); });
constexpr Action say_gone("answer: gone", [](Step& step) {
  if (step.node.verbs().has_atomic_of(step.line)) step.node.coverage().race(races.invalidation_meets_release);
  step.answer(Verdict::gone);
});
constexpr Action urge("note the urge", [](Step& step) {
  step.node.works().of(*step.frame).urged = true;
  step.let_writer_in_first();
});
// The line goes to whoever asks, without waiting for the word to change (§4.4.1). The frame is not used again before
// it has been sent.
constexpr Action hand_over("forward the line, FAA (A - B, 0)", [](Step& step) {
  step.give(LatchWord::hand_over(step.node.id(), step.message->sender), Purpose::hand_over,
            step.options().dirty_travels ? step.frame->dirty : ObjectRange{}, false);
  step.node.works().of(*step.frame).giving = 2;
  step.frame->latch = Frame::kExclusive;
  step.frame->drop_copy();
});
constexpr Action share_out("forward the line, flush, FAA (-B, bits A and B)", [](Step& step) {
  step.give(LatchWord::share(step.node.id(), step.message->sender), Purpose::share, {},
            step.options().case2_flush && !step.frame->dirty.empty());
  LineWork& giving = step.node.works().of(*step.frame);
  if (step.options().giver_waits) giving.giving = 2;
  step.frame->note_clean();
});
constexpr Action give_up("FAA its bit away, answer: released", [](Step& step) {
  step.release(false);
  step.answer(Verdict::released);
  step.let_writer_in_first();
});
constexpr Action by_memory("flush, FAA its id away, answer: released", [](Step& step) {
  step.release(true);
  step.answer(Verdict::released);
});
constexpr Action release("FAA its bit away", [](Step& step) { step.release_line(false); });
constexpr Action flush("flush, FAA its id away", [](Step& step) { step.release_line(true); });
constexpr Action drop("forget the copy", [](Step& step) { step.frame->drop_copy(); });

FrameTable make_table() {
  constexpr auto stays = std::nullopt;
  using enum FrameState;
  using FrameEvent::case1, FrameEvent::case2, FrameEvent::case3, FrameEvent::evict, FrameEvent::yield;
  using FrameEvent::pause_over, FrameEvent::released, FrameEvent::settled, FrameEvent::answered, FrameEvent::granted;
  using FrameEvent::read, FrameEvent::write, FrameEvent::word, FrameEvent::undone;
  using States = std::vector<FrameState>;
  const States usable{shared, modified, shared_unconfirmed, modified_unconfirmed, shared_giving},
      to_write{modified, modified_unconfirmed}, unsettled{shared_unconfirmed, shared_giving},
      wants_modified{acquiring_modified, asking_modified},
      upgrades{upgrade_settling, upgrading, asking_upgrade, pausing_upgrade},
      owners_to_be{modified_unconfirmed, acquiring_modified, asking_modified, upgrading},
      sharers_to_be{shared_unconfirmed, shared_giving, upgrade_settling, upgrading, asking_upgrade, pausing_upgrade},
      without{absent, given, acquiring_shared, undoing, asking_shared, pausing_shared, pausing_modified, falling_back},
      no_owner{shared, shared_unconfirmed, shared_giving, upgrade_settling, asking_upgrade, pausing_upgrade},
      no_sharer{modified, modified_unconfirmed, acquiring_modified, asking_modified};
  const auto all_but = [](std::initializer_list<FrameState> left_out) {
    States others;
    for (auto state = FrameState{}; state < FrameState::count;
         state = static_cast<FrameState>(static_cast<int>(state) + 1)) {
      if (std::find(left_out.begin(), left_out.end(), state) == left_out.end()) others.push_back(state);
    }
    return others;
  };
  const std::vector<FrameEvent> owner_asked{case1, case2}, asked{case1, case2, case3};
  return FrameTable({
      .name = "selcc line",
      .doc = "the life of a line in the cache of one node",
      .states = {"absent", "shared", "modified", "shared, unconfirmed", "modified, unconfirmed", "shared, giving",
                 "given", "acquiring shared", "acquiring modified", "upgrade, settling", "upgrading", "undoing",
                 "asking for shared", "asking for modified", "asking for upgrade", "pausing for shared",
                 "pausing for modified", "pausing for upgrade", "falling back"},
      .events = {"read", "write", "word", "undone", "answered", "granted", "pause over", "released", "settled",
                 "case 1", "case 2", "case 3", "evict", "yield"},
      .initial = absent,
      // clang-format off
      .rows = {
      // row                           states              events       guard        actions                    next state        section
      // Local access (Table 1).
      {"read hit",                     usable,             {read},      {},          {hit},                     stays,            "§4.2"},
      {"write hit",                    to_write,           {write},     {},          {hit},                     stays,            "§4.2"},
      {"try held back",                {absent},           {read},      try_held_back, {refuse},                stays,            "§5.3.2"},
      {"held back",                    {absent},           {read},      held_back,   {hold_back},               pausing_shared,   "§5.3.2"},
      {"read behind its own release",  {absent},           {read},      own_release, {pause_own},               pausing_shared,   "ours"},
      {"read miss",                    {absent},           {read},      {},          {get_shared},              acquiring_shared, "§4.3.2"},
      {"write behind its own release", {absent},           {write},     own_release, {pause_own},               pausing_modified, "ours"},
      {"write miss",                   {absent},           {write},     {},          {get_modified},            acquiring_modified, "§4.3.2"},
      {"upgrade",                      {shared},           {write},     {},          {upgrade},                 upgrading,        "§4.3.2"},
      {"upgrade once settled",         unsettled,          {write},     {},          {},                        upgrade_settling, "R1, R2"},
      {"upgrade, settled",             {upgrade_settling}, {settled},   {},          {upgrade},                 upgrading,        "R1, R2"},

      // The latch operation's answer.
      {"shared",                       {acquiring_shared}, {word},      no_writer,   {install},                 shared,           "§4.3.2"},
      {"try to read is over",          {acquiring_shared}, {word},      try_is_over_at_once, {undo, refuse},    absent,           "ours"},
      {"reader meets itself",          {acquiring_shared}, {word},      own_trace,   {undo, pause_own},         pausing_shared,   "R13"},
      {"reader meets a writer, undo first", {acquiring_shared}, {word}, undo_waited, {undo},                    undoing,          "§4.3.2"},
      {"reader meets a writer",        {acquiring_shared}, {word},      somebody,    {undo, ask},               asking_shared,    "§4.3.2"},
      {"reader meets nobody it knows", {acquiring_shared}, {word},      {},          {undo, pause},             pausing_shared,   "ours"},
      {"try to read is over, undone",  {undoing},          {undone},    try_is_over, {refuse},                  absent,           "ours"},
      {"undone, the owner is dead",    {undoing},          {undone},    names_dead,  {take_out},                pausing_shared,   "recovery"},
      {"undone",                       {undoing},          {undone},    somebody,    {ask},                     asking_shared,    "§4.3.2"},
      {"undone, nobody it knows",      {undoing},          {undone},    {},          {pause},                   pausing_shared,   "ours"},
      {"modified",                     {acquiring_modified}, {word},    was_free,    {install_new},             modified,         "§4.3.2"},
      {"try to write is over",         {acquiring_modified}, {word},    try_is_over, {refuse, answer_all},      absent,           "ours"},
      {"writer meets itself",          {acquiring_modified}, {word},    own_trace,   {answer_owners, pause_own}, pausing_modified, "R13"},
      {"writer meets the dead",        {acquiring_modified}, {word},    names_dead,  {answer_owners, take_out}, pausing_modified, "recovery"},
      {"writer meets holders",         {acquiring_modified}, {word},    somebody,    {answer_owners, ask},      asking_modified,  "§4.3.2"},
      {"writer meets nobody it knows", {acquiring_modified}, {word},    {},          {answer_owners, pause},    pausing_modified, "ours"},
      {"upgraded",                     {upgrading},        {word},      upgraded,    {promote},                 modified,         "§4.3.2"},
      {"try to upgrade is over",       {upgrading},        {word},      try_is_over, {refuse, answer_owners},   shared,           "ours"},
      {"upgrade meets the dead",       {upgrading},        {word},      names_dead,  {answer_owners, take_out}, pausing_upgrade,  "recovery"},
      {"upgrade falls back",           {upgrading},        {word},      last_upgrade, {answer_all, release_first, drop}, falling_back, "§4.3.2"},
      {"upgrade meets sharers",        {upgrading},        {word},      somebody,    {answer_owners, ask},      asking_upgrade,   "§4.3.2"},
      {"upgrade meets nobody it knows", {upgrading},       {word},      {},          {answer_owners, pause},    pausing_upgrade,  "ours"},
      {"fallen back",                  {falling_back},     {released},  {},          {get_modified},            acquiring_modified, "§4.3.2"},

      // Answers of others.
      {"given to read",                {asking_shared},    {granted},   confirms,    {install_given},           shared_unconfirmed, "§4.4.2, R1"},
      {"given to read, unconfirmed",   {asking_shared},    {granted},   {},          {install_given},           shared,           "§4.4.2"},
      {"given to write",               {asking_modified},  {granted},   confirms,    {install_given},           modified_unconfirmed, "§4.4.1, R1"},
      {"given to write, unconfirmed",  {asking_modified},  {granted},   {},          {install_given},           modified,         "§4.4.1"},
      {"try to read turned away",      {asking_shared},    {answered},  try_turned_away, {refuse},              absent,           "§5.1.2"},
      {"reader turned away",           {asking_shared},    {answered},  turned_away, {pause},                   pausing_shared,   "§5.1.2"},
      {"reader looks again",           {asking_shared},    {answered},  {},          {get_shared},              acquiring_shared, "§5.1.2"},
      {"try to write turned away",     {asking_modified},  {answered},  try_turned_away, {refuse, answer_all},  absent,           "§5.1.2"},
      {"writer turned away",           {asking_modified},  {answered},  turned_away, {pause},                   pausing_modified, "§5.1.2"},
      {"writer tries again",           {asking_modified},  {answered},  {},          {get_modified},            acquiring_modified, "§4.4.3"},
      {"try to upgrade turned away",   {asking_upgrade},   {answered},  try_turned_away, {refuse},              shared,           "§5.1.2"},
      {"upgrade turned away",          {asking_upgrade},   {answered},  turned_away, {pause},                   pausing_upgrade,  "§5.1.2"},
      {"upgrade tries again",          {asking_upgrade},   {answered},  {},          {upgrade},                 upgrading,        "§4.4.3"},
      {"read still behind its own release", {pausing_shared}, {pause_over}, own_release, {pause_own},           stays,            "ours"},
      {"write still behind its own release", {pausing_modified}, {pause_over}, own_release, {pause_own},        stays,            "ours"},
      {"next read attempt",            {pausing_shared},   {pause_over}, {},         {get_shared},              acquiring_shared, "§5.1.2"},
      {"next write attempt",           {pausing_modified}, {pause_over}, {},         {get_modified},            acquiring_modified, "§5.1.2"},
      {"next upgrade attempt",         {pausing_upgrade},  {pause_over}, {},         {upgrade},                 upgrading,        "§5.1.2"},
      {"reader without answer",        {asking_shared},    {pause_over}, {},         {forget_asks, get_shared}, acquiring_shared, "R5 off"},
      {"writer without answer",        {asking_modified},  {pause_over}, {},         {forget_asks, get_modified}, acquiring_modified, "R5 off"},
      {"upgrade without answer",       {asking_upgrade},   {pause_over}, {},         {forget_asks, upgrade},    upgrading,        "R5 off"},

      // The word has changed.
      {"read is confirmed",            {shared_unconfirmed}, {settled}, {},          {},                        shared,           "R1"},
      {"write is confirmed",           {modified_unconfirmed}, {settled}, {},        {},                        modified,         "R1"},
      {"shared out",                   {shared_giving},    {settled},   {},          {},                        shared,           "R2"},
      {"handed over",                  {given},            {settled},   {},          {},                        absent,           "§4.4.1"},

      // Others ask.
      {"a try at an owner in use",     {modified},         owner_asked, latched_at_try, {say_busy},             stays,            "§5.1.1"},
      {"a try at an owner to be",      owners_to_be,       owner_asked, asked_by_try, {say_busy},               stays,            "R1"},
      {"case 1 deferred",              {modified},         {case1},     latched,     {defer},                   stays,            "§5.1.1"},
      {"case 1",                       {modified},         {case1},     forwards,    {hand_over, answer_all},   given,            "§4.4.1"},
      {"case 1 by memory",             {modified},         {case1},     {},          {by_memory, drop, answer_all}, absent,       "Figure 6a"},
      {"case 2 below a starved writer", {modified},        {case2},     too_low,     {say_busy},                stays,            "§5.3.2"},
      {"case 2 deferred",              {modified},         {case2},     latched,     {defer},                   stays,            "§5.1.1"},
      {"case 2 by memory",             {modified},         {case2},     no_forwarding, {by_memory, drop, answer_all}, absent,     "Figure 6a"},
      {"case 2",                       {modified},         {case2},     giver_waits, {share_out, answer_all},   shared_giving,    "§4.4.2, R2"},
      {"case 2 without waiting",       {modified},         {case2},     {},          {share_out, answer_all},   shared,           "§4.4.2"},
      {"owner to be confirmed is asked", {modified_unconfirmed}, owner_asked, {},    {defer},                   stays,            "R1"},
      {"owner to be is asked out of order", {asking_modified}, owner_asked, out_of_order, {say_busy},           stays,            "R14"},
      {"owner to be is asked",         wants_modified,     owner_asked, {},          {defer},                   stays,            "§5.3.2"},
      {"upgrading, asked as an owner", {upgrading},        owner_asked, {},          {defer},                   stays,            "§5.3.2"},
      {"case 1 at a sharer",           {shared},           {case1},     any_case,    {hand_over, answer_all},   given,            "R10 off"},
      {"case 2 at a sharer",           {shared},           {case2},     any_case,    {share_out, answer_all},   shared_giving,    "R10 off"},
      {"no owner any more",            no_owner,           owner_asked, {},          {say_gone},                stays,            "§5.1.2, R10"},
      {"a try at a sharer in use",     {shared},           {case3},     latched_at_try, {say_busy},             stays,            "§5.1.1"},
      {"a try at a sharer to be",      sharers_to_be,      {case3},     asked_by_try, {say_busy},               stays,            "R1, R2"},
      {"case 3 in use",                {shared},           {case3},     latched_drops, {say_busy, urge},        stays,            "§5.1.2, R9"},
      {"case 3 deferred",              {shared},           {case3},     latched,     {defer},                   stays,            "R9 off"},
      {"case 3",                       {shared},           {case3},     {},          {give_up, drop, answer_all}, absent,         "§4.4.3"},
      {"case 3 at an upgrade, deferred", upgrades,         {case3},     defers_shared, {defer},                 stays,            "R9 off"},
      {"case 3 at an upgrade",         upgrades,           {case3},     {},          {say_busy, urge},          stays,            "§5.1.2, R9"},
      {"case 3 before it is settled",  unsettled,          {case3},     {},          {say_busy, urge},          stays,            "R1, R2"},
      {"case 3 at an owner",           {modified},         {case3},     any_case,    {give_up, drop, answer_all}, absent,         "R10 off"},
      {"no sharer any more",           no_sharer,          {case3},     {},          {say_gone},                stays,            "§5.1.2, R10"},
      {"nothing here",                 without,            asked,       {},          {say_gone},                stays,            "§5.1.2"},

      // Eviction and local starvation.
      {"evict shared",                 {shared},           {evict},     {},          {release, drop},           absent,           "§5.2"},
      {"evict modified",               {modified},         {evict},     {},          {flush, drop},             absent,           "§5.2"},
      {"yield shared",                 {shared},           {yield},     {},          {release, drop, answer_all}, absent,         "§5.3.1"},
      {"yield modified",               {modified},         {yield},     {},          {flush, drop, answer_all}, absent,           "§5.3.1"},
      },
      .ignored = {
          {{absent, shared_unconfirmed, modified_unconfirmed, shared_giving}, {yield}, "there is nothing that it may give up yet"},
      },
      .impossible = {
          {{acquiring_shared, acquiring_modified, upgrade_settling, upgrading, undoing, asking_shared, asking_modified, asking_upgrade,
            pausing_shared, pausing_modified, pausing_upgrade, falling_back, given}, {read, write, yield, evict}, "the latch is held exclusively"},
          {{absent, shared_unconfirmed, modified_unconfirmed, shared_giving}, {evict}, "no victim"},
          {all_but({acquiring_shared, acquiring_modified, upgrading}), {word}, "no latch operation is out"},
          {all_but({undoing}), {undone}, "no undo is waited for"},
          {all_but({asking_shared, asking_modified, asking_upgrade}), {answered, granted}, "nothing was asked"},
          {{asking_upgrade}, {granted}, "sharers have nothing to give"},
          {all_but({asking_shared, asking_modified, asking_upgrade, pausing_shared, pausing_modified, pausing_upgrade}), {pause_over}, "there is no pause"},
          {all_but({falling_back}), {released}, "no release is waited for"},
          {all_but({shared_unconfirmed, modified_unconfirmed, shared_giving, given, upgrade_settling}), {settled}, "nothing is to be settled"},
      },
      // clang-format on
  });
}

}  // namespace

const FrameTable& frame_table() {
  static const FrameTable table = make_table();
  return table;
}

}  // namespace racksim::selcc
