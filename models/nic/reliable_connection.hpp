// A reliable connection: verbs that are carried out once and in order over a network that loses packets.
//
// As RoCE v2 does it (InfiniBand specification, volume 1, chapter 9.7): a requester and a responder at each end, which
// number their packets apart (rc_requester.hpp, rc_responder.hpp).
#pragma once

#include <vector>

#include "models/nic/queue_pair.hpp"
#include "models/nic/rc_link.hpp"
#include "models/nic/rc_requester.hpp"
#include "models/nic/rc_responder.hpp"
#include "sim/record/wait.hpp"

namespace racksim::models {

/// Where the n-th connection of a pair of ends begins, from 0: too far from the one before for late packets of that.
constexpr Psn first_psn(std::uint32_t connection) {
  return Psn(std::uint64_t{connection} << 21);
}

/// One end of a connection.
class ReliableConnection final : public QueuePair, RcRequester::Owner, RcResponder::Owner {
 public:
  ReliableConnection(NicEngine& engine, Qpn number, const Queues& queues, Memory& memory, DmaWrites& dma_writes);

  /// Starts anew, at a sequence number that both ends must agree on. A late packet of an earlier connection would pass
  /// for one of this if the numbers were the same (ibv_modify_qp(3): rq_psn, sq_psn). Receives posted before the first
  /// connection count, as in ibverbs, where a queue pair takes them from state INIT on; those of an earlier connection
  /// are gone, as after a transition to RESET.
  void connect(NodeId remote, Qpn remote_number, Psn first = {});
  void receive(p4::PacketRef&& packet, sim::Time start) override;
  void power_off() override;
  void cut_off(NodeId remote) override;
  void add_waits(std::vector<sim::Wait>& waits) const override;

 private:
  bool take(const WorkRequest& request) override;
  void requester_failed() override;
  void responder_failed() override;
  ReceiveQueue& receive_queue() override { return receives(); }
  void reset(Psn first = {});

  RcLink link_;
  RcRequester requester_;
  RcResponder responder_;
};

}  // namespace racksim::models
