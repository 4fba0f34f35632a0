// The home agent's part in allocation: it returns "a huge free chunk" of its node's global memory to a thread that asks
// (Concordia §6, "Global memory allocation").
//
// A request that comes again, because its answer or it was lost or late, is answered as the first time (§5.3.1), so
// that no chunk is given away that nobody knows of. A thread has one request under way, so what the agent has to keep
// is its last answer to each.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/flowcc/allocation/allocation_messages.hpp"
#include "protocols/flowcc/node/node_state.hpp"
#include "protocols/flowcc/rules/last_executed.hpp"

namespace racksim::flowcc {

struct AllocationCounters;

class ChunkServer final : public models::PacketHandler {
 public:
  /// What is given away is taken from `memory`. `core` is the home agent's.
  ChunkServer(Shared& shared, const NodeState& node, models::Core& core, models::MemoryAllocator& memory,
              AllocationCounters& counters);

  models::Qpn qpn() const { return qpn_; }

  /// What it has given away: chunks.
  struct Given {
    models::GlobalAddress first;
    std::uint64_t bytes = 0;
    RequesterId requester{};
    Seq seq{};
  };
  const std::vector<Given>& given() const { return given_; }

  void on_packet(p4::PacketRef packet) override;

 private:
  AllocationHeader execute(const AllocationHeader& request);

  Shared& shared_;
  const NodeState& node_;
  models::MemoryAllocator& memory_;
  AllocationCounters& counters_;
  models::Qpn qpn_;
  LastExecuted last_executed_;
  std::vector<AllocationHeader> answers_;  // by requester: the last
  std::vector<Given> given_;
};

}  // namespace racksim::flowcc
