// Messages of consistency and their credits. See cache_links.hpp.
#include "protocols/cckvs/threads/cache_links.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace racksim::cckvs {

namespace {
constexpr unsigned kKindBits = 4;  // of the immediate data of a message without payload: three kinds of five classes
}

CacheLinks::CacheLinks(Shared& shared, const CacheOptions& options, NodeId node, unsigned thread,
                       CacheMessageHandler& handler)
    : shared_(shared),
      options_(options),
      node_(node),
      thread_(thread),
      handler_(handler),
      core_(shared.rack.server(node).core(thread)),
      message_receiver_(*this),
      credit_receiver_(*this),
      message_completions_(shared.rack.server(node).nic().create_completion_queue(core_, message_receiver_)),
      credit_completions_(shared.rack.server(node).nic().create_completion_queue(core_, credit_receiver_)),
      messages_queue_pair_(
          shared.rack.server(node).nic().create_datagram({message_completions_, message_completions_})),
      messages_(shared, core_, messages_queue_pair_),
      credits_(shared, core_,
               shared.rack.server(node).nic().create_datagram({credit_completions_, credit_completions_})),
      peers_(shared.nodes()),
      sent_(shared.rack.calendar()) {
  const std::uint64_t others = shared.nodes() - 1, most = options.consistency_credits;
  messages_.queue_pair().post_receive(most * kClasses * others);
  credits_.queue_pair().post_receive((most / options.credit_batch + 1) * kClasses * others);
  if (options.broadcast == Broadcast::multicast) {
    shared.rack.join(group(), node);
    shared.rack.server(node).nic().attach(messages_queue_pair_, group());
  }
}

void CacheLinks::meet(NodeId node, CacheLinks& other) {
  peers_[node].links = &other;
}

CacheLinks::Waiting CacheLinks::packed(const CacheMessage& message, sim::OperationId cause) const {
  const MessageSizes sizes = shared_.sizes(message.key);
  return {.content = p4::Content::of(message),
          .bytes = message.type == CacheMessage::Type::update ? sizes.update() : sizes.invalidation(),
          .place = place_of(message),
          .cause = cause,
          .key = message.key,
          .timestamp = message.timestamp};
}

void CacheLinks::send(NodeId to, const CacheMessage& message, sim::OperationId cause) {
  CacheMessage sent = message;
  sent.to_one = options_.broadcast == Broadcast::multicast && message.type != CacheMessage::Type::acknowledgement;
  const bool may_be_copy = shared_.retransmit_after && options_.rules.copies_wait_once;
  if (may_be_copy && waits_already(peers_[to], sent)) return;
  send(peers_[to], packed(sent, cause));
}

bool CacheLinks::waits_already(const Peer& peer, const CacheMessage& message) const {
  const auto is_among = [&](const models::ShortQueue<Waiting>& waiting) {
    return std::any_of(waiting.begin(), waiting.end(), [&](const Waiting& one) {
      return one.key == message.key && one.timestamp == message.timestamp;
    });
  };
  return is_among(peer.classes[place_of(message)].waiting) || is_among(to_all_[static_cast<std::size_t>(message.type)]);
}

void CacheLinks::send_to_all(const CacheMessage& message, sim::OperationId cause) {
  Waiting packed_message = packed(message, cause);
  if (options_.broadcast == Broadcast::unicast) {
    for (Peer& peer : peers_) {
      if (peer.links != nullptr) send(peer, packed_message);
    }
    return;
  }
  const std::size_t place = packed_message.place;
  to_all_[place].push(std::move(packed_message));
  ++waiting_;
  send_waiting_to_all(place);
  if (!to_all_[place].empty()) note_waiting();
}

void CacheLinks::send(Peer& peer, Waiting message) {
  const std::size_t place = message.place;
  peer.classes[place].waiting.push(std::move(message));
  ++waiting_;
  send_waiting(peer, place);
  if (!peer.classes[place].waiting.empty()) note_waiting();
}

void CacheLinks::note_waiting() {
  ++shared_.counters.out_of_credits.value;
  shared_.coverage.race(races.message_waits_for_credit);
  start_timer();
}

