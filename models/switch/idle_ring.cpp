// The arithmetic of idle passes, and who looks at what. See idle_ring.hpp.
#include "models/switch/idle_ring.hpp"

#include <algorithm>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

IdleRing::IdleRing(const sim::Calendar& calendar, const Path& path)
    : calendar_(calendar), path_(path), buckets_(kBuckets, kNone) {}

void IdleRing::use(p4::Pipeline& pipeline, sim::Duration ingress, sim::Duration egress) {
  RACKSIM_INVARIANT(empty(), "a ring changes its pipeline while no packet is in it");
  pipeline_ = &pipeline;
  ingress_ = ingress;
  egress_ = egress;
  after_queue_ = egress + path_.latency;
}

void IdleRing::join(p4::PacketRef&& packet, const p4::PassNotes& notes, sim::Time ready) {
  RACKSIM_INVARIANT(packet.unique(), "a packet is in the ring once, and nowhere else");
  if (free_.empty()) {
    free_.push_back(static_cast<Index>(nodes_.size()));
    nodes_.emplace_back();
    links_.resize(nodes_.size() * p4::PassNotes::kMost);
  }
  const Index index = free_.back();
  free_.pop_back();
  Node& node = nodes_[index];
  node.wire_bytes = packet->wire_bytes();
  node.transmission = path_.wire.serialisation(node.wire_bytes);
  node.arrival = path_.wire.transmit_unseen(node.wire_bytes, ready);
  node.passes = node.counted = 0;
  node.packet = std::move(packet);
  node.notes = notes;
  RACKSIM_INVARIANT(empty() || last().arrival < node.arrival, "packets are in the ring in the order of their arrivals");
  if (size_++ == 0) {
    first_ = node.next = node.previous = index;
  } else {
    node.next = first_;
    node.previous = nodes_[first_].previous;
    nodes_[node.previous].next = index;
    nodes_[first_].previous = index;
  }
  link(index);
}

p4::PacketRef IdleRing::take_out(Index index) {
  Node& node = nodes_[index];
  RACKSIM_INVARIANT(size_ > 0 && node.packet, "who is taken out of the ring is in it");
  unlink(index);
  count_lookups(node);
  // Its arrival was computed with the queue: it left that so long before.
  path_.traffic_manager.release(path_.port, node.packet->frame_bytes(), node.arrival - after_queue_, node.passes == 0);
  if (--size_ == 0) {
    first_ = kNone;
  } else {
    nodes_[node.next].previous = node.previous;
    nodes_[node.previous].next = node.next;
    if (first_ == index) first_ = node.next;
  }
  free_.push_back(index);
  return std::move(node.packet);
}

std::uint64_t IdleRing::catch_up(sim::Time& next_slot) {
  if (empty()) return 0;
  const sim::Time now = calendar_.now();
  if (nodes_[first_].arrival > now) return 0;
  queue_free_ = path_.traffic_manager.free_at(path_.port);
  wire_free_ = path_.wire.free_at();
  passes_ = bytes_ = 0;
  while (last().arrival < now && turn(next_slot)) {
  }
  while (calendar_.has_passed(nodes_[first_].arrival, path_.wire.lane()) && pass(next_slot)) {
  }
  RACKSIM_INVARIANT(nodes_[first_].arrival <= last().arrival, "the first packet of the ring arrives before the last");
  if (passes_ == 0) return 0;
  path_.traffic_manager.free_at(path_.port) = queue_free_;
  path_.traffic_manager.reach(next_slot - path_.cycle + ingress_);  // of the last one
  path_.wire.transmitted_unseen(passes_, bytes_, wire_free_);
  events_ += passes_;
  return passes_;
}

// The pass of the first packet, which has arrived. False if its slot lies ahead.
inline bool IdleRing::pass(sim::Time& next_slot) {
  Node& node = nodes_[first_];
  sim::Time slot = node.arrival;
  if (next_slot > slot) [[unlikely]] {
    slot = next_slot;
    if (!calendar_.has_passed(slot, path_.slots)) return false;
    ++events_;
  }
  next_slot = slot + path_.cycle;
  const sim::Time leaves = std::max(slot + ingress_, queue_free_);
  queue_free_ = leaves + node.transmission;
  wire_free_ = std::max(leaves + egress_, wire_free_) + node.transmission;
  node.arrival = wire_free_ + path_.latency;
  ++node.passes;
  ++passes_;
  bytes_ += node.wire_bytes;
  first_ = node.next;
  return true;
}

