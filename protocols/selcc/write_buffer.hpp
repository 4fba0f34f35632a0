// The write buffer of an application thread in SELCC's relaxed mode (§6.1): its writes return at once and are performed
// later, in their order, so that the latency of misses is hidden. What others see is then total store order instead of
// linearizability.
//
// The paper names the mode and leaves the buffer open; here it is a FIFO whose head is performed at its deadline, or as
// soon as the buffer is full, or somebody waits for it to be empty: a latch, an atomic, a fence.
#pragma once

#include <cstdint>
#include <deque>

#include "protocols/selcc/compute_node.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::selcc {

class WriteBuffer {
 public:
  struct Write {
    sim::OperationId operation = 0;
    models::MemoryAccess access{};
    sim::Value value = 0;  ///< of its first object
    sim::Time put{};
  };

  WriteBuffer(ComputeNode& node, unsigned thread, const Options& options, sim::Clock& clock);

  /// Ends when the write has a place in the buffer.
  sim::Task<void> put(models::MemoryAccess access, sim::Value value, sim::OperationId operation);
  /// Copies what the newest writes that wait here write to objects, and returns of how many there is one: a thread reads
  /// its own.
  std::uint32_t copy_newest(models::MemoryAccess access, std::span<sim::Value> values) const;
  /// Ends when all that was put before has been performed.
  sim::Task<void> drain();

  bool empty() const { return writes_.empty(); }
  const std::deque<Write>& writes() const { return writes_; }
  /// Its node has crashed: what waits is lost.
  void crash();
  /// Its node has started again.
  void begin() { tasks_.spawn(perform_in_order()); }

 private:
  sim::Task<void> perform_in_order();
  void head_is_due(std::uint64_t);

  ComputeNode& node_;
  unsigned thread_;
  const Options& options_;
  sim::Clock& clock_;
  std::deque<Write> writes_;
  bool urgent_ = false;  // until it is empty
  bool due_ = false;     // the head is
  sim::Signal wanted_, moved_;
  sim::EventId timer_;
  sim::Scope tasks_;
};

}  // namespace racksim::selcc
