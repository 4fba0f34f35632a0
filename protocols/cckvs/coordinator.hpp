// The cache coordinator (ccKVS §4): finds out which keys are hot, and orders them into all caches and others out.
//
// Clients spread their requests over all servers, so that what one of them is asked for tells how popular keys are
// everywhere. The coordinator, a SimGrid actor on that server, counts a sample of its requests with few counters
// (sim::SpaceSaving) and looks at them at the end of each epoch. A key that was asked for more often than one that is
// cached, by a margin, takes its place; the other leaves first, so that no cache ever needs more room. Homes carry out
// the changes (hand_over_agent.hpp), a few at a time; those that have not begun by the next epoch are thought over.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocols/cckvs/hot_set_options.hpp"
#include "protocols/cckvs/threads/hand_over_agent.hpp"
#include "sim/random/random.hpp"
#include "sim/record/space_saving.hpp"
#include "sim/simgrid/engine.hpp"

namespace racksim::cckvs {

class Coordinator final : public ChangeObserver {
 public:
  /// `agent` is its node's.
  Coordinator(models::Rack& rack, const HotSetOptions& options, std::uint64_t capacity, HandOverAgent& agent,
              HotSetCounters& counters);

  void add_actor(sim::Engine& engine, sim::HostId host);
  /// These keys are cached from the beginning.
  void begin_with(std::span<const sim::Key> keys);
  /// A session of its node asks for a key. Returns what it costs the thread.
  sim::Duration look_at(sim::Key key);
  /// Orders what the epoch's counts say. The actor has it done; a test may.
  void end_epoch();

  /// Whether no change that it has ordered is under way.
  bool idle() const { return under_way_ == 0; }
  /// Keys that are in the caches as far as it knows, or are on their way.
  std::size_t keys() const { return states_.size(); }

 private:
  enum class KeyState : std::uint8_t { cached, coming, leaving };
  /// A key that is to come, in whose place if there is no room.
  struct Plan {
    sim::Key comes;
    std::optional<sim::Key> leaves;
  };

  void changed(sim::Key key) override;
  void make_plans();
  void begin_plans();
  std::uint64_t count_of(sim::Key key) const;

  HotSetOptions options_;
  std::uint64_t capacity_;
  HandOverAgent& agent_;
  HotSetCounters& counters_;
  sim::Lane lane_;
  sim::RandomStream random_;
  sim::SpaceSaving counts_;
  sim::FlatMap<KeyState> states_;      // of keys that are not in their homes' stores alone
  sim::FlatMap<sim::Key> successors_;  // of keys that leave: who comes then
  std::vector<Plan> plans_;            // the last is the next
  std::uint64_t under_way_ = 0;
};

}  // namespace racksim::cckvs
