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
//
// Several servers have the program, of which one is the shadow node (shadow_succession.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "protocols/flowcc/control/shadow_tag.hpp"
#include "protocols/flowcc/node/network.hpp"
#include "sim/simgrid/engine.hpp"

namespace racksim::flowcc {

class ShadowNode final : public models::PacketHandler, public models::CompletionHandler {
 public:
  /// The program on a core of a server, which does nothing yet.
  ShadowNode(Shared& shared, NodeId server, models::Core& core);

  NodeId server() const { return endpoint_.node(); }
  const Endpoint& endpoint() const { return endpoint_; }

  /// Begins, or begins anew, with a SHADOW-TAG that knows no block, and as a part of this incarnation.
  void begin(std::uint32_t incarnation) {
    // A memory node has joined the incarnation with all its parts when it stopped (node_recovery.hpp).
    if (server() >= shared_.shape.nodes) shared_.incarnations[server()] = incarnation;
    tags_.emplace(shared_.options.ways, shared_.options.entries_per_way, shared_.options.shadow.halvings);
  }
  /// Whether it has begun, and its server has not crashed since.
  bool serves() const { return tags_.has_value(); }
  /// Whether it is of that incarnation.
  bool is_of(std::uint32_t incarnation) const { return shared_.incarnations[server()] == incarnation; }
  /// The switch has been seen to have this block.
  void learn(Tag tag) {
    core_.charge(ShadowOptions::kWorkPerEntry);
    tags_->note(tag, set_of(tag), epoch());
  }
  /// Its server has crashed.
  void crash() { tags_.reset(); }
  /// Blocks that it takes the switch to have.
  std::uint64_t known() const { return tags_ ? tags_->used() : 0; }

  /// Adds the actor that has it scan. Without one a test calls `scan`.
  void add_actor(sim::Engine& engine, sim::HostId host);
  /// If it serves: removes the coldest blocks beyond the share of places that may be taken. For calendar events.
  void scan() {
    if (!serves()) return;
    const auto entries = static_cast<std::int64_t>(tags_->places());
    core_.run<&ShadowNode::remove_cold>(ShadowOptions::kWorkPerEntry * entries, *this);
  }

  void on_packet(p4::PacketRef packet) override;
  void on_completion(const models::Completion&) override {}  // it writes to nobody's memory

 private:
  void remove_cold();
  void notify_home(Tag tag);
  std::uint64_t set_of(Tag tag) const { return set_index(tag, shared_.options.entries_per_way); }
  std::uint64_t epoch() const {
    return static_cast<std::uint64_t>((shared_.calendar.now() - sim::Time::beginning()).ps() /
                                      shared_.options.migration.epoch.ps());
  }

  Shared& shared_;
  models::Core& core_;
  Endpoint endpoint_;
  std::optional<ShadowTag> tags_;
  sim::Lane lane_;
};

}  // namespace racksim::flowcc