void CacheLinks::send_waiting(Peer& peer, std::size_t place) {
  Class& of_class = peer.classes[place];
  while (credits(of_class) > 0 && !of_class.waiting.empty()) {
    --waiting_;
    Waiting next = of_class.waiting.pop();
    if (handler_.is_outdated(kClassOf[place], next.key, next.timestamp)) continue;
    count_sent(of_class, next.key);
    post(address_of(peer), std::move(next), of_class.sent);
  }
  if (waiting_ == 0) sent_.notify_all();
}

void CacheLinks::count_sent(Class& of_class, sim::Key key) {
  ++of_class.sent;
  if (!repeats_updates()) return;
  of_class.unknown.push({of_class.sent, key, shared_.rack.calendar().now()});
  ++unknown_;
  start_timer();
}

bool CacheLinks::all_have_credits(std::size_t place) const {
  return std::all_of(peers_.begin(), peers_.end(),
                     [&](const Peer& peer) { return peer.links == nullptr || credits(peer.classes[place]) > 0; });
}

void CacheLinks::send_waiting_to_all(std::size_t place) {
  while (!to_all_[place].empty() && all_have_credits(place)) {
    --waiting_;
    Waiting next = to_all_[place].pop();
    if (handler_.is_outdated(kClassOf[place], next.key, next.timestamp)) continue;
    std::uint32_t number = 0;
    for (Peer& peer : peers_) {
      if (peer.links == nullptr) continue;
      count_sent(peer.classes[place], next.key);
      number = peer.classes[place].sent;
    }
    post({.group = group()}, std::move(next), number);
  }
  if (waiting_ == 0) sent_.notify_all();
}

void CacheLinks::post(const models::Destination& to, Waiting message, std::uint32_t number) {
  models::WorkRequest request;
  if (shared_.retransmit_after) {
    request.opcode = models::Opcode::send_imm;
    request.immediate = number;
  }
  request.content = std::move(message.content);
  request.bytes = message.bytes;
  request.destination = to;
  request.operation = message.cause;
  messages_.add(kClassOf[message.place], std::move(request));
  messages_.post_soon();
}

void CacheLinks::message_came(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive) return;
  messages_.queue_pair().post_receive();
  const auto message = completion.content.as<CacheMessage>();
  Peer& peer = peers_[completion.from];
  const std::size_t place = place_of(message);
  Arrivals& arrivals = peer.classes[place].arrivals;
  if (repeats_updates()) {
    arrivals.take(*completion.immediate);
  } else {
    arrivals.skip_to(shared_.retransmit_after ? *completion.immediate : arrivals.up_to() + 1);
  }
  if (arrivals.up_to() - peer.classes[place].told >= options_.credit_batch) tell(peer, place, CreditMessage::credits);
  handler_.receive(thread_, completion.from, message, completion.operation);
}

// The immediate data say what it is, of which class, and the low bits of the total.
void CacheLinks::note(Peer& peer, std::size_t place, CreditMessage what, std::uint32_t total) {
  models::WorkRequest request;
  request.opcode = models::Opcode::send_imm;
  request.bytes = 0;
  request.immediate =
      total << kKindBits | static_cast<std::uint32_t>(static_cast<std::size_t>(what) * kClasses + place);
  request.destination = {.node = peer.links->node_, .qpn = peer.links->credits_.queue_pair().number()};
  credits_.add(MessageClass::credits, std::move(request));
  credits_.post_soon();
}

void CacheLinks::tell(Peer& peer, std::size_t place, CreditMessage what) {
  Class& of_class = peer.classes[place];
  of_class.told = of_class.arrivals.up_to();
  note(peer, place, what, of_class.told);
}

void CacheLinks::credits_came(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive) return;
  credits_.queue_pair().post_receive();
  const std::uint32_t kind = *completion.immediate & ((1U << kKindBits) - 1);
  const std::size_t place = kind % kClasses;
  Peer& peer = peers_[completion.from];
  Class& of_class = peer.classes[place];
  // The whole total is the one nearest to what is known.
  const auto whole = [&](std::uint32_t known) {
    const std::uint32_t ahead = *completion.immediate - (known << kKindBits);
    return known + static_cast<std::uint32_t>(static_cast<std::int32_t>(ahead) >> kKindBits);
  };
  switch (static_cast<CreditMessage>(kind / kClasses)) {
    case CreditMessage::credits:
      learn(peer, place, whole(of_class.dealt_with));
      break;
    case CreditMessage::question:
      if (!repeats_updates()) of_class.arrivals.skip_to(whole(of_class.arrivals.up_to()));
      tell(peer, place, CreditMessage::answer);
      break;
    case CreditMessage::answer:
      learn(peer, place, whole(of_class.dealt_with));
      send_unknown_again(peer, place);
      break;
  }
}

