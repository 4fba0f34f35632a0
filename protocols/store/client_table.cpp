// The transition table of a client's request, its guards and its actions. See client_step.hpp.
#include "protocols/store/client_step.hpp"

#include <bit>
#include <optional>
#include <vector>

namespace racksim::store {

/// The table, apart from Step because it names all of its members.
struct Client::Life {
  using State = RequestState;
  using Event = RequestEvent;
  using Table = models::TransitionTable<State, Event, Step>;

  static constexpr Table::Guard kAnotherKey{"about another key", &Step::about_another_key},
      kOlderVersion{"of an older version", &Step::of_an_older_version},
      kMixed{"of another value, noticed", &Step::mixed_noticeably}, kCompletes{"completes the item", &Step::completes},
      kLastAttempt{"the last attempt", &Step::last_attempt}, kOutOfTime{"out of time", &Step::out_of_time},
      kRead{"a read", &Step::read};

  static constexpr Table::Action kSend{"send the packets", &Step::send}, kTake{"take the packet", &Step::take},
      kAnswer{"answer", &Step::answer}, kWake{"wake the client", &Step::wake},
      kPassTheCache{"make it a CRN-REQ", &Step::pass_the_cache}, kNoteMixture{"note mixed values", &Step::note_mixture},
      kNoteCollision{"note the collision", &Step::note_collision},
      kNoteRefusal{"note the refusal", &Step::note_refusal}, kNoteTimeout{"note the timeout", &Step::note_timeout},
      kNoteEarlyAnswer{"note the early answer", &Step::note_early_answer},
      kNoteLateAnswer{"note the late answer", &Step::note_late_answer},
      kNoteSentAgain{"note why it is sent again", &Step::note_sent_again},
      kReportRepeated{"report an answer not asked for", &Step::report_repeated};

