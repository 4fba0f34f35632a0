// A queue pair: a send queue whose work requests a transport carries out, and receives for what comes.
//
// What an error does is what ibverbs documents: the work request completes with its status, the queue pair goes to the
// error state, and everything else in its queues, now or later, completes as flushed, until it is connected anew.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/nic/completion_queue.hpp"
#include "models/nic/nic_engine.hpp"
#include "models/nic/receive_queue.hpp"
#include "models/nic/verbs.hpp"
#include "sim/record/wait.hpp"

namespace racksim::models {

class QueuePair {
 public:
  enum class State : std::uint8_t { reset, ready, error };
  struct Queues {
    CompletionQueue& sent;
    CompletionQueue& received;
    ReceiveQueue* shared = nullptr;  ///< instead of receives of its own
  };

  virtual ~QueuePair() = default;
  QueuePair(const QueuePair&) = delete;
  QueuePair& operator=(const QueuePair&) = delete;

  Qpn number() const { return number_; }
  State state() const { return state_; }

  /// Posts work requests, in their order, with one doorbell: the core that polls the completions spends CpuCosts::post
  /// on the first and CpuCosts::post_more on each other. Returns how many were taken: those beyond a full send queue
  /// (NicOptions::send_queue) are not, and make no completion, as ENOMEM of ibv_post_send. In the error state they
  /// complete as flushed. Throws std::logic_error before the queue pair is ready.
  std::size_t post(std::span<const WorkRequest> requests);
  /// The same of one. False if the queue is full.
  bool post(const WorkRequest& request) { return post(std::span(&request, 1)) == 1; }
  /// Posts receives, at any time. Those of a shared queue are posted there. In the error state they complete as
  /// flushed.
  void post_receive(std::uint64_t count = 1, Receive receive = {});

  /// Adds the work requests that have not been completed because another node has not answered.
  virtual void add_waits(std::vector<sim::Wait>& waits) const { static_cast<void>(waits); }

  /// A packet for it starts in the receive engine at `start`.
  virtual void receive(p4::PacketRef&& packet, sim::Time start) = 0;
  /// A crash of its node: forgets everything but its existence.
  virtual void power_off() = 0;
  /// Ends its connection if it is to that node: the queue pair goes to the error state, as by ibv_modify_qp(3), and
  /// nothing that still comes from there is carried out.
  virtual void cut_off(NodeId remote) { static_cast<void>(remote); }

 protected:
  QueuePair(NicEngine& engine, Qpn number, const Queues& queues) : engine_(engine), number_(number), queues_(queues) {}

  /// Takes one of a list; false if there is no room.
  virtual bool take(const WorkRequest& request) = 0;

  NicEngine& engine() const { return engine_; }
  CompletionQueue& sent() const { return queues_.sent; }
  CompletionQueue& received() const { return queues_.received; }
  ReceiveQueue& receives() { return queues_.shared ? *queues_.shared : own_receives_; }
  void clear_own_receives() { own_receives_.clear(); }
  void set_state(State state) { state_ = state; }
  /// Goes to the error state, in which receives of its own complete as flushed.
  void enter_error();
  /// Completes a work request in error, now.
  void complete_in_error(const WorkRequest& request, Status status);

 private:
  void flush(const Receive& receive);

  NicEngine& engine_;
  Qpn number_;
  Queues queues_;
  ReceiveQueue own_receives_;
  State state_ = State::reset;
};

}  // namespace racksim::models
