// Connecting, and what an error of one half does to the other. See reliable_connection.hpp.
#include "models/nic/reliable_connection.hpp"

#include <fmt/core.h>

#include <utility>

namespace racksim::models {

ReliableConnection::ReliableConnection(NicEngine& engine, Qpn number, const Queues& queues, Memory& memory,
                                       DmaWrites& dma_writes)
    : QueuePair(engine, number, queues),
      link_{engine, number},
      requester_(link_, memory, sent(), *this,
                 engine.calendar().add_lane(fmt::format("node{}/nic/rc{}", engine.node(), number))),
      responder_(link_, memory, dma_writes, received(), *this) {}

void ReliableConnection::connect(NodeId remote, Qpn remote_number, Psn first) {
  if (state() != State::reset) clear_own_receives();
  reset(first);
  link_.remote = remote;
  link_.remote_number = remote_number;
  set_state(State::ready);
}

void ReliableConnection::reset(Psn first) {
  requester_.reset(first);
  responder_.reset(first);
}

void ReliableConnection::power_off() {
  reset();
  clear_own_receives();
  set_state(State::reset);
}

void ReliableConnection::cut_off(NodeId remote) {
  if ((state() != State::ready && !responder_.has_refused()) || link_.remote != remote) return;
  requester_.flush();
  responder_.flush();
  responder_.reset();
  enter_error();
}

void ReliableConnection::add_waits(std::vector<sim::Wait>& waits) const {
  if (requester_.outstanding() == 0) return;
  waits.push_back({.who = fmt::format("queue pair {} of node{}", number(), engine().node()),
                   .whom = fmt::format("node{}", link_.remote),
                   .why = fmt::format("{} work requests without an answer", requester_.outstanding())});
}

bool ReliableConnection::take(const WorkRequest& request) {
  return requester_.take(request);
}

void ReliableConnection::receive(p4::PacketRef&& packet, sim::Time start) {
  const auto opcode = static_cast<RcOpcode>(packet->get<Bth>().opcode);
  const bool response =
      opcode == RcOpcode::acknowledge || opcode == RcOpcode::atomic_acknowledge || is_read_response(opcode);
  const bool answers_again = !response && responder_.has_refused();
  if (state() != State::ready && !answers_again) return engine().drop(*packet, DropReason::no_queue_pair);
  if (response) {
    requester_.receive(std::move(packet), start);
  } else {
    responder_.receive(std::move(packet), start);
  }
}

void ReliableConnection::requester_failed() {
  responder_.flush();
  enter_error();
}

void ReliableConnection::responder_failed() {
  enter_error();
  requester_.flush();
}

}  // namespace racksim::models
