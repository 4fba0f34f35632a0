// The memory service: what an application thread of a distributed shared memory sees (Concordia §6, GAM §3, SELCC §3).
//
// The face records histories (service.hpp). Data is one value per block (its version) until an application needs real
// bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "models/host/global_address.hpp"
#include "models/service/service.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::models {

/// What the service needs to know when it is built.
struct MemoryShape {
  unsigned nodes = 0;
  unsigned threads_per_node = 0;
  std::uint64_t block_bytes = 0;  ///< a power of two: the unit of coherence
};

/// A distributed shared memory. Implemented by protocols, used by workloads.
class MemoryService : public Service {
 public:
  static constexpr std::string_view kWhat = "a memory service";

  /// Throws std::runtime_error when a block is no power of two from 8 bytes.
  MemoryService(sim::Calendar& calendar, sim::Journal& journal, sim::Metrics& metrics, const MemoryShape& shape);

  /// Reads the 8-byte object at `address`; returns the value of its block.
  sim::Task<std::uint64_t> read(Session session, GlobalAddress address);
  /// Writes the 8-byte object at `address`, giving its block a new value; returns that value.
  sim::Task<std::uint64_t> write(Session session, GlobalAddress address);

  /// Tells the protocol which blocks the application shares between nodes, before the run (a protocol that treats
  /// shared and private data alike ignores it).
  virtual void declare_shared(GlobalAddress first, std::uint64_t bytes) = 0;

  /// Performs one access without simulating time: caches, homes and directories end as if the access had been the only
  /// one under way. Only before the run.
  virtual void warm_access(Session session, GlobalAddress address, bool write) = 0;

  const MemoryShape& shape() const { return shape_; }
  /// The block an address lies in: the address without the offset in the block.
  std::uint64_t block_of(GlobalAddress address) const { return address.value >> block_bits_; }
  /// The home node of a block.
  NodeId home_of(std::uint64_t block) const {
    return static_cast<NodeId>(block >> (GlobalAddress::kOffsetBits - block_bits_));
  }

 protected:
  virtual sim::Task<std::uint64_t> do_read(Session session, std::uint64_t block, std::uint64_t operation) = 0;
  virtual sim::Task<void> do_write(Session session, std::uint64_t block, std::uint64_t value,
                                   std::uint64_t operation) = 0;

 private:
  MemoryShape shape_;
  unsigned block_bits_;
};

}  // namespace racksim::models
