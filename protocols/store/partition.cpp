// Requests at a server. See partition.hpp.
#include "protocols/store/partition.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>

#include "sim/record/run_hash.hpp"

namespace racksim::store {

namespace {
std::uint64_t digest_of(std::uint64_t part, sim::Value value) {
  sim::HashMixer mixer(0);
  mixer.add(part);
  mixer.add(value);
  return mixer.finish().low;
}

/// The client whose record of completed writes it is.
std::uint32_t client_of(Address address) {
  return std::uint32_t{address.node} << 16 | address.port;
}
}  // namespace

Partition::Partition(Shared& shared, unsigned server)
    : shared_(shared),
      server_(server),
      core_(shared.rack.server(shared.node_of(server)).core(server % shared.options.partitions, "partition")),
      nic_(shared.rack.server(shared.node_of(server)).nic()),
      qpn_(nic_.create_raw_qp(core_, *this, shared.options.service_work)),
      served_counter_(shared.rack.metrics().counter(fmt::format("store.server{:02}.served", server), "requests",
                                                    "that this server answered", sim::Shown::json)) {
  shared.rack.metrics().rate(fmt::format("store.server{:02}.mops", server), "requests that this server answered",
                             served_counter_, sim::Shown::json);
  if (qpn_ != shared.port_of(server)) {
    throw std::logic_error(fmt::format("server {} listens to port {}, not {}", server, qpn_, shared.port_of(server)));
  }
}

void Partition::count_served() {
  ++served_;
  ++served_counter_.value;
  ++shared_.counters.served.value;
}

sim::Value Partition::part_of(sim::Key key, unsigned number) const {
  const std::uint64_t* value = const_cast<Partition*>(this)->items_.find(part_id(key, number));
  return sim::Value{value == nullptr ? 0 : *value};
}

void Partition::store(sim::Key key, const Received& received) {
  for (unsigned number = 0; number < received.values.size(); ++number) {
    if ((received.fragments >> number & 1) != 0) set(part_id(key, number), sim::Value{received.values[number]});
  }
  bool whole = true;
  for (unsigned number = 1; number < received.values.size(); ++number) {
    whole = whole && part_of(key, number) == part_of(key, 0);
  }
  if (whole) {
    torn_.erase(key);
  } else {
    torn_.insert(key);
  }
}

void Partition::set(std::uint64_t part, sim::Value value) {
  std::uint64_t& item = items_[part];
  if (item != 0) digest_ -= digest_of(part, sim::Value{item});
  digest_ += digest_of(part, value);
  item = value;
}

void Partition::send(const Message& message, Address to, sim::OperationId operation) {
  p4::PacketRef packet = make_message(shared_, message, static_cast<std::uint16_t>(qpn_), to, operation);
  copied(*packet);
  nic_.send_raw(qpn_, std::move(packet));
}

void Partition::send_item(Message message, Address to, sim::OperationId operation) {
  const unsigned packets = shared_.packets_of(message.key);
  message.store.flag = packets;
  message.brings_value = true;
  for (message.fragment = 0; message.fragment < packets; ++message.fragment) {
    message.value = part_of(message.key, message.fragment);
    message.safety.oldest_or_number = message.fragment + 1;
    send(message, to, operation);
  }
}

void Partition::on_packet(p4::PacketRef packet) {
  copied(*packet);
  handle(*packet);
  spend_budget();
}

void Partition::copied(const p4::Packet& packet) {
  const sim::Duration cost = shared_.options.byte_work * static_cast<std::int64_t>(packet.payload_bytes);
  if (cost > sim::Duration{}) core_.charge(cost);
}

void Partition::spend_budget() {
  const StoreOptions& options = shared_.options;
  if (options.budget == 0) return;
  const std::int64_t window = (shared_.rack.calendar().now() - sim::Time{}) / options.budget_window;
  if (window != window_) read_in_it_ = 0;
  window_ = window;
  if (++read_in_it_ < options.budget) return;
  core_.rest_until(sim::Time{} + options.budget_window * (window + 1));
}

void Partition::handle(p4::Packet& packet) {
  if (!is_message(packet)) return;
  Message request = read_message(shared_, packet);
  const Address from = sender_of(packet);
  switch (request.store.operation()) {
    case Op::read_request:
    case Op::correction_request:
      if (extension_) extension_->requested(request);
      count_served();
      request.store.set(Op::read_reply);
      return send_item(request, from, packet.operation);
    case Op::write_request:
      if (extension_ && extension_->holds_write(request, from, packet.operation)) return;
      return write(request, from, packet.operation);
    default:
      if (extension_) extension_->other(request, from);
  }
}

void Partition::write(Message request, Address from, sim::OperationId operation) {
  const auto seq = static_cast<std::uint32_t>(request.store.seq);
  CompletedWrites* record = nullptr;
  if (shared_.safety) {
    record = &completed_[client_of(from)];
    const auto verdict = record->judge(seq, static_cast<std::uint32_t>(request.safety.oldest_or_number));
    forget_given_up(from, *record);
    if (verdict == CompletedWrites::Verdict::given_up) return shared_.coverage.race(races.write_given_up);
    if (verdict == CompletedWrites::Verdict::completed) {
      shared_.coverage.race(races.write_completed_before);
      ++shared_.counters.duplicate_writes.value;
      if (extension_) extension_->written(request);
      return answer_write(request, from, operation);
    }
  }
  const unsigned packets = shared_.packets_of(request.key);
  Received whole;
  if (packets > 1) {
    const auto received = receiving_.try_emplace({from, seq}, Received{}).first;
    if (!receive(request, packets, received->second)) return;
    whole = std::move(received->second);
    receiving_.erase(received);
  }
  if (extension_) {
    extension_->requested(request);
    if (!extension_->admits_write(request)) {
      request.store.set(Op::write_refused);
      request.brings_value = false;
      return send(request, from, operation);
    }
  }
  if (packets > 1) {
    store(request.key, whole);
  } else {
    set(request.key, request.value);
  }
  if (record) record->complete(seq);
  if (extension_) extension_->written(request);
  answer_write(request, from, operation);
}

bool Partition::receive(Message& request, unsigned packets, Received& received) {
  received.values.resize(packets);
  if (request.fragment < packets) {
    received.fragments |= std::uint64_t{1} << request.fragment;
    received.values[request.fragment] = request.value;
  }
  const Version version{request.safety.version};
  const std::int64_t place = place_of(hash_in(request), version);
  if (version != 0 && (received.version == 0 || place > received.place)) {
    received.version = version;
    received.place = place;
  }
  received.unversioned |= request.safety.version == 0;
  received.flag |= request.store.flag != 0;
  if (std::popcount(received.fragments) < static_cast<int>(packets)) return false;
  // A write of which a part came before the key was cached counts as one that came before.
  if (received.unversioned && received.version != 0) {
    shared_.coverage.race(races.write_partly_before_insertion);
  }
  request.safety.version = received.unversioned ? kNoVersion : received.version;
  request.store.flag = received.flag ? 1 : 0;
  return true;
}

// Looks at nothing that stays: clients of an overloaded server may have thousands of writes half received. Numbers wrap
// around, so those that are given up are one stretch of the client's, or lie at both of its ends.
void Partition::forget_given_up(Address from, const CompletedWrites& record) {
  const auto forget = [&](std::uint32_t first, std::uint32_t last) {
    auto at = receiving_.lower_bound({from, first});
    while (at != receiving_.end() && at->first.address == from && at->first.seq <= last) {
      shared_.coverage.race(races.half_a_write_forgotten);
      at = receiving_.erase(at);
    }
  };
  const auto [first, last] = record.given_up();
  if (first <= last) return forget(first, last);
  forget(0, last);
  forget(first, std::numeric_limits<std::uint32_t>::max());
}

std::size_t Partition::kept_in_vain() const {
  return static_cast<std::size_t>(std::count_if(receiving_.begin(), receiving_.end(), [&](const auto& entry) {
    const Sender& sender = entry.first;
    const auto record = completed_.find(client_of(sender.address));
    return record != completed_.end() && record->second.is_completed(sender.seq);
  }));
}

void Partition::answer_write(const Message& request, Address from, sim::OperationId operation) {
  count_served();
  Message reply = request;
  reply.store.set(Op::write_reply);
  if (request.store.flag != 0) return send_item(reply, from, operation);
  reply.brings_value = false;
  reply.safety.oldest_or_number = 1;
  send(reply, from, operation);
}

}  // namespace racksim::store
