// Windows, numbers and repeated requests. See rpc.hpp.
#include "models/nic/rpc.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

#include "sim/kernel/invariant.hpp"

namespace racksim::models {

namespace {

// Numbers of 31 bits, of which fewer than half are between any two that meet.
std::int32_t distance(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>((a - b) << 1) >> 1;
}

}  // namespace

RpcEnd::RpcEnd(sim::Clock& clock, std::uint32_t incarnation, Handler handler, RpcOptions options)
    : clock_(clock), incarnation_(incarnation), handler_(std::move(handler)), options_(options) {
  if (!std::has_single_bit(options.window) || options.window > 256) {
    throw std::invalid_argument(fmt::format("a window of {} calls: expected a power of two up to 256", options.window));
  }
}

void RpcEnd::add(QueuePair& queue_pair, Peer peer) {
  const auto [found, fresh] = links_.try_emplace(peer);
  Link& link = found->second;
  link.queue_pair = &queue_pair;
  if (fresh) {
    link.slots.assign(options_.window, false);
    link.rounds.assign(options_.window, 0);
    link.executed.assign(options_.window, {});
    link.free.emplace(clock_.calendar());
  }
  Listening& listening =
      queue_pairs_.try_emplace(queue_pair.number(), Listening{&queue_pair, options_.receives}).first->second;
  queue_pair.post_receive(std::exchange(listening.missing, 0));
}

sim::Task<std::optional<Content>> RpcEnd::call(Peer peer, Message message, Patience patience) {
  const auto found = links_.find(peer);
  if (found == links_.end()) {
    throw std::logic_error(fmt::format("no queue pair leads to {} of node {}", peer.qpn, peer.node));
  }
  Link& link = found->second;
  while (link.under_way == options_.window) co_await link.free->wait();
  // Gives the slot back, also when the task is destroyed.
  struct Slot {
    Slot(RpcEnd& end, Link& to, Peer called) : rpc(end), link(to), peer(called), waiting(end.clock_.calendar()) {
      slot = static_cast<std::uint32_t>(std::find(link.slots.begin(), link.slots.end(), false) - link.slots.begin());
      RACKSIM_INVARIANT(slot < rpc.options_.window && link.under_way < rpc.options_.window,
                        "a window has a slot for each call under way");
      link.slots[slot] = true;
      ++link.under_way;
      number = ((rpc.incarnation_ << kCounterBits) + link.rounds[slot]++ * rpc.options_.window + slot) & ~kReply;
      rpc.waiting_[{peer, number}] = &waiting;
    }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    ~Slot() {
      rpc.waiting_.erase({peer, number});
      link.slots[slot] = false;
      --link.under_way;
      link.free->notify_all();
    }
    RpcEnd& rpc;
    Link& link;
    Peer peer;
    Waiting waiting;
    std::uint32_t slot = 0, number = 0;
  };
  Slot slot(*this, link, peer);
  for (std::uint32_t attempt = 0; attempt < patience.attempts && !slot.waiting.reply; ++attempt) {
    ++attempts_;
    send(link, peer, slot.number, message);
    co_await slot.waiting.answered.wait_for(clock_, patience.timeout);
  }
  co_return std::move(slot.waiting.reply);
}

void RpcEnd::reply(const Call& call, Message message) {
  Link& link = links_.at(call.from);
  Executed& executed = link.executed[call.number % options_.window];
  // The caller may have gone on to another call of this slot, or come back from a crash.
  if (!executed.known || executed.number != call.number) return;
  RACKSIM_INVARIANT(!executed.answered, "a call is answered once; what comes again gets the same reply");
  executed.answered = true;
  executed.reply = message;
  send(link, call.from, call.number | kReply, message);
}

void RpcEnd::send(const Link& link, Peer peer, std::uint32_t immediate, const Message& message) {
  WorkRequest request;
  request.opcode = Opcode::send_imm;
  request.content = message.content;
  request.bytes = std::max(message.bytes, static_cast<std::uint32_t>(message.content.size()));
  request.immediate = immediate;
  request.signalled = false;
  request.destination = {peer.node, peer.qpn};
  request.operation = message.operation;
  link.queue_pair->post(request);
}

void RpcEnd::on_completion(const Completion& completion) {
  if (completion.opcode != Opcode::receive) return;  // what could not be sent is missed by its timeout
  if (const auto mine = queue_pairs_.find(completion.qpn); mine != queue_pairs_.end()) {
    Listening& listening = mine->second;
    if (listening.queue_pair->state() == QueuePair::State::error) {
      ++listening.missing;
    } else {
      listening.queue_pair->post_receive();
    }
  }
  const Peer peer{completion.from, completion.from_qpn};
  const auto found = links_.find(peer);
  if (completion.status != Status::success || !completion.immediate || found == links_.end()) return;
  if ((*completion.immediate & kReply) == 0) return requested(completion, found->second, peer);
  const auto waiting = waiting_.find({peer, *completion.immediate & ~kReply});
  if (waiting == waiting_.end() || waiting->second->reply) return;
  waiting->second->reply = completion.content;
  waiting->second->answered.notify_all();
}

void RpcEnd::requested(const Completion& completion, Link& link, Peer peer) {
  const std::uint32_t number = *completion.immediate;
  Executed& executed = link.executed[number % options_.window];
  if (executed.known && distance(number, executed.number) <= 0) {
    ++repeated_;
    if (number == executed.number && executed.answered) send(link, peer, number | kReply, executed.reply);
    return;
  }
  executed = {.number = number, .known = true, .answered = false};
  handler_({.from = peer, .number = number, .content = completion.content, .operation = completion.operation});
}

}  // namespace racksim::models