void CacheLinks::learn(Peer& peer, std::size_t place, std::uint32_t total) {
  Class& of_class = peer.classes[place];
  if (comes_after(total, of_class.dealt_with)) of_class.dealt_with = total;
  while (!of_class.unknown.empty() && !comes_after(of_class.unknown.front().number, of_class.dealt_with)) {
    of_class.unknown.pop();
    --unknown_;
  }
  if (waiting_ == 0) return;
  send_waiting(peer, place);
  send_waiting_to_all(place);
}

// Whatever is older than the question and is not told to have come.
void CacheLinks::send_unknown_again(Peer& peer, std::size_t place) {
  const sim::Time now = shared_.rack.calendar().now();
  for (Unknown& unknown : peer.classes[place].unknown) {
    if (unknown.since + *shared_.retransmit_after > now) break;
    unknown.since = now;
    ++shared_.counters.sent_again.value;
    post(address_of(peer), packed(handler_.current(unknown.key), 0), unknown.number);
  }
}

void CacheLinks::start_timer() {
  if (!shared_.retransmit_after || std::exchange(timer_runs_, true)) return;
  timer_ = shared_.rack.server(node_).clock().after<&CacheLinks::ask>(*shared_.retransmit_after, *this);
}

void CacheLinks::ask() {
  const sim::Time now = shared_.rack.calendar().now();
  for (Peer& peer : peers_) {
    for (std::size_t place = 0; place < kClasses; ++place) {
      const Class& of_class = peer.classes[place];
      const bool late = !of_class.unknown.empty() && of_class.unknown.front().since + *shared_.retransmit_after <= now;
      const bool waits = !of_class.waiting.empty() || (!to_all_[place].empty() && credits(of_class) == 0);
      if (peer.links != nullptr && (late || waits)) note(peer, place, CreditMessage::question, of_class.sent);
    }
  }
  timer_runs_ = false;
  if (waiting_ > 0 || unknown_ > 0) start_timer();
}

void CacheLinks::add_waits(std::vector<sim::Wait>& waits) const {
  const std::string who = fmt::format("cache thread {} of node{}", thread_, node_);
  const auto why = [](std::size_t messages, std::size_t place) {
    return fmt::format("credits for {} {}", messages, name_of(kClassOf[place]));
  };
  for (std::size_t place = 0; place < kClasses; ++place) {
    if (!to_all_[place].empty()) waits.push_back({.who = who, .whom = "", .why = why(to_all_[place].size(), place)});
    for (NodeId node = 0; node < peers_.size(); ++node) {
      const std::size_t messages = peers_[node].classes[place].waiting.size();
      if (messages > 0) waits.push_back({.who = who, .whom = fmt::format("node{}", node), .why = why(messages, place)});
    }
  }
}

void CacheLinks::add_leaks(std::vector<models::Leak>& leaks) const {
  for (NodeId node = 0; node < peers_.size(); ++node) {
    const Peer& peer = peers_[node];
    if (peer.links == nullptr) continue;
    for (std::size_t place = 0; place < kClasses; ++place) {
      const Class &here = peer.classes[place], &there = peer.links->peers_[node_].classes[place];
      const std::uint64_t mine = credits(here), with_it = there.arrivals.up_to() - here.dealt_with;
      // With retransmit what was lost last is known as soon as somebody needs the credit.
      const bool made = mine + with_it > options_.consistency_credits || comes_after(here.dealt_with, here.sent);
      if (!made && (shared_.retransmit_after || mine + with_it == options_.consistency_credits)) continue;
      leaks.push_back(
          {"wrong-metadata",
           fmt::format("cache thread {} of node{}: {} credits for {} to node{}, which is to return {}, of {}", thread_,
                       node_, mine, name_of(kClassOf[place]), node, with_it, options_.consistency_credits),
           {}});
    }
  }
}

void CacheLinks::crash() {
  shared_.rack.calendar().cancel(timer_);
  messages_.clear();
  credits_.clear();
  for (Peer& peer : peers_) {
    for (Class& of_class : peer.classes) of_class.waiting.clear();
  }
  for (auto& waiting : to_all_) waiting.clear();
  waiting_ = unknown_ = 0;
}

}  // namespace racksim::cckvs
