// The transition table of a client's request (StarCache §3.3, §3.6, §3.9), its guards and its actions.
#include <bit>
#include <vector>

#include "protocols/store/client.hpp"
#include "protocols/store/client_step.hpp"

namespace racksim::store {

RequestEvent ClientStep::meaning() const {
  const auto to_a = [this](bool write, RequestEvent event) {
    return request == nullptr || request->write == write ? event : RequestEvent::stray;
  };
  switch (message->store.operation()) {
    case Op::read_reply:
      return to_a(false, RequestEvent::reply);
    case Op::write_reply:
      return to_a(true, RequestEvent::reply);
    case Op::write_refused:
      return to_a(true, RequestEvent::refusal);
    default:
      return RequestEvent::stray;
  }
}

void ClientStep::happens(RequestEvent event) {
  RequestState gone = RequestState::over;
  client_table().on(request != nullptr ? request->state : gone, event, *this, shared.coverage);
}

sim::KeyAndOperations ClientStep::key_and_operations() const {
  if (request == nullptr) return {message->key, {}};
  return {request->key, {request->operation}};
}

void ClientStep::note_mixture() {
  if (!mixes()) return;
  ++shared.counters.torn_items.value;
  shared.coverage.race(races.torn_item);
}

namespace {

using Table = ClientTable;
using Step = ClientStep;

// What a write's answer brings is for the switch; a collision cannot turn it into another write's answer.
constexpr Table::Guard another_key("about another key", [](const Step& step) {
  return !step.request->write && step.message->key != step.request->key && step.shared.options.collision_check;
});

constexpr Table::Guard older_version("of an older version", [](const Step& step) {
  return step.begins_again() && step.item().version != 0 &&
         !step.shared.versions.after(Version{step.message->safety.version}, step.item().version);
});

// Packets of different values make no item. Without a version to tell them apart nobody would notice (§3.9).
constexpr Table::Guard mixed("of another value, noticed", [](const Step& step) {
  return step.mixes() && step.shared.safety && !step.request->write;
});

constexpr Table::Guard completes("completes the item", [](const Step& step) {
  const std::uint64_t before = step.begins_again() ? 0 : step.item().fragments;
  return std::popcount(before | step.fragment_bit()) >= static_cast<int>(step.message->store.flag);
});

constexpr Table::Guard last_attempt("the last attempt", [](const Step& step) {
  return step.request->timeouts + 1 >= step.request->attempts;
});

constexpr Table::Guard out_of_time("out of time", [](const Step& step) { return step.now() >= step.request->end; });

constexpr Table::Guard read("a read", [](const Step& step) { return !step.request->write; });

constexpr Table::Action send("send the packets", [](Step& step) {
  step.request->sent = step.now();
  step.request->failure = sim::SentAgain::wrong_answer;
  step.request->from_switch = step.request->from_server = {};
  step.client.transmit(*step.request);
});

constexpr Table::Action take("take the packet", [](Step& step) {
  step.note_mixture();
  ReceivedItem& taken = step.item();
  if (step.begins_again()) {
    taken = {};
    taken.version = Version{step.message->safety.version};
  }
  if (taken.fragments == 0) taken.answer.value = step.message->value;
  taken.fragments |= step.fragment_bit();
  if (!step.request->write) note_parts(step.shared, *step.packet, *step.message, taken.answer.parts);
});

constexpr Table::Action answer("answer", [](Step& step) {
  Request& request = *step.request;
  request.answer = step.item().answer;
  request.answer.given = true;
  request.answer.key = request.write ? request.key : step.message->key;
  request.answer.label = step.message->measure.cached;
});

constexpr Table::Action wake("wake the client", [](Step& step) { step.request->changed.notify_all(); });

constexpr Table::Action pass_cache("make it a CRN-REQ", [](Step& step) { step.request->op = Op::correction_request; });

constexpr Table::Action note_mixture("note mixed values", [](Step& step) { step.note_mixture(); });

constexpr Table::Action note_collision("note the collision", [](Step& step) {
  ++step.shared.counters.corrections.value;
  step.shared.coverage.race(races.collision);
});

constexpr Table::Action note_refusal("note the refusal", [](Step& step) {
  step.request->failure = sim::SentAgain::refusal;
  ++step.shared.counters.refusals.value;
  step.shared.coverage.race(races.write_refused);
});

constexpr Table::Action note_timeout("note the timeout", [](Step& step) {
  step.request->failure = sim::SentAgain::timeout;
  ++step.request->timeouts;
  ++step.shared.counters.timeouts.value;
});

constexpr Table::Action note_early("note the early answer",
                                   [](Step& step) { step.shared.coverage.race(races.answered_before_sending_again); });

constexpr Table::Action note_late("note the late answer",
                                  [](Step& step) { step.shared.coverage.race(races.late_answer); });

constexpr Table::Action note_again("note why it is sent again", [](Step& step) {
  sim::record_sent_again(step.shared.rack.event_log(), step.client.source(), step.now(), step.request->operation,
                         {step.request->failure, step.request->key, step.request->sent});
});

constexpr Table::Action report_repeated("report an answer not asked for",
                                        [](Step& step) { step.client.report_repeated(step.message->key); });

Table make_table() {
  using enum RequestState;
  using RequestEvent::prepared, RequestEvent::reply, RequestEvent::refusal, RequestEvent::stray, RequestEvent::timeout,
      RequestEvent::retry;
  constexpr auto stays = std::nullopt;
  const std::vector<RequestState> failed{in_vain, backing_off}, between{in_vain, backing_off, repeating},
      open{waiting, in_vain, backing_off, repeating}, ended{answered_early, over};
  const std::vector<RequestEvent> messages{reply, refusal, stray};
  // Between two attempts nobody waits, and a late reply to an earlier one may still be the answer. The client looks at
  // an early answer when its core has come back to the request. An answered request is answered, whatever time it has
  // left.
  // clang-format off
  return Table({
      .name = "store client",
      .doc = "the life of a request in the client that makes it",
      .states = {"preparing", "waiting", "in vain", "backing off", "repeating", "answered early", "over"},
      .events = {"prepared", "reply", "W-REFUSED", "stray", "timeout", "retry"},
      .initial = preparing,
      .rows = {
      // row                         states            events             guard          actions                        next            section
      {"request",                    {preparing},      {prepared},        {},            {send},                        waiting,        "§3.3"},
      {"request once more",          {repeating},      {prepared},        {},            {send},                        waiting,        "§3.9"},

      {"other key",                  {waiting},        {reply},           another_key,   {note_collision, wake},        in_vain,        "§3.6"},
      {"other key, late",            between,          {reply},           another_key,   {},                            stays,          "§3.6"},
      {"old packet",                 open,             {reply},           older_version, {},                            stays,          "ours"},
      {"mixed item",                 {waiting},        {reply},           mixed,         {note_mixture, wake},          in_vain,        "§3.9"},
      {"mixed item, late",           between,          {reply},           mixed,         {note_mixture},                stays,          "§3.9"},
      {"answer",                     {waiting},        {reply},           completes,     {take, answer, wake},          over,           "§3.3"},
      {"answer, late",               between,          {reply},           completes,     {take, answer},                answered_early, "§3.9"},
      {"part of an answer",          open,             {reply},           {},            {take},                        stays,          "§3.9"},
      {"refused write",              {waiting},        {refusal},         {},            {note_refusal, wake},          backing_off,    "ours"},
      {"answer to another request",  open,             {stray},           {},            {report_repeated},             stays,          "ours"},

      {"last timeout",               {waiting},        {timeout},         last_attempt,  {note_timeout},                over,           "§3.9"},
      {"timeout",                    {waiting},        {timeout},         {},            {note_timeout},                in_vain,        "§3.9"},
      {"given up",                   failed,           {retry},           out_of_time,   {},                            over,           "ours"},
      {"correction",                 {in_vain},        {retry},           read,          {note_again, pass_cache},      repeating,      "§3.6, §3.9"},
      {"write again",                failed,           {retry},           {},            {note_again},                  repeating,      "ours"},

      {"answered before sent again", {answered_early}, {prepared, retry}, {},            {note_early},                  over,           "§3.9"},
      {"late answer",                ended,            messages,          {},            {note_late, report_repeated},  stays,          "§3.9"},
      },
      .ignored = {{between, {refusal}, "it is about to be sent again in any case"}},
      .impossible = {
      {{preparing}, messages, "nothing has been sent under this SEQ, which comes back after 2^32 requests"},
      {{waiting, in_vain, backing_off, over}, {prepared}, "no core makes its packets"},
      {{preparing, in_vain, backing_off, repeating, answered_early, over}, {timeout}, "its timer does not run"},
      {{preparing, waiting, repeating, over}, {retry}, "there is nothing to decide"},
      },
  });
  // clang-format on
}

}  // namespace

const ClientTable& client_table() {
  static const ClientTable table = make_table();
  return table;
}

}  // namespace racksim::store
