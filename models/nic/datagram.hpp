// An unreliable datagram queue pair: messages of one packet to any queue pair, or to all that are attached to a
// multicast group, which may be lost, late or twice there (InfiniBand specification, volume 1, chapters 9.8.3
// and 10.5). A message that finds no posted receive is dropped. In its receive it stands behind the global route header,
// which needs room there and crosses PCIe with it.
#pragma once

#include "models/host/short_queue.hpp"
#include "models/nic/queue_pair.hpp"

namespace racksim::models {

class Datagram final : public QueuePair, SendListener {
 public:
  Datagram(NicEngine& engine, Qpn number, const Queues& queues);

  /// Makes it ready again after an error or a crash.
  void restart() { set_state(State::ready); }
  void receive(p4::PacketRef&& packet, sim::Time start) override;
  void power_off() override;

 private:
  bool take(const WorkRequest& request) override;
  /// Whether the send queue has room, once it has forgotten what is on the wire and is to make no completion.
  bool has_room();
  void leaves(sim::Time when) override;
  void completed(std::uint64_t generation);

  SendOrder order_{engine(), this, number() - kFirstRdmaQpn};
  sim::Lane lane_;
  struct Sending {
    std::uint64_t wr_id;
    Opcode opcode;
    bool signalled;
    sim::Time left = sim::Time::max();  // when its last bit is on the wire, once that is known
  };
  // Posted, and not known to be on the wire: one without a completion is forgotten when there is a reason to look, so
  // that it takes no event to leave.
  ShortQueue<Sending> sending_;
  std::size_t leaving_ = 0;  // the first of them, of which it is known when they leave
};

}  // namespace racksim::models
