// An application thread of SEL: its queue pairs to the memory servers, the batch that it waits for, and the latches
// that it holds.
#pragma once

#include <vector>

#include "models/nic/verbs.hpp"
#include "protocols/sel/sel.hpp"

namespace racksim::sel {

/// An application thread's queue pairs, and the batch that it waits for.
class Sel::Thread final : public models::MemoryPort, models::CompletionHandler {
 public:
  Thread(Sel& sel, models::Session session)
      : sel_(sel),
        session_(session),
        core_(sel.rack_.server(session.node).core(session.thread, "application")),
        done_(sel.calendar()) {
    models::Nic& nic = sel.rack_.server(session.node).nic();
    queue_pairs_ = sel.lines_.connect(nic, nic.create_completion_queue(core_, *this));
  }

  sim::Task<void> read(models::MemoryAccess access, std::span<sim::Value> values, sim::OperationId operation) override;
  sim::Task<void> write(models::MemoryAccess access, sim::Value value, sim::OperationId operation) override;
  sim::Task<void> lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override;
  sim::Task<bool> try_lock(sim::Key line, models::LockMode mode, sim::OperationId operation) override;
  sim::Task<void> unlock(sim::Key line, sim::OperationId operation) override;

  /// The latches that it holds over several accesses.
  const std::vector<Held>& latched() const { return latched_; }
  /// The one of a line; null if it holds none.
  Held* held(sim::Key line);
  bool idle() const { return under_way_ == 0; }
  void crash() {
    under_way_ = 0;
    latched_.clear();
  }

 private:
  sim::Task<void> acquire(sim::Key line, bool exclusive, sim::OperationId operation);
  /// Takes the latch, with the turn at hand, in so many attempts or, of 0, as many as it takes; returns whether it has.
  sim::Task<bool> attempt(sim::Key line, bool exclusive, std::uint64_t attempts, sim::OperationId operation);
  sim::Task<void> release(sim::Key line, sim::OperationId operation);
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
  void on_completion(const models::Completion& completion) override {
    if (completion.status != models::Status::success) return;  // whoever waits is stuck
    if (completion.opcode == models::Opcode::read) line_.load(completion.content.bytes().subspan(8));
    if (completion.opcode == models::Opcode::fetch_add || completion.opcode == models::Opcode::compare_swap) {
      word_ = completion.old_value;
    }
    if (--under_way_ == 0) done_.notify_all();
  }

  Sel& sel_;
  models::Session session_;
  models::Core& core_;
  std::vector<models::ReliableConnection*> queue_pairs_;  // by memory server
  std::size_t under_way_ = 0;
  sim::Signal done_;
  std::uint64_t word_ = 0;         // that the batch's atomic has found
  latched_memory::LineData line_;  // that its READ has brought
  std::vector<Held> latched_;
};

}  // namespace racksim::sel
