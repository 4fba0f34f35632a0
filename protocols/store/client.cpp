// Requests, answers, corrections and timeouts. See client.hpp.
#include "protocols/store/client.hpp"

#include <fmt/core.h>

#include <bit>
#include <stdexcept>

#include "models/host/core_wait.hpp"
#include "sim/record/history.hpp"

namespace racksim::store {

struct Client::Item {
  std::uint64_t version = 0;
  std::uint64_t fragments = 0;  // a bit for each packet that has come
  models::Answer answer;
};

struct Client::Request {
  Request(Client& c, std::uint64_t k, std::uint64_t v, bool w, std::uint64_t o)
      : client(c), key(k), value(v), write(w), operation(o), changed(c.clock_.calendar()) {
    // SEQ wraps around (§3.6); numbers whose requests still wait are passed over.
    while (client.key_list_.find(client.next_seq_) != nullptr) ++client.next_seq_;
    seq = client.next_seq_++;
    client.key_list_[seq] = this;
    ++client.outstanding_;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    client.key_list_.erase(seq);
    --client.outstanding_;
  }

  Client& client;
  std::uint64_t key, value;
  bool write;
  std::uint64_t operation;
  std::uint32_t seq = 0;
  sim::Signal changed;
  Outcome outcome = Outcome::none;
  // Apart, since a read may be sent on to the server when the switch has served it some packets (StarCache §3.8).
  Item from_switch, from_server;
  models::Answer answer;
};

Client::Client(Shared& shared, models::Session session, RepeatedAnswers& repeated)
    : shared_(shared),
      session_(session),
      repeated_(repeated),
      core_(shared.rack.server(session.node).core(session.thread)),
      nic_(shared.rack.server(session.node).nic()),
      clock_(shared.rack.server(session.node).clock()),
      qpn_(nic_.create_raw_qp(core_, *this)),
      next_seq_(static_cast<std::uint32_t>(shared.options.first_seq)),
      oldest_(next_seq_) {
  if (qpn_ >= kFirstPort + kPorts) {
    throw std::runtime_error(fmt::format("the application has {} UDP ports, too few for client thread {} of node {}",
                                         kPorts, session.thread, session.node));
  }
}

sim::Task<models::Answer> Client::get(std::uint64_t key, std::uint64_t operation) {
  Request request(*this, key, 0, false, operation);
  const models::Answer answer = co_await perform(request);
  co_return answer;
}

sim::Task<models::Answer> Client::put(std::uint64_t key, std::uint64_t value, std::uint64_t operation) {
  Request request(*this, key, value, true, operation);
  const models::Answer answer = co_await perform(request);
  co_return answer;
}

sim::Task<models::Answer> Client::perform(Request& request) {
  const sim::Calendar& calendar = clock_.calendar();
  const std::uint64_t attempts = request.write && !shared_.safety ? 1 : shared_.options.attempts;
  // Refusals and corrections are no attempts of their own, but the time for all attempts bounds them too.
  const sim::Time end = calendar.now() + shared_.options.timeout * static_cast<std::int64_t>(attempts);
  Op op = request.write ? Op::write_request : Op::read_request;
  for (std::uint64_t sent = 0;;) {
    co_await models::occupy(core_, shared_.options.request_work);
    bool notified = true;
    const sim::Time began = calendar.now();
    if (request.outcome != Outcome::answered) {  // as it may be by now, by a late answer to an earlier attempt
      request.outcome = Outcome::none;
      transmit(request, op);
      notified = co_await request.changed.wait_for(clock_, shared_.options.timeout);
    } else {
      shared_.coverage.race(RacePoint::answered_before_sending_again);
    }
    if (request.outcome == Outcome::answered) {
      request.answer.given = true;
      co_return request.answer;
    }
    auto why = sim::SentAgain::wrong_answer;
    if (!notified) {
      ++shared_.counters.timeouts.value;
      if (++sent >= attempts) co_return models::Answer{};
      why = sim::SentAgain::timeout;
    } else if (request.outcome == Outcome::refused) {
      ++shared_.counters.refusals.value;
      shared_.coverage.race(RacePoint::write_refused);
      why = sim::SentAgain::refusal;
      co_await sim::sleep_for(clock_, shared_.rack.options().rtt);
    } else if (request.outcome == Outcome::wrong_key) {
      ++shared_.counters.corrections.value;
      shared_.coverage.race(RacePoint::collision);
    }
    if (calendar.now() >= end) co_return models::Answer{};
    sim::record_sent_again(shared_.rack.journal(), nic_.source(), calendar.now(), request.operation,
                           {why, request.key, began});
    if (!request.write) op = Op::correction_request;
  }
}

void Client::transmit(Request& request, Op op) {
  const KeyHash hash = shared_.hash(request.key);
  const unsigned server = server_of(hash, shared_.servers());
  const unsigned packets = request.write ? shared_.packets_of(request.key) : 1;
  request.from_switch = request.from_server = {};
  Message message;
  message.store = {number(op), request.seq, hash.high, hash.low, 0};
  message.measure.partition = server % shared_.options.partitions;
  message.safety.oldest_or_number = oldest();
  message.key = request.key;
  message.value = request.value;
  message.brings_value = request.write;
  for (unsigned fragment = 0; fragment < packets; ++fragment) {
    message.fragment = fragment;
    ++shared_.counters.requests.value;
    nic_.send_raw(qpn_, make_message(shared_, message, static_cast<std::uint16_t>(qpn_),
                                     {shared_.node_of(server), shared_.port_of(server)}, request.operation));
  }
}

void Client::on_packet(p4::PacketRef packet) {
  const Message message = read_message(shared_, *packet);
  Request* const* found = key_list_.find(message.store.seq);
  if (found == nullptr || (*found)->outcome == Outcome::answered) {
    shared_.coverage.race(RacePoint::late_answer);
    return repeated_.repeated(session_, message.key);
  }
  Request& request = **found;
  switch (message.store.operation()) {
    case Op::read_reply:
      if (!request.write) return accept(request, *packet, message);
      break;
    case Op::write_reply:
      if (request.write) return accept(request, *packet, message);
      break;
    case Op::write_refused:
      if (!request.write) break;
      request.outcome = Outcome::refused;
      return request.changed.notify_all();
    default:
      break;
  }
  repeated_.repeated(session_, message.key);
}

void Client::accept(Request& request, const p4::Packet& packet, const Message& message) {
  // What a write's answer brings is for the switch; a collision cannot turn it into another write's answer.
  if (!request.write && message.key != request.key && shared_.options.collision_check) {
    request.outcome = Outcome::wrong_key;
    return request.changed.notify_all();
  }
  Item* const item = item_for(request, message);
  if (item == nullptr) return;
  // Packets of different values make no item. Without a version to tell them apart nobody would notice (§3.9).
  const bool first = item->fragments == 0;
  if (!first && message.value != item->answer.value) {
    ++shared_.counters.torn_items.value;
    shared_.coverage.race(RacePoint::torn_item);
    if (shared_.safety && !request.write) {
      request.outcome = Outcome::torn;
      return request.changed.notify_all();
    }
  }
  item->fragments |= std::uint64_t{1} << (message.fragment % 64);
  if (!request.write) note_parts(shared_, packet, message, item->answer.parts);
  if (first) item->answer.value = message.value;
  if (std::popcount(item->fragments) < static_cast<int>(message.store.flag)) return;
  request.answer = item->answer;
  request.answer.key = request.write ? request.key : message.key;
  const auto by = static_cast<Served>(message.measure.cached);
  request.answer.by = by == Served::by_switch  ? models::Answer::By::network_switch
                      : by == Served::overflow ? models::Answer::By::overflow
                                               : models::Answer::By::server;
  request.outcome = Outcome::answered;
  request.changed.notify_all();
}

// Any packet of a write's answer says that it has taken effect, whichever attempt it answers.
Client::Item* Client::item_for(Request& request, const Message& message) const {
  const std::uint64_t version = message.safety.version;
  if (request.write || version == 0) return &request.from_server;
  Item& item = request.from_switch;
  if (version != item.version) {
    if (item.version != 0 && !shared_.versions.after(version, item.version)) return nullptr;
    item = {};
    item.version = version;
  }
  return &item;
}

std::uint64_t Client::oldest() {
  while (oldest_ != next_seq_ && key_list_.find(oldest_) == nullptr) ++oldest_;
  return oldest_;
}

}  // namespace racksim::store
