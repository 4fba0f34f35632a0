// How control messages go from node to node: in order, each once, whatever the network loses.
//
// ccKVS has nothing of the kind. Here each node has one more datagram queue pair, polled by its first cache thread, and
// a remote procedure call (models/nic/rpc.hpp) carries what has gathered for a node; the next one goes when that has
// been answered. So the sender knows, too, when a message has been dealt with.
#pragma once

#include <memory>
#include <vector>

#include "models/host/short_queue.hpp"
#include "models/rack/mesh.hpp"
#include "protocols/cckvs/threads/control_messages.hpp"
#include "protocols/cckvs/threads/shared.hpp"
#include "sim/kernel/task.hpp"

namespace racksim::cckvs {

/// A node's end of all channels.
class ControlHandler {
 public:
  virtual void control_came(NodeId from, const ControlMessage& message) = 0;
  /// What this node has sent has been dealt with.
  virtual void control_delivered(NodeId to, const ControlMessage& message) = 0;

 protected:
  ~ControlHandler() = default;
};

class ControlChannels {
 public:
  /// `handling` is what a message costs the core that it comes to.
  ControlChannels(Shared& shared, sim::Duration patience, sim::Duration handling);
  /// Opens the queue pairs; handlers are by node.
  void connect(std::vector<ControlHandler*> handlers);

  void send(NodeId from, NodeId to, const ControlMessage& message);

  /// Whether all that was sent has been dealt with.
  bool idle() const;
  void add_waits(std::vector<sim::Wait>& waits) const;
  void crash(NodeId node);

 private:
  struct Channel {
    models::ShortQueue<ControlMessage> waiting;
    ControlBatch under_way;
    bool is_sending = false;
  };
  Channel& channel(NodeId from, NodeId to) { return channels_[from * shared_.nodes() + to]; }
  void came(NodeId node, const models::RpcEnd::Call& call);
  sim::Task<void> send_waiting(NodeId from, NodeId to);

  Shared& shared_;
  models::RpcEnd::Patience patience_;
  sim::Duration handling_;
  std::vector<ControlHandler*> handlers_;
  models::Mesh mesh_;
  std::vector<Channel> channels_;
  std::vector<std::unique_ptr<sim::Scope>> tasks_;  // by sender
};

}  // namespace racksim::cckvs
