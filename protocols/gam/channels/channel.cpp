// Posting, merging, selective signalling, and queue pairs that are set up again. See channel.hpp.
#include "protocols/gam/channels/channel.hpp"

#include <fmt/core.h>

#include <span>
#include <utility>

namespace racksim::gam {

namespace {

/// To set up a queue pair anew after its retries ran out (assumed).
constexpr sim::Duration kReconnect = sim::Duration::from_ps(100'000'000);

/// Whether it consumes a receive: it is a message then, and counted by both ends.
bool is_message(const models::WorkRequest& request) {
  return request.opcode != models::Opcode::write;
}

}  // namespace

Channel::Channel(Shared& shared, NodeId self, NodeId peer, models::CompletionQueue& completions,
                 models::ReceiveQueue& receives)
    : shared_(shared), self_(self), peer_(peer), completions_(completions), receives_(receives) {
  open();
}

void Channel::open() {
  ++connections_;
  queue_pair_ = &server().nic().create_reliable({.sent = completions_, .received = completions_, .shared = &receives_});
}

void Channel::connect(Channel& a, Channel& b) {
  a.other_ = &b;
  b.other_ = &a;
  a.queue_pair_->connect(b.self_, b.queue_pair_->number());
  b.queue_pair_->connect(a.self_, a.queue_pair_->number());
}

models::WorkRequest Channel::work_request(std::span<const Message> messages) {
  models::WorkRequest request;
  request.operation = messages.front().operation;
  std::uint32_t bytes = 0;
  for (const Message& message : messages) bytes += wire_bytes(message.kind);
  request.bytes = bytes;
  request.content =
      messages.size() == 1 ? models::Content::of(messages.front()) : models::Content::of_bytes(std::as_bytes(messages));
  return request;
}

void Channel::send(const Message& message) {
  if (cut_) return;
  if (waiting_.empty() && !is_full()) return transmit(work_request({&message, 1}));
  ++shared_.counters.send_queue_waits.value;
  if (!waiting_.empty() && !waiting_.back().messages.empty()) {
    std::vector<Message>& last = waiting_.back().messages;
    std::uint64_t bytes = wire_bytes(message.kind);
    for (const Message& before : last) bytes += wire_bytes(before.kind);
    if (bytes <= options().merged_bytes) {
      ++shared_.counters.merged_messages.value;
      last.push_back(message);
      return;
    }
  }
  waiting_.push_back({{message}, {}});
}

void Channel::post(models::WorkRequest request) {
  if (cut_) return;
  if (waiting_.empty() && !is_full()) return transmit(std::move(request));
  ++shared_.counters.send_queue_waits.value;
  waiting_.push_back({{}, std::move(request)});
}

// The number of a signalled work request says how many end with it.
void Channel::transmit(models::WorkRequest request) {
  request.signalled = ++since_signalled_ == options().signal_every;
  request.wr_id = std::uint64_t{peer_} << kPeerShift | since_signalled_;
  if (request.signalled) since_signalled_ = 0;
  if (is_message(request)) ++sent_;
  posted_.push(std::move(request));
  queue_pair_->post(posted_.back());
}

void Channel::send_waiting() {
  while (!waiting_.empty() && !is_full()) {
    const Parcel parcel = std::move(waiting_.front());
    waiting_.pop_front();
    transmit(parcel.messages.empty() ? parcel.request : work_request(parcel.messages));
  }
}

void Channel::completed(const models::Completion& completion) {
  ++shared_.counters.completions.value;
  if (cut_ || completion.qpn != number()) return;  // of one that has been given up
  if (completion.status != models::Status::success) return fail();
  const std::uint64_t ended = completion.wr_id & ((std::uint64_t{1} << kPeerShift) - 1);
  for (std::uint64_t i = 0; i < ended; ++i) {
    if (is_message(posted_.front())) ++completed_messages_;
    posted_.pop();
  }
  send_waiting();
}

// Connections are managed out of band, as the public implementation does by TCP to its master: that takes its time and
// reaches both ends.
void Channel::fail() {
  if (failed_ || cut_) return;
  ++shared_.counters.reconnections.value;
  for (Channel* end : {this, other_}) {
    end->failed_ = true;
    end->drained_ = false;
    end->queue_pair_->cut_off(end->peer_);
  }
  server().clock().after<&Channel::set_up_again>(kReconnect, *this, connections_);
}

// What has come by the old queue pair is handled first, so that each end knows how much that is.
void Channel::set_up_again(std::uint64_t connection) {
  if (cut_ || other_->cut_ || connection != connections_) return;
  for (Channel* end : {this, other_}) {
    if (!end->server().is_on()) return;
    end->completions_.poller().run<&Channel::drained>(options().message, *end, end->connections_);
  }
}

void Channel::drained(std::uint64_t connection) {
  if (cut_ || other_->cut_ || connection != connections_) return;
  drained_ = true;
  if (!other_->drained_) return;
  for (Channel* end : {this, other_}) end->open();
  connect(*this, *other_);
  for (Channel* end : {this, other_}) end->resume();
}

void Channel::resume() {
  failed_ = false;
  const std::uint64_t known = other_->received_;
  while (completed_messages_ < known) {
    if (is_message(posted_.front())) ++completed_messages_;
    posted_.pop();
  }
  // What signalled the others may have gone: they are counted anew.
  models::ShortQueue<models::WorkRequest> again = std::exchange(posted_, {});
  since_signalled_ = 0;
  sent_ = completed_messages_;
  for (models::WorkRequest& request : again) transmit(std::move(request));
  send_waiting();
}

void Channel::crash() {
  cut();
  other_->cut_ = other_->cut_ || !options().logging;
}

void Channel::cut() {
  posted_.clear();
  waiting_.clear();
  since_signalled_ = sent_ = completed_messages_ = received_ = 0;
  cut_ = true;
}

void Channel::reconnect(Channel& a, Channel& b) {
  for (Channel* end : {&a, &b}) {
    end->cut();
    end->cut_ = end->failed_ = end->drained_ = false;
    end->open();
  }
  connect(a, b);
}

void Channel::add_waits(std::vector<sim::Wait>& waits) const {
  if (waiting_.empty() && !failed_) return;
  waits.push_back({.who = fmt::format("node{}", self_),
                   .whom = fmt::format("node{}", peer_),
                   .why = failed_ ? "a queue pair that is set up again" : "a full send queue"});
}

}  // namespace racksim::gam
