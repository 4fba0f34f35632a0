// Messages of consistency and their credits. See cache_links.hpp.
#include "protocols/cckvs/cache_links.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace racksim::cckvs {

CacheLinks::CacheLinks(Shared& shared, const CacheOptions& options, NodeId node, unsigned thread,
                       CacheMessageHandler& handler)
    : shared_(shared),
      options_(options),
      node_(node),
      thread_(thread),
      handler_(handler),
      core_(shared.rack.server(node).core(thread)),
      message_queue_(*this),
      credit_queue_(*this),
      message_completions_(shared.rack.server(node).nic().create_completion_queue(core_, message_queue_)),
      credit_completions_(shared.rack.server(node).nic().create_completion_queue(core_, credit_queue_)),
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
  for (Class& of_class : peers_[node].classes) of_class.credits = options_.consistency_credits;
}

CacheLinks::Waiting CacheLinks::packed(const CacheMessage& message, sim::OperationId cause) const {
  const MessageSizes sizes = shared_.sizes(message.key);
  return {.content = p4::Content::of(message),
          .bytes = message.message == MessageClass::update ? sizes.update() : sizes.invalidation(),
          .message = message.message,
          .cause = cause};
}

void CacheLinks::send(NodeId to, const CacheMessage& message, sim::OperationId cause) {
  send(peers_[to], packed(message, cause));
}

void CacheLinks::send_to_all(const CacheMessage& message, sim::OperationId cause) {
  Waiting packed_message = packed(message, cause);
  if (options_.broadcast == Broadcast::unicast) {
    for (Peer& peer : peers_) {
      if (peer.links != nullptr) send(peer, packed_message);
    }
    return;
  }
  const std::size_t place = place_of(message.message);
  to_all_[place].push(std::move(packed_message));
  ++waiting_;
  send_waiting_to_all(place);
  if (!to_all_[place].empty()) note_waiting();
}

void CacheLinks::send(Peer& peer, Waiting message) {
  const std::size_t place = place_of(message.message);
  peer.classes[place].waiting.push(std::move(message));
  ++waiting_;
  send_waiting(peer, place);
  if (!peer.classes[place].waiting.empty()) note_waiting();
}

void CacheLinks::note_waiting() {
  ++shared_.counters.out_of_credits.value;
  shared_.coverage.race(RacePoint::message_waits_for_credit);
}

void CacheLinks::send_waiting(Peer& peer, std::size_t place) {
  Class& of_class = peer.classes[place];
  while (of_class.credits > 0 && !of_class.waiting.empty()) {
    --of_class.credits;
    --waiting_;
    const CacheLinks& other = *peer.links;
    post({.node = other.node_, .qpn = other.messages_.queue_pair().number()}, of_class.waiting.pop());
  }
  if (waiting_ == 0) sent_.notify_all();
}

bool CacheLinks::all_have_credits(std::size_t place) const {
  return std::all_of(peers_.begin(), peers_.end(),
                     [place](const Peer& peer) { return peer.links == nullptr || peer.classes[place].credits > 0; });
}

void CacheLinks::send_waiting_to_all(std::size_t place) {
  while (!to_all_[place].empty() && all_have_credits(place)) {
    for (Peer& peer : peers_) {
      if (peer.links != nullptr) --peer.classes[place].credits;
    }
    --waiting_;
    post({.group = group()}, to_all_[place].pop());
  }
  if (waiting_ == 0) sent_.notify_all();
}

void CacheLinks::post(const models::Destination& to, Waiting message) {
  models::WorkRequest request;
  request.content = std::move(message.content);
  request.bytes = message.bytes;
  request.destination = to;
  request.operation = message.cause;
  messages_.add(message.message, std::move(request));
  messages_.post_soon();
}

void CacheLinks::message_came(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive) return;
  shared_.count_received(node_, completion);
  messages_.queue_pair().post_receive();
  const auto message = completion.content.as<CacheMessage>();
  Peer& peer = peers_[completion.from];
  const std::size_t place = place_of(message.message);
  if (++peer.classes[place].to_return >= options_.credit_batch) return_credits(peer, place);
  handler_.receive(thread_, completion.from, message, completion.operation);
}

// The immediate data say for which class, and how many.
void CacheLinks::return_credits(Peer& peer, std::size_t place) {
  models::WorkRequest request;
  request.opcode = models::Opcode::send_imm;
  request.bytes = 0;
  request.immediate = static_cast<std::uint32_t>(std::exchange(peer.classes[place].to_return, 0) * kClasses + place);
  request.destination = {.node = peer.links->node_, .qpn = peer.links->credits_.queue_pair().number()};
  credits_.add(MessageClass::credits, std::move(request));
  credits_.post_soon();
}

void CacheLinks::credits_came(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive) return;
  shared_.count_received(node_, completion);
  credits_.queue_pair().post_receive();
  const std::size_t place = *completion.immediate % kClasses;
  Peer& peer = peers_[completion.from];
  peer.classes[place].credits += *completion.immediate / kClasses;
  if (waiting_ == 0) return;
  send_waiting(peer, place);
  send_waiting_to_all(place);
}

void CacheLinks::add_waits(std::vector<sim::Wait>& waits) const {
  const std::string who = fmt::format("cache thread {} of node{}", thread_, node_);
  const auto why = [](std::size_t messages, std::size_t place) {
    return fmt::format("credits for {} {}", messages, name_of(class_of(place)));
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
      const std::uint64_t mine = peer.classes[place].credits;
      const std::uint64_t with_it = peer.links->peers_[node_].classes[place].to_return;
      if (mine + with_it == options_.consistency_credits) continue;
      leaks.push_back(
          {"wrong-metadata",
           fmt::format("cache thread {} of node{}: {} credits for {} to node{}, which is to return {}, of {}", thread_,
                       node_, mine, name_of(class_of(place)), node, with_it, options_.consistency_credits),
           {}});
    }
  }
}

void CacheLinks::crash() {
  messages_.clear();
  credits_.clear();
  for (Peer& peer : peers_) {
    for (Class& of_class : peer.classes) of_class.waiting.clear();
  }
  for (auto& waiting : to_all_) waiting.clear();
  waiting_ = 0;
}

}  // namespace racksim::cckvs
