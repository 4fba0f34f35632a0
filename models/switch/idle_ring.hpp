// Packets that go round and round through a pipe and its recirculation port without changing anything: a ring that is
// advanced by arithmetic, late, when somebody is about to see it.
//
// A pass is idle when it changed no register and no header and its verdict is the recirculation port that the packet
// came by. The same packet's next pass is then the same, until a register entry that it looked at or a table changes
// (p4model/execute/pass_notes.hpp). Such a packet needs no events: an idle pass moves instants and counters alone.
//
//   slot      = max(arrival, next slot of the pipe)               next slot  = slot + cycle
//   leaves    = max(slot + ingress, recirculation queue free)     queue free = leaves + transmission
//   wire free = max(leaves + egress, wire free) + transmission    arrival    = wire free + latency of the loopback
//
// Why being late is exact. What an idle pass reads is the pipe's next slot, the queue's and the wire's next free
// instant, and room in the buffer; all other events of the pipe that touch the first three call `catch_up` before,
// which makes the passes that the calendar would have run by now (Calendar::has_passed, so ties are decided as it
// decides them). Room is sure as long as a reservation holds (traffic_manager.hpp). A packet whose slot still lies
// ahead of the present event is given back, to wait for it as every packet. Before something changes that a packet's
// pass looks at, the ring is caught up, and the packet leaves it: its arrival, which lies ahead, becomes an event of
// the wire.
//
// Packets leave the ring's one wire in the order in which they were sent, so they form a cycle: a pass takes the first
// and makes it the last. When a whole turn has moved all instants by the same time, the turns after it do so too, since
// the equations above know maxima and sums only: adding a constant to all instants adds it to all results. So any
// number of turns takes time for one.
#pragma once

#include <cstdint>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/traffic_manager.hpp"
#include "models/wire/wire.hpp"
#include "p4model/execute/pass_notes.hpp"
#include "p4model/execute/pipeline.hpp"

namespace racksim::models {

class IdleRing {
 public:
  /// What a packet passes on its way.
  struct Path {
    Wire& wire;             ///< of the recirculation port: sound
    sim::Duration latency;  ///< its propagation
    TrafficManager& traffic_manager;
    unsigned port;
    sim::Lane slots;  ///< on which a slot that lies ahead is an event
    sim::Duration cycle;
  };

  IdleRing(const sim::Calendar& calendar, const Path& path);

  /// Says where passes are counted and how long they take: from a slot to the head of an empty queue, and from the
  /// queue to the wire. While the ring is empty.
  void use(p4::Pipeline& pipeline, sim::Duration ingress, sim::Duration egress);

  bool empty() const { return size_ == 0; }
  std::uint64_t size() const { return size_; }
  /// Cells of so many bytes that its packets take in a buffer, and for which they have reservations.
  std::uint64_t cells(std::uint64_t cell_bytes) const;
  /// Calendar events that the passes so far would have been.
  std::uint64_t events() const { return events_; }

  /// Takes in a packet whose idle pass has just been made, and which leaves it for the wire at `ready`. It has been
  /// through the queue, and its cells are reserved there.
  void join(p4::PacketRef&& packet, const p4::PassNotes& notes, sim::Time ready);

  /// Makes the passes that come before the present event, and returns how many.
  std::uint64_t catch_up(sim::Time& next_slot);
  /// After catch_up: takes out a packet that has arrived and waits for its slot; null when there is none.
  p4::PacketRef take_waiting();

  /// Whether some packet's pass looks at a register entry.
  bool looks_at(std::uint32_t array, std::uint64_t index) const;
  /// Sends those packets on as events, or all of them. The ring must be caught up.
  void materialize(std::uint32_t array, std::uint64_t index);
  void materialize_all();

  /// Counts the lookups of all passes so far.
  void count_lookups();

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = 0xffffffff;
  static constexpr std::size_t kBuckets = 1024;

  // In the list of those whose hash is the same; number i of node n is n * PassNotes::kMost + i.
  struct Link {
    std::uint64_t entry = 0;
    Index next = kNone, previous = kNone;
  };
  struct Node {
    sim::Time arrival;
    sim::Duration transmission;
    std::uint64_t passes = 0;   // in the ring
    std::uint64_t counted = 0;  // of them, in lookups
    Index next = kNone, previous = kNone;
    std::uint32_t wire_bytes = 0;
    p4::PacketRef packet;
    p4::PassNotes notes;
  };

  static std::uint64_t entry_of(std::uint32_t array, std::uint64_t index) { return std::uint64_t{array} << 32 | index; }
  static std::size_t bucket_of(std::uint64_t entry) { return entry * 0x9e3779b97f4a7c15u >> 54; }
  Index find(std::uint64_t entry) const;
  void link(Index node);
  void unlink(Index node);
  void count_lookups(Node& node);
  bool pass(sim::Time& next_slot);
  bool turn(sim::Time& next_slot);
  void jump(sim::Time& next_slot, sim::Duration shift);
  Node& last() { return nodes_[nodes_[first_].previous]; }
  p4::PacketRef take_out(Index node);

  const sim::Calendar& calendar_;
  Path path_;
  p4::Pipeline* pipeline_ = nullptr;
  sim::Duration ingress_, egress_;
  sim::Duration after_queue_;  // from the instant when a packet has left the queue to its arrival
  std::vector<Node> nodes_;
  std::vector<Link> links_;
  std::vector<Index> free_;
  std::vector<Index> buckets_;
  Index first_ = kNone;
  std::uint64_t size_ = 0, events_ = 0;
  // While catching up.
  sim::Time queue_free_, wire_free_;
  std::uint64_t passes_ = 0, bytes_ = 0;
};

}  // namespace racksim::models
