// What a node sends to another (GAM §3.1, §3.2): one queue pair, of which one work request in r is signalled, and a
// list of what waits behind a full send queue, in which small messages that follow each other become one.
//
// Where the queue pair's retries run out although both ends live, it is set up anew: both ends give up the old one,
// agree out of band on how many messages each has received, and send what the other has not. So each message is
// handled once, in order.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "models/host/short_queue.hpp"
#include "models/nic/nic.hpp"
#include "protocols/gam/rules/messages.hpp"
#include "protocols/gam/rules/shared.hpp"

namespace racksim::gam {

class Channel final {
 public:
  /// From `self` to `peer`; completions of both directions go to this queue, receives come from that one.
  Channel(Shared& shared, NodeId self, NodeId peer, models::CompletionQueue& completions,
          models::ReceiveQueue& receives);
  /// Joins the two ends.
  static void connect(Channel& a, Channel& b);

  /// Sends a control message.
  void send(const Message& message);
  /// Posts a one-sided work request, in order with what was sent before.
  void post(models::WorkRequest request);

  /// Whose channel a completed work request belongs to.
  static NodeId peer_of(const models::Completion& completion) {
    return static_cast<NodeId>(completion.wr_id >> kPeerShift);
  }
  /// A work request has completed: with it all before it.
  void completed(const models::Completion& completion);
  /// A message has come.
  void received() { ++received_; }
  /// The number of the queue pair, as its completions have it.
  models::Qpn number() const { return queue_pair_->number(); }

  void crash();
  /// The peer is taken for dead: nothing goes to it any more.
  void cut();
  /// Joins two ends anew, with nothing on its way.
  static void reconnect(Channel& a, Channel& b);
  /// Whether the peer has received all that was sent, unless one of the two has crashed.
  bool quiescent() const {
    return cut_ || other_->cut_ || (waiting_.empty() && !failed_ && sent_ == other_->received_);
  }
  void add_waits(std::vector<sim::Wait>& waits) const;

 private:
  static constexpr unsigned kPeerShift = 32;  // below it, how many end with a work request

  /// What waits: control messages that go together, or another work request.
  struct Parcel {
    std::vector<Message> messages;
    models::WorkRequest request;
  };

  models::Server& server() const { return shared_.rack.server(self_); }
  const Options& options() const { return shared_.options; }
  bool is_full() const { return failed_ || posted_.size() >= options().send_depth; }
  void transmit(models::WorkRequest request);
  static models::WorkRequest work_request(std::span<const Message> messages);
  void send_waiting();
  void open();
  void fail();
  void set_up_again(std::uint64_t connection);
  void drained(std::uint64_t connection);
  void resume();

  Shared& shared_;
  NodeId self_, peer_;
  models::CompletionQueue& completions_;
  models::ReceiveQueue& receives_;
  models::ReliableConnection* queue_pair_ = nullptr;
  Channel* other_ = nullptr;                        // its end at the peer
  models::ShortQueue<models::WorkRequest> posted_;  // not known to have completed, oldest first
  std::deque<Parcel> waiting_;
  std::uint64_t since_signalled_ = 0;
  std::uint64_t sent_ = 0;                // messages that are, or have been, in `posted_`
  std::uint64_t completed_messages_ = 0;  // those that have left it
  std::uint64_t received_ = 0;            // messages from the peer
  bool failed_ = false, drained_ = false;
  bool cut_ = false;  // by a crash of either end
  std::uint64_t connections_ = 0;
};

}  // namespace racksim::gam
