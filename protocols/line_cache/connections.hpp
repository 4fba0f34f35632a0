// The cores of a compute node that caches lines, and its connections. Application threads are on the first cores, then
// a handler of what other nodes ask, then an evictor. The handlers of all nodes are joined with each other.
#pragma once

#include <cstdint>
#include <vector>

#include "models/nic/reliable_connection.hpp"
#include "models/rack/rack.hpp"
#include "protocols/latched_memory/memory_servers.hpp"

namespace racksim::line_cache {

using latched_memory::Endpoint;
using models::NodeId;

/// Receives that are kept posted on each queue pair that gets messages (published code of SELCC).
inline constexpr std::uint64_t kReceives = 128;

class Connections {
 public:
  Connections(models::Server& server, const latched_memory::LineLayout& lines, unsigned threads,
              unsigned compute_nodes);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Gives an endpoint its completion queue, and the queue pairs that `connect(queue)` opens to memory servers.
  template <class Connect>
  void open(Endpoint& endpoint, models::CompletionHandler& completions, Connect&& connect) {
    endpoint.queue = &server_.nic().create_completion_queue(*endpoint.core, completions);
    endpoint.to_memory = connect(*endpoint.queue);
  }
  std::vector<Endpoint>& threads() { return threads_; }
  Endpoint& handler() { return handler_; }
  Endpoint& evictor() { return evictor_; }
  /// Joins the handlers of two nodes, or joins them anew.
  static void connect(Connections& a, Connections& b);

  models::Server& server() const { return server_; }
  unsigned thread_count() const { return static_cast<unsigned>(threads_.size()); }
  models::Core& core_of(unsigned thread) const { return *threads_[thread].core; }
  models::Core& handler_core() const { return *handler_.core; }
  models::Core& evictor_core() const { return *evictor_.core; }

  // Queue pairs to the memory server of a line, and to another node.
  models::ReliableConnection& of_thread(unsigned thread, sim::Key line) const { return to(threads_[thread], line); }
  models::ReliableConnection& of_handler(sim::Key line) const { return to(handler_, line); }
  models::ReliableConnection& of_evictor(sim::Key line) const { return to(evictor_, line); }
  models::ReliableConnection& to_peer(NodeId node) const { return *peers_[node]; }

  /// Registers a buffer for each thread, in which others answer it; returns their key. Nothing is stored there.
  std::uint32_t register_buffers(std::uint64_t bytes, models::MemoryObserver& observer);

 private:
  models::ReliableConnection& to(const Endpoint& endpoint, sim::Key line) const {
    return *endpoint.to_memory[lines_.server_of(line)];
  }

  models::Server& server_;
  const latched_memory::LineLayout& lines_;
  std::vector<Endpoint> threads_;
  Endpoint handler_, evictor_;
  std::vector<models::ReliableConnection*> peers_;  // by compute node, of the handler; null for itself
};

}  // namespace racksim::line_cache
