// The shadow node (Concordia §5.2.2): knows which blocks the switch has and how hot they are, and has homes take back
// the cold ones.
//
// The switch copies each answer to an ADD to it. One that says yes brings a block into SHADOW-TAG; one that says that
// all places are taken makes it choose the coldest block at those places, which goes back to its home so that the ADD
// may succeed in the next epoch. Cache agents report at the end of each epoch how often they have invalidated which
// blocks of the switch. From time to time it looks through SHADOW-TAG (a SimGrid actor does) and removes the coldest
// blocks as long as fewer places are free than its options want.
//
// Whatever it says to a home agent is a hint: lost, late, doubled or wrong it costs speed. A block that it gives up it
// forgets; if the block stays, since its lock was busy, the home lists it among its own again.
#pragma once

#include <cstdint>

#include "protocols/flowcc/network.hpp"
#include "protocols/flowcc/shadow_tag.hpp"
#include "sim/simgrid/engine.hpp"

namespace racksim::flowcc {

class ShadowNode final : public models::PacketHandler, public models::CompletionHandler {
 public:
  /// On a core of the server `shared.shadow`.
  ShadowNode(Shared& shared, models::Core& core);

  const Endpoint& endpoint() const { return endpoint_; }
  const ShadowTag& tags() const { return tags_; }

  /// Adds the actor that has it scan. Without one a test calls `scan`.
  void add_actor(sim::Engine& engine, sim::HostId host);
  /// Removes the coldest blocks beyond the share of places that may be taken. For calendar events.
  void scan();

  /// A recovery has given all blocks back to their homes, in this incarnation.
  void forget(std::uint32_t incarnation);

  void on_packet(p4::PacketRef packet) override;
  void on_completion(const models::Completion&) override {}  // it writes to nobody's memory

 private:
  void remove_cold();
  void notify_home(Tag tag);
  std::uint64_t set_of(Tag tag) const { return set_index(tag, shared_.options.entries_per_way); }
  std::uint64_t epoch() const;

  Shared& shared_;
  models::Core& core_;
  Endpoint endpoint_;
  ShadowTag tags_;
  sim::Lane lane_;
};

}  // namespace racksim::flowcc
