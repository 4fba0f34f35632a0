// See connections.hpp.
#include "protocols/line_cache/connections.hpp"

namespace racksim::line_cache {

Connections::Connections(models::Server& server, const latched_memory::LineLayout& lines, unsigned threads,
                         unsigned compute_nodes)
    : server_(server), lines_(lines), threads_(threads), peers_(compute_nodes, nullptr) {
  std::size_t core = 0;
  for (Endpoint& thread : threads_) thread.core = &server.core(core++, "application");
  handler_.core = &server.core(core++, "handler");
  evictor_.core = &server.core(core, "evictor");
}

void Connections::connect(Connections& a, Connections& b) {
  const auto end_at = [](Connections& node, NodeId peer) {
    models::ReliableConnection*& end = node.peers_[peer];
    models::CompletionQueue& queue = *node.handler_.queue;
    if (end == nullptr) end = &node.server_.nic().create_reliable({.sent = queue, .received = queue});
    return end;
  };
  models::ReliableConnection *at_a = end_at(a, b.server_.node()), *at_b = end_at(b, a.server_.node());
  const models::Psn first = models::first_psn(a.server_.incarnation() + b.server_.incarnation());
  at_a->connect(b.server_.node(), at_b->number(), first);
  at_b->connect(a.server_.node(), at_a->number(), first);
  for (auto* end : {at_a, at_b}) end->post_receive(kReceives);
}

std::uint32_t Connections::register_buffers(std::uint64_t bytes, models::MemoryObserver& observer) {
  return server_.nic().memory().add({.begin = 0,
                                     .bytes = threads_.size() * bytes,
                                     .rights = {.read = false, .write = true, .atomic = false},
                                     .observers = {&observer},
                                     .stored = false});
}

}  // namespace racksim::line_cache
