// See recovery_writes.hpp.
#include "protocols/flowcc/node/recovery_writes.hpp"

namespace racksim::flowcc {

void RecoveryWrites::begin() {
  under_way_ = 0;
  failed_ = false;
  for (HeatReport& list : lists_) list.size = 0;
}

void RecoveryWrites::write_home(const BlockData& block) {
  ++under_way_;
  endpoint_.write_block(shared_.home_of(block.tag), DataAddress::global_memory(block.tag), block, true, incarnation(),
                        0);
}

void RecoveryWrites::list(NodeId to, std::uint64_t address, const Heat& block) {
  HeatReport& blocks = lists_[to];
  blocks.blocks[blocks.size++] = block;
  if (blocks.size == HeatReport::kMost) send_list(to, address);
}

void RecoveryWrites::send_lists(std::uint64_t address) {
  for (NodeId to = 0; to < lists_.size(); ++to) {
    if (lists_[to].size > 0) send_list(to, address);
  }
}

void RecoveryWrites::send_list(NodeId to, std::uint64_t address) {
  ++under_way_;
  endpoint_.write_list(to, address, lists_[to], incarnation());
  lists_[to].size = 0;
}

sim::Task<bool> RecoveryWrites::all_written() {
  const std::uint32_t begun_in = incarnation();
  while (under_way_ > 0 && incarnation() == begun_in) co_await written_.wait();
  co_return under_way_ == 0 && !failed_;
}

void RecoveryWrites::completed(const models::Completion& completion) {
  if (under_way_ == 0 || completion.wr_id != incarnation()) return;  // not of this incarnation's steps
  failed_ = failed_ || completion.status != models::Status::success;
  if (--under_way_ == 0) written_.notify_all();
}

}  // namespace racksim::flowcc
