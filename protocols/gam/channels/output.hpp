// What a piece of the worker's work does to the outside (messages, ends of requests), held back until what it has
// logged is durable (GAM §5: "DLOG ... before writing data", "OLOG ... before each ownership transfer").
//
// The worker writes its log itself and does nothing meanwhile, so what it changes inside of its node may be changed at
// once: nobody sees it. A crash in between takes all of it: the change, the entry and what was held back.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "models/nic/verbs.hpp"
#include "models/service/protocol.hpp"
#include "protocols/gam/channels/channel.hpp"
#include "protocols/gam/log/log_writer.hpp"
#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/request.hpp"
#include "protocols/gam/rules/shared.hpp"
#include "sim/record/history.hpp"

namespace racksim::gam {

/// The worker, as far as requests of its node's threads are concerned.
class OutputHost {
 public:
  /// A request is over, and its thread has its answer.
  virtual void request_over(Request& request) = 0;
  /// Carries out the requests that ended ones have held back.
  virtual void run_ready() = 0;

 protected:
  ~OutputHost() = default;
};

/// A write that is performed, with this value of its first object.
struct HeldWrite {
  sim::OperationId operation = 0;
  models::MemoryAccess access;
  sim::Value value = 0;
};

class Output final : LogHost {
 public:
  Output(Shared& shared, NodeId self, models::Core& core, OutputHost& host);

  /// Opens the channel to a node, whose completions and messages come to these queues.
  void open_channel(NodeId peer, models::CompletionQueue& completions, models::ReceiveQueue& receives);
  /// Joins two nodes.
  static void connect(Output& a, Output& b);

  NodeId self() const { return self_; }
  models::Core& core() { return core_; }
  LogWriter& log() { return log_; }
  const LogWriter& log() const { return log_; }
  Channel& channel(NodeId peer) { return *channels_[peer]; }

  // What becomes of requests.
  /// Carries out an access on data that have `value`, `set` and `for_each`: it is performed now. `counter` is that of
  /// the ownership under which it writes.
  template <class Data>
  void perform(Request& request, Data& data, std::uint32_t counter) {
    bool wrote = false;
    const sim::Value before = apply(request, data, wrote);
    // An atomic operation that writes nothing is logged too: the entry says that the node has had the line.
    if (request.is_exclusive()) log_.log_line(request.line, data, counter);
    if (wrote) performed(request, data.value(request.object));  // of an atomic operation not what it asked for
    finish(request, before, true);
  }
  void grant(Request& request) { finish(request, 0, true); }
  void refuse(Request& request) { finish(request, 0, false); }
  void run_ready() { host_.run_ready(); }

  /// For oracles: what the node may do with a line from now on.
  void record(sim::Key line, sim::OperationId operation, sim::Permission permission) const {
    shared_.permissions.set(self_, shared_.object_of(line, 0), permission, operation);
  }

  // What goes to other nodes, by the channel to them. With logging the counter of an ownership goes along, if there is
  // one.
  void send(NodeId to, const Message& message);
  void notify(NodeId to, const Immediate& immediate, sim::OperationId operation,
              std::optional<std::uint32_t> counter = {});
  void send_line(NodeId to, const models::RemoteAddress& at, const models::Content& bytes, const Immediate& immediate,
                 sim::OperationId operation, std::optional<std::uint32_t> counter = {});
  /// A line into a landing buffer of its home.
  void send_write_back(NodeId home, std::uint32_t buffer, sim::Key line, const LineData& data,
                       const Immediate& immediate);
  /// A line into its home's memory, without notification.
  void write_line(sim::Key line, const LineData& data);

  // Other nodes that fail (recovery.hpp).
  /// What the other has sent and is not handled is to be dropped, and nothing more is sent.
  void cut_off(NodeId lost);
  /// Whether its channel is cut, and recovery has not been yet.
  bool is_cut_off(NodeId node) const { return cut_off_[node]; }
  /// Whether one ever was, or it comes back itself: late answers to what was given up are to be expected.
  bool has_cut_off() const { return has_cut_off_; }
  /// Joins two nodes again, one of which comes back.
  static void reconnect(Output& a, Output& b);
  /// Its own node comes back.
  void come_back();

  void crash();
  bool quiescent() const;
  void add_waits(std::vector<sim::Wait>& waits) const;

 private:
  struct HeldMessage {
    NodeId to = 0;
    Message message;
  };
  struct HeldPost {
    NodeId to = 0;
    models::WorkRequest request;
  };
  /// A request that is over.
  struct HeldEnd {
    Request* request = nullptr;
    sim::Value value = 0;
    bool granted = false;
  };

  void logged() override;
  template <class Held>
  void put(Held held) {
    if (log_.holds_back()) return held_back_.emplace_back(std::move(held)), void();
    let_out(held);
  }
  void performed(const Request& request, sim::Value value);
  void finish(Request& request, sim::Value value, bool granted) { put(HeldEnd{&request, value, granted}); }
  void write_with_immediate(NodeId to, const models::RemoteAddress& at, const models::Content& content,
                            const Immediate& immediate, sim::OperationId operation);
  models::Content with_counter(const models::Content& line, std::uint32_t counter) const;
  void let_out(const HeldMessage& held) { channels_[held.to]->send(held.message); }
  void let_out(HeldPost& held) { channels_[held.to]->post(std::move(held.request)); }
  void let_out(const HeldWrite& held) { shared_.memory.performed(held.operation, held.access, held.value); }
  void let_out(const HeldEnd& held);

  Shared& shared_;
  NodeId self_;
  models::Core& core_;
  OutputHost& host_;
  LogWriter log_;
  std::vector<std::unique_ptr<Channel>> channels_;  // by peer; null for itself
  std::deque<std::variant<HeldMessage, HeldPost, HeldWrite, HeldEnd>> held_back_;
  std::vector<bool> cut_off_;  // by node
  bool has_cut_off_ = false;
};

}  // namespace racksim::gam
