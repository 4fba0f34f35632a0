// The RC WRITEs of a recovery's steps on one node (node_recovery.hpp): blocks that go home, and lists of blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "protocols/flowcc/node/network.hpp"
#include "sim/kernel/waiting.hpp"

namespace racksim::flowcc {

class RecoveryWrites {
 public:
  /// By the cache agent's endpoint, which tells of completions.
  RecoveryWrites(Shared& shared, Endpoint& endpoint)
      : shared_(shared), endpoint_(endpoint), written_(shared.calendar), lists_(shared.shape.nodes) {}

  /// A step begins.
  void begin();
  void write_home(const BlockData& block);
  /// Adds a block to the list for a node, which is written to that address when it is full, or all is sent.
  void list(NodeId to, std::uint64_t address, const Heat& block);
  void send_lists(std::uint64_t address);
  /// Whether all that the step has written has arrived.
  sim::Task<bool> all_written();

  /// One of the agent's WRITEs has ended.
  void completed(const models::Completion& completion);
  /// Whoever waits looks again: there is a new incarnation.
  void stop() { written_.notify_all(); }
  void crash() { under_way_ = 0; }

 private:
  std::uint32_t incarnation() const { return shared_.incarnations[endpoint_.node()]; }
  void send_list(NodeId to, std::uint64_t address);

  Shared& shared_;
  Endpoint& endpoint_;
  sim::Signal written_;
  std::vector<HeatReport> lists_;  // by node
  std::uint64_t under_way_ = 0;
  bool failed_ = false;
};

}  // namespace racksim::flowcc
