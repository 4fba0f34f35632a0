// Opening and joining. See mesh.hpp.
#include "models/rack/mesh.hpp"

#include <stdexcept>
#include <utility>

namespace racksim::models {

struct Mesh::Inbox final : CompletionHandler {
  Inbox(Mesh& m, unsigned t) : mesh(m), thread(t) {}
  void on_completion(const Completion& completion) override { mesh.threads_[thread].end->on_completion(completion); }
  Mesh& mesh;
  unsigned thread;
};

Mesh::Mesh(Rack& rack, Transport transport, RpcOptions options)
    : rack_(rack), transport_(transport), options_(options) {}

Mesh::~Mesh() = default;

unsigned Mesh::add(NodeId node, Core& core, RpcEnd::Handler handler) {
  if (!inboxes_.empty()) throw std::logic_error("a thread was added to a mesh that is connected");
  Thread own;
  own.node = node;
  own.core = &core;
  own.handler = std::move(handler);
  threads_.push_back(std::move(own));
  return static_cast<unsigned>(threads_.size() - 1);
}

void Mesh::connect() {
  for (unsigned thread = 0; thread < threads_.size(); ++thread) open(thread);
  for (unsigned a = 0; a < threads_.size(); ++a) {
    for (unsigned b = a; b < threads_.size(); ++b) join(a, b);
  }
}

void Mesh::open(unsigned thread) {
  Thread& own = threads_[thread];
  Server& server = rack_.server(own.node);
  CompletionQueue& queue =
      server.nic().create_completion_queue(*own.core, *inboxes_.emplace_back(std::make_unique<Inbox>(*this, thread)));
  ReceiveQueue& receives = server.nic().create_shared_receive_queue();
  const QueuePair::Queues queues{queue, queue, &receives};
  own.end = std::make_unique<RpcEnd>(server.clock(), server.incarnation(), own.handler, options_);
  if (transport_ == Transport::datagram) {
    own.queue_pairs.assign(threads_.size(), &server.nic().create_datagram(queues));
  } else {
    for (std::size_t i = 0; i < threads_.size(); ++i) own.queue_pairs.push_back(&server.nic().create_reliable(queues));
  }
}

RpcEnd::Peer Mesh::peer(unsigned thread, unsigned seen_by) const {
  return {threads_[thread].node, threads_[thread].queue_pairs[seen_by]->number()};
}

void Mesh::join(unsigned a, unsigned b) {
  for (const auto& [here, there] : {std::pair(a, b), std::pair(b, a)}) {
    QueuePair& mine = *threads_[here].queue_pairs[there];
    if (transport_ == Transport::reliable) {
      static_cast<ReliableConnection&>(mine).connect(threads_[there].node, peer(there, here).qpn);
    }
    threads_[here].end->add(mine, peer(there, here));
    if (a == b) return;
  }
}

void Mesh::rejoin(NodeId node) {
  for (unsigned thread = 0; thread < threads_.size(); ++thread) {
    Thread& own = threads_[thread];
    if (own.node != node) continue;
    Server& server = rack_.server(node);
    own.end = std::make_unique<RpcEnd>(server.clock(), server.incarnation(), own.handler, options_);
    if (transport_ == Transport::datagram) static_cast<Datagram&>(*own.queue_pairs[0]).restart();
  }
  for (unsigned a = 0; a < threads_.size(); ++a) {
    for (unsigned b = a; b < threads_.size(); ++b) {
      if (threads_[a].node == node || threads_[b].node == node) join(a, b);
    }
  }
}

unsigned Mesh::caller(unsigned callee, const RpcEnd::Call& call) const {
  for (unsigned thread = 0; thread < threads_.size(); ++thread) {
    if (peer(thread, callee) == call.from) return thread;
  }
  throw std::logic_error("a call from a thread that is not in the mesh");
}

sim::Task<std::optional<Content>> Mesh::call(unsigned from, unsigned to, RpcEnd::Message message,
                                             RpcEnd::Patience patience) {
  return end(from).call(peer(to, from), std::move(message), patience);
}

}  // namespace racksim::models
