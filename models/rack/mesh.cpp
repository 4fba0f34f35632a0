// Opening and joining. See mesh.hpp.
#include "models/rack/mesh.hpp"

#include <stdexcept>
#include <utility>

namespace racksim::models {

struct Mesh::Inbox final : CompletionHandler {
  Inbox(Mesh& m, unsigned t) : mesh(m), thread(t) {}
  void on_completion(const Completion& completion) override { mesh.seats_[thread].end->on_completion(completion); }
  Mesh& mesh;
  unsigned thread;
};

Mesh::Mesh(Rack& rack, Transport transport, RpcOptions options)
    : rack_(rack), transport_(transport), options_(options) {}

Mesh::~Mesh() = default;

unsigned Mesh::add(NodeId node, Core& core, RpcEnd::Handler handler) {
  if (!inboxes_.empty()) throw std::logic_error("a thread was added to a mesh that is connected");
  Seat seat;
  seat.node = node;
  seat.core = &core;
  seat.handler = std::move(handler);
  seats_.push_back(std::move(seat));
  return static_cast<unsigned>(seats_.size() - 1);
}

void Mesh::connect() {
  for (unsigned thread = 0; thread < seats_.size(); ++thread) open(thread);
  for (unsigned a = 0; a < seats_.size(); ++a) {
    for (unsigned b = a; b < seats_.size(); ++b) join(a, b);
  }
}

void Mesh::open(unsigned thread) {
  Seat& seat = seats_[thread];
  Server& server = rack_.server(seat.node);
  CompletionQueue& queue =
      server.nic().create_completion_queue(*seat.core, *inboxes_.emplace_back(std::make_unique<Inbox>(*this, thread)));
  ReceiveQueue& receives = server.nic().create_shared_receive_queue();
  const QueuePair::Queues queues{queue, queue, &receives};
  seat.end = std::make_unique<RpcEnd>(server.clock(), server.incarnation(), seat.handler, options_);
  if (transport_ == Transport::datagram) {
    seat.queue_pairs.assign(seats_.size(), &server.nic().create_datagram(queues));
  } else {
    for (std::size_t i = 0; i < seats_.size(); ++i) seat.queue_pairs.push_back(&server.nic().create_reliable(queues));
  }
}

RpcEnd::Peer Mesh::peer(unsigned thread, unsigned seen_by) const {
  return {seats_[thread].node, seats_[thread].queue_pairs[seen_by]->number()};
}

void Mesh::join(unsigned a, unsigned b) {
  for (const auto& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
    QueuePair& mine = *seats_[here].queue_pairs[there];
    if (transport_ == Transport::reliable) {
      static_cast<ReliableConnection&>(mine).connect(seats_[there].node, peer(there, here).qpn);
    }
    seats_[here].end->add(mine, peer(there, here));
    if (a == b) return;
  }
}

void Mesh::rejoin(NodeId node) {
  for (unsigned thread = 0; thread < seats_.size(); ++thread) {
    Seat& seat = seats_[thread];
    if (seat.node != node) continue;
    Server& server = rack_.server(node);
    seat.end = std::make_unique<RpcEnd>(server.clock(), server.incarnation(), seat.handler, options_);
    if (transport_ == Transport::datagram) static_cast<Datagram&>(*seat.queue_pairs[0]).restart();
  }
  for (unsigned a = 0; a < seats_.size(); ++a) {
    for (unsigned b = a; b < seats_.size(); ++b) {
      if (seats_[a].node == node || seats_[b].node == node) join(a, b);
    }
  }
}

unsigned Mesh::caller(unsigned callee, const RpcEnd::Call& call) const {
  for (unsigned thread = 0; thread < seats_.size(); ++thread) {
    if (peer(thread, callee) == call.from) return thread;
  }
  throw std::logic_error("a call from a thread that is not in the mesh");
}

sim::Task<std::optional<Content>> Mesh::call(unsigned from, unsigned to, RpcEnd::Message message,
                                             RpcEnd::Patience patience) {
  return end(from).call(peer(to, from), std::move(message), patience);
}

}  // namespace racksim::models