  static Table make_table();
  static const Table& table();
};

Client::Life::Table Client::Life::make_table() {
  constexpr auto kStays = std::nullopt;
  const std::vector<State> preparing{State::preparing}, waiting{State::waiting}, in_vain{State::in_vain},
      failed{State::in_vain, State::backing_off}, repeating{State::repeating},
      between{State::in_vain, State::backing_off, State::repeating},
      open{State::waiting, State::in_vain, State::backing_off, State::repeating}, early{State::answered_early},
      ended{State::answered_early, State::over};
  const std::vector<Event> prepared{Event::prepared}, reply{Event::reply}, refusal{Event::refusal}, stray{Event::stray},
      messages{Event::reply, Event::refusal, Event::stray}, timeout{Event::timeout}, retry{Event::retry},
      resumed{Event::prepared, Event::retry};
  return Table({
      .name = "store client",
      .doc = "the life of a request in the client that makes it",
      .states = {"preparing", "waiting", "in vain", "backing off", "repeating", "answered early", "over"},
      .events = {"prepared", "reply", "W-REFUSED", "stray", "timeout", "retry"},
      .initial = State::preparing,
      .rows =
          {
              {"request", preparing, prepared, {}, {kSend}, State::waiting, "§3.3"},
              {"request once more", repeating, prepared, {}, {kSend}, State::waiting, "§3.9"},

              // Between two attempts nobody waits, and a late reply to an earlier one may still be the answer.
              {"other key", waiting, reply, kAnotherKey, {kNoteCollision, kWake}, State::in_vain, "§3.6"},
              {"other key, late", between, reply, kAnotherKey, {}, kStays, "§3.6"},
              {"old packet", open, reply, kOlderVersion, {}, kStays, "ours"},
              {"mixed item", waiting, reply, kMixed, {kNoteMixture, kWake}, State::in_vain, "§3.9"},
              {"mixed item, late", between, reply, kMixed, {kNoteMixture}, kStays, "§3.9"},
              {"answer", waiting, reply, kCompletes, {kTake, kAnswer, kWake}, State::over, "§3.3"},
              {"answer, late", between, reply, kCompletes, {kTake, kAnswer}, State::answered_early, "§3.9"},
              {"part of an answer", open, reply, {}, {kTake}, kStays, "§3.9"},
              {"refused write", waiting, refusal, {}, {kNoteRefusal, kWake}, State::backing_off, "ours"},
              {"answer to another request", open, stray, {}, {kReportRepeated}, kStays, "ours"},

              {"last timeout", waiting, timeout, kLastAttempt, {kNoteTimeout}, State::over, "§3.9"},
              {"timeout", waiting, timeout, {}, {kNoteTimeout}, State::in_vain, "§3.9"},
              {"given up", failed, retry, kOutOfTime, {}, State::over, "ours"},
              {"correction", in_vain, retry, kRead, {kNoteSentAgain, kPassTheCache}, State::repeating, "§3.6, §3.9"},
              {"write again", failed, retry, {}, {kNoteSentAgain}, State::repeating, "ours"},

              // The client looks at an early answer when its core has come back to the request. An answered request is
              // answered, whatever time it has left.
              {"answered before sent again", early, resumed, {}, {kNoteEarlyAnswer}, State::over, "§3.9"},
              {"late answer", ended, messages, {}, {kNoteLateAnswer, kReportRepeated}, kStays, "§3.9"},
          },
      .ignored = {{between, refusal, "it is about to be sent again in any case"}},
      .impossible =
          {
              {preparing, messages, "nothing has been sent under this SEQ, which comes back after 2^32 requests"},
              {{State::waiting, State::in_vain, State::backing_off, State::over},
               prepared,
               "no core makes its packets"},
              {{State::preparing, State::in_vain, State::backing_off, State::repeating, State::answered_early,
                State::over},
               timeout,
               "its timer does not run"},
              {{State::preparing, State::waiting, State::repeating, State::over}, retry, "there is nothing to decide"},
          },
  });
}

const Client::Life::Table& Client::Life::table() {
  static const Table table = make_table();
  return table;
}

const models::TableDescription& Client::table() {
  return Life::table().description();
}

Client::Request::Request(Client& c, sim::Key k, sim::Value v, bool w, sim::OperationId o)
    : client(c),
      key(k),
      value(v),
      write(w),
      operation(o),
      attempts(w && !c.shared_.safety ? 1 : c.shared_.options.attempts),
      end(c.clock_.calendar().now() +
          c.clock_.true_length(c.shared_.options.timeout * static_cast<std::int64_t>(attempts))),
      changed(c.clock_.calendar()),
      op(w ? Op::write_request : Op::read_request) {
  // SEQ wraps around (§3.6); numbers whose requests still wait are passed over.
  while (client.key_list_.find(client.next_seq_) != nullptr) ++client.next_seq_;
  seq = client.next_seq_++;
  client.key_list_[seq] = this;
  ++client.outstanding_;
}

Client::Request::~Request() {
  client.key_list_.erase(seq);
  --client.outstanding_;
}

RequestEvent Client::Step::meaning() const {
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

void Client::Step::happens(RequestEvent event) {
  RequestState gone = RequestState::over;
  Life::table().on(request != nullptr ? request->state : gone, event, *this, client.shared_.coverage);
}

sim::KeyAndOperations Client::Step::key_and_operations() const {
  if (request == nullptr) return {message->key, {}};
  return {request->key, {request->operation}};
}

// What a write's answer brings is for the switch; a collision cannot turn it into another write's answer.
bool Client::Step::about_another_key() const {
  return !request->write && message->key != request->key && client.shared_.options.collision_check;
}

bool Client::Step::of_an_older_version() const {
  return begins_again() && item().version != 0 &&
         !client.shared_.versions.after(Version{message->safety.version}, item().version);
}

// Packets of different values make no item. Without a version to tell them apart nobody would notice (§3.9).
bool Client::Step::mixed_noticeably() const {
  return mixes() && client.shared_.safety && !request->write;
}

bool Client::Step::completes() const {
  const std::uint64_t before = begins_again() ? 0 : item().fragments;
  return std::popcount(before | fragment_bit()) >= static_cast<int>(message->store.flag);
}

bool Client::Step::last_attempt() const {
  return request->timeouts + 1 >= request->attempts;
}

bool Client::Step::out_of_time() const {
  return now() >= request->end;
}

// Any packet of a write's answer says that it has taken effect, whichever attempt it answers.
Client::Item& Client::Step::item() const {
  return request->write || message->safety.version == 0 ? request->from_server : request->from_switch;
}

bool Client::Step::begins_again() const {
  return &item() == &request->from_switch && message->safety.version != item().version;
}

bool Client::Step::mixes() const {
  return !begins_again() && item().fragments != 0 && message->value != item().answer.value;
}

void Client::Step::send() {
  request->sent = now();
  request->failure = sim::SentAgain::wrong_answer;
  request->from_switch = request->from_server = {};
  client.transmit(*request);
}

void Client::Step::take() {
  note_mixture();
  Item& taken = item();
  if (begins_again()) {
    taken = {};
    taken.version = Version{message->safety.version};
  }
  if (taken.fragments == 0) taken.answer.value = message->value;
  taken.fragments |= fragment_bit();
  if (!request->write) note_parts(client.shared_, *packet, *message, taken.answer.parts);
}

void Client::Step::answer() {
  request->answer = item().answer;
  request->answer.given = true;
  request->answer.key = request->write ? request->key : message->key;
  request->answer.label = message->measure.cached;
}

void Client::Step::pass_the_cache() {
  request->op = Op::correction_request;
}

void Client::Step::note_mixture() {
  if (!mixes()) return;
  ++client.shared_.counters.torn_items.value;
  client.shared_.coverage.race(RacePoint::torn_item);
}

void Client::Step::note_collision() {
  ++client.shared_.counters.corrections.value;
  client.shared_.coverage.race(RacePoint::collision);
}

void Client::Step::note_refusal() {
  request->failure = sim::SentAgain::refusal;
  ++client.shared_.counters.refusals.value;
  client.shared_.coverage.race(RacePoint::write_refused);
}

void Client::Step::note_timeout() {
  request->failure = sim::SentAgain::timeout;
  ++request->timeouts;
  ++client.shared_.counters.timeouts.value;
}

void Client::Step::note_early_answer() {
  client.shared_.coverage.race(RacePoint::answered_before_sending_again);
}

void Client::Step::note_late_answer() {
  client.shared_.coverage.race(RacePoint::late_answer);
}

void Client::Step::note_sent_again() {
  sim::record_sent_again(client.shared_.rack.event_log(), client.nic_.source(), now(), request->operation,
                         {request->failure, request->key, request->sent});
}

void Client::Step::report_repeated() {
  client.repeated_.repeated(client.session_, message->key);
}

}  // namespace racksim::store
