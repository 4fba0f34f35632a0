// An application thread of SEL: its queue pairs to the memory servers, the batch that it waits for, and the latches
// that it holds.
#pragma once

#include <vector>

#include "models/nic/verbs.hpp"
#include "protocols/sel/sel.hpp"

namespace racksim::sel {

/// An application thread's queue pairs, and the batch that it waits for.
class Sel::Thread final : models::CompletionHandler {
 public:
  Thread(Sel& sel, models::Session session)
      : sel_(sel), core_(sel.rack_.server(session.node).core(session.thread)), done_(sel.calendar()) {
    models::Nic& nic = sel.rack_.server(session.node).nic();
    queue_pairs_ = sel.lines_.connect(nic, nic.create_completion_queue(core_, *this));
  }

  models::Core& core() const { return core_; }
  /// Posts a batch and waits until all of it has completed.
  sim::Task<void> carry_out(std::size_t server, std::vector<models::WorkRequest> batch) {
    for (const models::WorkRequest& request : batch) {
      Counters& counters = sel_.counters_;
      ++(request.opcode == models::Opcode::read           ? counters.reads
         : request.opcode == models::Opcode::write        ? counters.writes
         : request.opcode == models::Opcode::compare_swap ? counters.swaps
                                                          : counters.adds)
            .value;
    }
    under_way_ += batch.size();
    queue_pairs_[server]->post(batch);
    while (under_way_ > 0) co_await done_.wait();
  }
  bool idle() const { return under_way_ == 0; }
  void crash() {
    under_way_ = 0;
    held.clear();
  }

  std::uint64_t word = 0;         ///< that the batch's atomic has found
  latched_memory::LineData line;  ///< that its READ has brought
  std::vector<Held> held;

 private:
  void on_completion(const models::Completion& completion) override {
    if (completion.status != models::Status::success) return;  // whoever waits is stuck
    if (completion.opcode == models::Opcode::read) line.load(completion.content.bytes().subspan(8));
    if (completion.opcode == models::Opcode::fetch_add || completion.opcode == models::Opcode::compare_swap) {
      word = completion.old_value;
    }
    if (--under_way_ == 0) done_.notify_all();
  }

  Sel& sel_;
  models::Core& core_;
  std::vector<models::ReliableConnection*> queue_pairs_;  // by memory server
  std::size_t under_way_ = 0;
  sim::Signal done_;
};

}  // namespace racksim::sel
