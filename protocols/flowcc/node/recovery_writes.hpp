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
  void begin() {
    under_way_ = 0;
    failed_ = false;
    for (HeatReport& list : lists_) list.size = 0;
  }
  void write_home(const BlockData& block) {
    ++under_way_;
    endpoint_.write_block(shared_.home_of(block.tag), DataAddress::global_memory(block.tag), block, true, incarnation(),
                          0);
  }
  /// Writes a lock of this node into the log that `witness` keeps (lock_log.hpp).
  void write_log(NodeId witness, Tag tag, unsigned requester) {
    ++under_way_;
    endpoint_.write_log(witness, {tag, requester, true}, incarnation());
  }
  /// Adds a block to the list for a node, which is written to that address when it is full, or all is sent.
  void list(NodeId to, std::uint64_t address, const Heat& block) {
    HeatReport& blocks = lists_[to];
    blocks.blocks[blocks.size++] = block;
    if (blocks.size == HeatReport::kMost) send_list(to, address);
  }
  void send_lists(std::uint64_t address) {
    for (NodeId to = 0; to < lists_.size(); ++to) {
      if (lists_[to].size > 0) send_list(to, address);
    }
  }
  /// Whether all that the step has written has arrived.
  sim::Task<bool> all_written() {
    const std::uint32_t begun_in = incarnation();
    while (under_way_ > 0 && incarnation() == begun_in) co_await written_.wait();
    co_return under_way_ == 0 && !failed_;
  }

  /// One of the agent's WRITEs has ended.
  void completed(const models::Completion& completion) {
    if (under_way_ == 0 || completion.wr_id != incarnation()) return;  // not of this incarnation's steps
    failed_ = failed_ || completion.status != models::Status::success;
    if (--under_way_ == 0) written_.notify_all();
  }
  /// Whoever waits looks again: there is a new incarnation.
  void stop() { written_.notify_all(); }
  void crash() { under_way_ = 0; }

 private:
  std::uint32_t incarnation() const { return shared_.incarnations[endpoint_.node()]; }
  void send_list(NodeId to, std::uint64_t address) {
    ++under_way_;
    endpoint_.write_list(to, address, lists_[to], incarnation());
    lists_[to].size = 0;
  }

  Shared& shared_;
  Endpoint& endpoint_;
  sim::Signal written_;
  std::vector<HeatReport> lists_;  // by node
  std::uint64_t under_way_ = 0;
  bool failed_ = false;
};

}  // namespace racksim::flowcc
