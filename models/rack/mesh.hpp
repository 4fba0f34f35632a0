// A mesh of queue pairs between the threads of a rack, for calls (nic/rpc.hpp): what protocols whose nodes talk to each
// other need, and three wrote for themselves.
//
// Over reliable connections each two threads have a connection of their own; over datagrams each thread has one queue
// pair for all. Threads are known by their number in the mesh.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/nic/rpc.hpp"
#include "models/rack/rack.hpp"

namespace racksim::models {

class Mesh {
 public:
  enum class Transport : std::uint8_t { reliable, datagram };

  Mesh(Rack& rack, Transport transport, RpcOptions options = {});
  ~Mesh();
  Mesh(const Mesh&) = delete;
  Mesh& operator=(const Mesh&) = delete;

  /// Adds a thread, which runs on this core of the node and answers calls, and returns its number. Before `connect`.
  unsigned add(NodeId node, Core& core, RpcEnd::Handler handler);
  /// Opens the queue pairs and joins all with all.
  void connect();
  /// After a node has crashed and come back: its threads begin anew as another incarnation, and its connections are
  /// joined again. Calls to it that were under way end when their patience does.
  void rejoin(NodeId node);

  std::size_t size() const { return threads_.size(); }
  NodeId node_of(unsigned thread) const { return threads_.at(thread).node; }
  RpcEnd& end(unsigned thread) { return *threads_.at(thread).end; }
  /// Whose call it is.
  unsigned caller(unsigned callee, const RpcEnd::Call& call) const;
  /// Calls another thread, as RpcEnd::call.
  sim::Task<std::optional<Content>> call(unsigned from, unsigned to, RpcEnd::Message message,
                                         RpcEnd::Patience patience);

 private:
  struct Thread {
    NodeId node = 0;
    Core* core = nullptr;
    RpcEnd::Handler handler;
    std::unique_ptr<RpcEnd> end;
    std::vector<QueuePair*> queue_pairs;  // by the other thread; over datagrams one and the same
  };
  /// Completions of a thread's queue pairs, whichever incarnation it is.
  struct Inbox;
  void open(unsigned thread);
  void join(unsigned a, unsigned b);
  RpcEnd::Peer peer(unsigned thread, unsigned seen_by) const;

  Rack& rack_;
  Transport transport_;
  RpcOptions options_;
  std::vector<Thread> threads_;
  std::vector<std::unique_ptr<Inbox>> inboxes_;
};

}  // namespace racksim::models
