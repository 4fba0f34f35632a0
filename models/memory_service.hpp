// The memory service: what an application thread of a distributed shared memory sees (Concordia §6, GAM §3, SELCC §3).
//
// Applications call the non-virtual face, which gives every write a unique value and tells the journal when each
// operation begins and ends: the oracles' histories come from here, so a protocol gets all oracles by implementing the
// two hooks. Data is one value per block (its version) until an application needs real bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/global_address.hpp"
#include "sim/histogram.hpp"
#include "sim/journal.hpp"
#include "sim/metrics.hpp"
#include "sim/task.hpp"

namespace racksim::models {

/// One application thread: who issues operations, one after the other.
struct Session {
  NodeId node = 0;
  std::uint16_t thread = 0;
};

/// What the service needs to know when it is built.
struct MemoryShape {
  unsigned nodes = 0;
  unsigned threads_per_node = 0;
  std::uint64_t block_bytes = 0;  ///< a power of two: the unit of coherence
};

/// A distributed shared memory. Implemented by protocols, used by workloads.
class MemoryService {
 public:
  MemoryService(sim::Calendar& calendar, sim::Journal& journal, sim::Metrics& metrics, const MemoryShape& shape);
  virtual ~MemoryService() = default;
  MemoryService(const MemoryService&) = delete;
  MemoryService& operator=(const MemoryService&) = delete;

  /// Reads the 8-byte object at `address`; returns the value of its block.
  sim::Task<std::uint64_t> read(Session session, GlobalAddress address);
  /// Writes the 8-byte object at `address`, giving its block a new value; returns that value.
  sim::Task<std::uint64_t> write(Session session, GlobalAddress address);

  const MemoryShape& shape() const { return shape_; }
  /// The block an address lies in: the address without the offset in the block.
  std::uint64_t block_of(GlobalAddress address) const { return address.value >> block_bits_; }
  /// The home node of a block.
  NodeId home_of(std::uint64_t block) const {
    return static_cast<NodeId>(block >> (GlobalAddress::kOffsetBits - block_bits_));
  }

  /// From here on operations count for throughput and latency, until `stop_measuring`.
  void start_measuring();
  void stop_measuring();
  /// Operations that ended while measuring.
  std::uint64_t measured_operations() const { return measured_; }
  /// Operations that have begun and not ended.
  std::uint64_t pending_operations() const { return pending_; }

 protected:
  /// A value that no write has written yet. For a functional warm-up, whose writes are no operations of the history.
  std::uint64_t next_value(Session session);

  virtual sim::Task<std::uint64_t> do_read(Session session, std::uint64_t block, std::uint64_t operation) = 0;
  virtual sim::Task<void> do_write(Session session, std::uint64_t block, std::uint64_t value,
                                   std::uint64_t operation) = 0;
  std::size_t index_of(Session session) const {
    return static_cast<std::size_t>(session.node) * shape_.threads_per_node + session.thread;
  }

 private:
  struct SessionState {
    sim::Source source;
    std::uint64_t operations = 0;
    std::uint64_t writes = 0;
  };
  std::uint64_t begin(Session session, bool write, std::uint64_t block, std::uint64_t value);
  void end(Session session, std::uint64_t operation, bool write, std::uint64_t block, std::uint64_t value,
           sim::Time begun);

  sim::Calendar& calendar_;
  sim::Journal& journal_;
  MemoryShape shape_;
  unsigned block_bits_;
  std::vector<SessionState> sessions_;
  sim::Histogram &latency_, &read_latency_, &write_latency_;
  std::uint64_t measured_ = 0;
  std::uint64_t pending_ = 0;
  bool measuring_ = false;
};

}  // namespace racksim::models
