// A completion queue: completions that the NIC has written to host memory, polled by one core (ibv_poll_cq(3)).
//
// Each costs the core what CpuCosts says: `completion` for a work request, `receive` for a message. A poll takes all
// that is there and costs `poll` besides: whatever comes while the core is busy shares one. Polls that find nothing
// fill the time in which there is nothing else to do; that one may be under way when something comes is not modelled.
// Raw packets come the same way, as their receive ring is polled.
//
// A core may wait for events instead (ibv_req_notify_cq(3)): when it has nothing to do it sleeps, and the completion
// that finds it so wakes it up, which takes its time. While it works it sees completions without that.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/host/core.hpp"
#include "models/nic/nic_engine.hpp"
#include "models/nic/verbs.hpp"

namespace racksim::models {

class CompletionQueue {
 public:
  /// Polled by `poller`, which calls the handler. Both must outlive the run.
  CompletionQueue(NicEngine& engine, Core& poller, CompletionHandler& handler)
      : engine_(engine), poller_(poller), handler_(handler) {}
  CompletionQueue(const CompletionQueue&) = delete;
  CompletionQueue& operator=(const CompletionQueue&) = delete;

  /// Of an entry, which crosses PCIe (mlx5's, for 64-byte cache lines).
  static constexpr std::uint32_t kEntryBytes = 64;

  Core& poller() const { return poller_; }

  /// From now on each message costs so much more: what the handler does with it.
  void handle_in(sim::Duration handling) { handling_ = handling; }
  /// From now on the core sleeps when it has nothing to do, and wakes up in this time.
  void wait_for_events(sim::Duration wake_up) { wake_up_ = wake_up; }

  /// For transports: a completion that is in host memory at `ready`. Of a received message also its packet, whose life
  /// ends when it is polled.
  void push(sim::Time ready, Completion completion, p4::PacketRef&& packet = {});

  /// The same of what has ended in error, which the NIC knows now: behind all completions that it has written before.
  void push_error(Qpn qpn, std::uint64_t wr_id, Opcode opcode, Status status);

  /// A crash: what was not polled is lost.
  void power_off();
  /// Packets of messages that have not been polled.
  std::uint64_t packets_held() const { return packets_; }

 private:
  struct Entry {
    Completion completion;
    p4::PacketRef packet;
    sim::Time ready;
    bool used = false;
  };
  void notify(std::uint32_t slot, std::uint64_t generation);
  void poll(std::uint32_t slot, std::uint64_t generation);
  /// What a poll costs if the last one was too early for the entry.
  sim::Duration poll_for(std::uint32_t slot, std::uint64_t generation) const;
  void serve_at(sim::Time ready, sim::Duration cost, std::uint32_t slot, std::uint64_t generation);
  sim::Duration cost_of(std::uint32_t slot) const {
    return entries_[slot].completion.opcode == Opcode::receive ? engine_.costs().receive + handling_
                                                               : engine_.costs().completion;
  }

  NicEngine& engine_;
  Core& poller_;
  CompletionHandler& handler_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::uint64_t packets_ = 0;
  sim::Time last_poll_ = sim::Time::beginning();
  sim::Duration handling_;
  std::optional<sim::Duration> wake_up_;  // none: the core polls
};

}  // namespace racksim::models