// A pass of each packet, all of which have arrived before now, and as many turns after it as are sure. False if a slot
// lies ahead.
bool IdleRing::turn(sim::Time& next_slot) {
  // The last packet of the ring must have been the last in queue and on the wire, for they are part of what is shifted.
  // No slot must have been waited for. None will be then: arrivals by the wire are a transmission apart, which is
  // longer than a cycle.
  bool regular = queue_free_ == last().arrival - after_queue_ && wire_free_ == last().arrival - path_.latency &&
                 next_slot <= nodes_[first_].arrival;
  sim::Duration shift;
  for (std::uint64_t i = 0; i < size_; ++i) {
    const Node& node = nodes_[first_];
    const sim::Time before = node.arrival;
    if (!pass(next_slot)) return false;
    const sim::Duration moved = node.arrival - before;
    if (i == 0) shift = moved;
    regular = regular && moved == shift;
  }
  if (regular && last().arrival < calendar_.now()) jump(next_slot, shift);
  return true;
}

// Makes as many turns as begin before now for all packets, each of which moves all instants by `shift`.
void IdleRing::jump(sim::Time& next_slot, sim::Duration shift) {
  const auto behind = calendar_.now() - last().arrival - sim::Duration::from_ps(1);
  const auto turns = behind.ps() / shift.ps() + 1;
  const auto far = shift * turns;
  Index index = first_;
  for (std::uint64_t i = 0; i < size_; ++i, index = nodes_[index].next) {
    Node& node = nodes_[index];
    node.arrival += far;
    node.passes += static_cast<std::uint64_t>(turns);
    passes_ += static_cast<std::uint64_t>(turns);
    bytes_ += static_cast<std::uint64_t>(turns) * node.wire_bytes;
  }
  queue_free_ += far;
  wire_free_ += far;
  next_slot += far;
}

p4::PacketRef IdleRing::take_waiting() {
  if (empty() || !calendar_.has_passed(nodes_[first_].arrival, path_.wire.lane())) return {};
  ++events_;
  return take_out(first_);
}

IdleRing::Index IdleRing::find(std::uint64_t entry) const {
  Index at = buckets_[bucket_of(entry)];
  while (at != kNone && links_[at].entry != entry) at = links_[at].next;
  return at;
}

bool IdleRing::looks_at(std::uint32_t array, std::uint64_t index) const {
  return find(entry_of(array, index)) != kNone;
}

void IdleRing::materialize(std::uint32_t array, std::uint64_t index) {
  for (Index at; (at = find(entry_of(array, index))) != kNone;) {
    const auto node = static_cast<Index>(at / p4::PassNotes::kMost);
    const sim::Time arrival = nodes_[node].arrival;
    path_.wire.materialize(take_out(node), arrival);
  }
}

void IdleRing::materialize_all() {
  while (!empty()) {
    const sim::Time arrival = nodes_[first_].arrival;
    path_.wire.materialize(take_out(first_), arrival);
  }
}

void IdleRing::link(Index node) {
  auto at = static_cast<Index>(node * p4::PassNotes::kMost);
  for (const auto& looked_at : nodes_[node].notes.registers()) {
    Link& link = links_[at];
    link.entry = entry_of(looked_at.array, looked_at.index);
    auto& head = buckets_[bucket_of(link.entry)];
    link.next = head;
    link.previous = kNone;
    if (head != kNone) links_[head].previous = at;
    head = at++;
  }
}

void IdleRing::unlink(Index node) {
  const auto first = static_cast<Index>(node * p4::PassNotes::kMost);
  for (std::size_t i = 0; i < nodes_[node].notes.registers().size(); ++i) {
    const Link& link = links_[first + i];
    if (link.next != kNone) links_[link.next].previous = link.previous;
    (link.previous != kNone ? links_[link.previous].next : buckets_[bucket_of(link.entry)]) = link.next;
  }
}

void IdleRing::count_lookups(Node& node) {
  pipeline_->count_lookups(node.notes, node.passes - node.counted);
  node.counted = node.passes;
}

std::uint64_t IdleRing::cells(std::uint64_t cell_bytes) const {
  std::uint64_t sum = 0;
  for (Index index = first_, left = static_cast<Index>(size_); left > 0; --left, index = nodes_[index].next) {
    sum += (nodes_[index].packet->frame_bytes() + cell_bytes - 1) / cell_bytes;
  }
  return sum;
}

void IdleRing::count_lookups() {
  for (Index index = first_, left = static_cast<Index>(size_); left > 0; --left, index = nodes_[index].next) {
    count_lookups(nodes_[index]);
  }
}

}  // namespace racksim::models
