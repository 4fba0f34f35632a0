// Segmentation, go-back-N and responses. See rc_requester.hpp.
#include "models/nic/rc_requester.hpp"

#include <algorithm>
#include <utility>

#include "sim/kernel/invariant.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

namespace {

constexpr std::uint32_t kLongestMessage = std::uint32_t{1} << 31;
constexpr std::uint32_t kAtomicBytes = sizeof(std::uint64_t);

/// InfiniBand's table 46: the pause that a responder asks for, by the code in its RNR NAK.
constexpr sim::Duration rnr_pause(std::uint64_t code) {
  constexpr std::uint32_t kHundredths[32] = {65'536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
                                             48,     64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
                                             2048,   3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return sim::Duration::from_ps(std::int64_t{10'000'000} * kHundredths[code & 31]);
}

}  // namespace

bool RcRequester::take(const WorkRequest& request) {
  if (queue_.size() >= link_.engine.options().send_queue) return false;
  Entry entry;
  entry.request = request;
  const bool atomic = entry.is_atomic();
  if (request.opcode == Opcode::receive) {
    entry.wrong = Status::local_operation_error;
  } else if (request.length() > kLongestMessage || (atomic && request.bytes.value_or(kAtomicBytes) != kAtomicBytes)) {
    entry.wrong = Status::local_length_error;
  }
  if (entry.wrong == Status::success) entry.packets = atomic ? 1 : link_.segments(request.length());
  queue_.push(std::move(entry));
  RACKSIM_INVARIANT(queue_.size() <= link_.engine.options().send_queue, "a send queue holds no more than its length");
  send_more();
  return true;
}

void RcRequester::send_more() {
  if (link_.engine.calendar().is_pending(rnr_event_)) return;
  while (sent_ < queue_.size() && may_send(queue_[sent_])) {
    if (const Status wrong = queue_[sent_].wrong; wrong != Status::success) {
      if (sent_ == 0) fail(wrong);
      return;
    }
    Entry& entry = queue_[sent_++];
    RACKSIM_INVARIANT(sent_ < 2 || queue_[sent_ - 2].first_psn + queue_[sent_ - 2].packets == next_psn_,
                      "the numbers of what is outstanding follow each other");
    entry.first_psn = next_psn_;
    next_psn_ = next_psn_ + entry.packets;
    if (entry.waits_for_response()) ++responses_;
    RACKSIM_INVARIANT(responses_ <= link_.engine.options().outstanding_reads,
                      "READs and atomics that wait for responses are limited in number");
    if (sent_ == 1) deadline_ = link_.engine.now() + link_.engine.options().rc_retransmission_timeout;
    restart_timer();
    send_entry(entry, entry.first_psn);
  }
}

bool RcRequester::may_send(const Entry& entry) const {
  if (entry.request.fenced && responses_ > 0) return false;
  if (count_between(oldest_psn_, next_psn_) + entry.packets > kMostOutstandingPackets) return false;
  return !entry.waits_for_response() || responses_ < link_.engine.options().outstanding_reads;
}

// Those of its packets that are not before `from_psn`.
void RcRequester::send_entry(const Entry& entry, Psn from_psn) {
  if (entry.is_atomic()) return send_atomic(entry);
  if (entry.request.opcode == Opcode::read) return send_read(entry, entry.answered);
  for (std::uint32_t i = 0; i < entry.packets; ++i) {
    if (entry.first_psn + i - from_psn >= 0) send_segment(entry, i);
  }
}

void RcRequester::send_segment(const Entry& entry, std::uint32_t segment) {
  const WorkRequest& request = entry.request;
  const bool write = request.opcode == Opcode::write || request.opcode == Opcode::write_imm;
  const bool immediate = request.opcode == Opcode::send_imm || request.opcode == Opcode::write_imm;
  const std::uint32_t mtu = link_.mtu();
  const bool first = segment == 0, last = segment + 1 == entry.packets;
  const std::uint32_t bytes = last ? request.length() - segment * mtu : mtu;
  const auto base = static_cast<std::uint8_t>(write ? RcOpcode::write_first : RcOpcode::send_first);
  // first, middle, last, last with immediate, only, only with immediate: alike for both kinds.
  const auto offset = (first && last ? 4 : first ? 0 : last ? 2 : 1) + (last && immediate ? 1 : 0);
  auto packet = link_.make_packet(static_cast<RcOpcode>(base + offset), entry.first_psn + segment);
  packet->get<Bth>().ack_request = last;
  if (first && write) {
    packet->push(Reth{.address = request.remote.address, .remote_key = request.remote.key, .length = request.length()});
  }
  if (last && immediate) packet->push(ImmDt{request.immediate});
  RcLink::set_payload(*packet, bytes);
  if (last) packet->content = request.content;
  packet->operation = request.operation;
  link_.engine.stamp(*packet);
  link_.engine.post(std::move(packet), bytes <= link_.engine.options().inline_bytes ? 0 : bytes, order_);
}

void RcRequester::send_read(const Entry& entry, std::uint32_t answered) {
  const WorkRequest& request = entry.request;
  const std::uint32_t before = answered * link_.mtu();
  auto packet = link_.make_packet(RcOpcode::read_request, entry.first_psn + answered);
  packet->push(Reth{.address = request.remote.address + before,
                    .remote_key = request.remote.key,
                    .length = request.length() - std::min(before, request.length())});
  RcLink::set_payload(*packet, 0);
  packet->get<Bth>().ack_request = 1;
  packet->operation = request.operation;
  link_.engine.stamp(*packet);
  link_.engine.post(std::move(packet), 0, order_);
}

void RcRequester::send_atomic(const Entry& entry) {
  const WorkRequest& request = entry.request;
  const bool swap = request.opcode == Opcode::compare_swap;
  auto packet = link_.make_packet(swap ? RcOpcode::compare_swap : RcOpcode::fetch_add, entry.first_psn);
  packet->push(AtomicEth{.address = request.remote.address,
                         .remote_key = request.remote.key,
                         .swap_or_add = request.swap_or_add,
                         .compare = request.compare});
  RcLink::set_payload(*packet, 0);
  packet->get<Bth>().ack_request = 1;
  packet->operation = request.operation;
  link_.engine.stamp(*packet);
  link_.engine.post(std::move(packet), 0, order_);
}

void RcRequester::send_again() {
  for (std::size_t i = 0; i < sent_; ++i) {
    const Entry& entry = queue_[i];
    const std::uint32_t left = count_between(oldest_psn_, entry.first_psn + entry.packets);
    link_.engine.counters().retransmitted.value += entry.waits_for_response() ? 1 : std::min(left, entry.packets);
    send_entry(entry, oldest_psn_);
  }
}

void RcRequester::restart_timer() {
  sim::Calendar& calendar = link_.engine.calendar();
  if (!calendar.is_pending(timer_event_))
    timer_event_ = calendar.at<&RcRequester::timer>(deadline_, timer_lane_, *this);
}

void RcRequester::timer() {
  if (sent_ == 0) return;
  NicEngine& engine = link_.engine;
  const sim::Time now = engine.now();
  if (now >= deadline_ && !engine.calendar().is_pending(rnr_event_)) {
    ++engine.counters().timeouts.value;
    if (retries_ == engine.options().rc_retry_count) return fail(Status::retries_exceeded);
    report_timeout(queue_[0].request, false);
    ++retries_;
    missing_response_.reset();
    deadline_ = now + engine.options().rc_retransmission_timeout;
    send_again();
  } else if (now >= deadline_) {
    deadline_ = now + engine.options().rc_retransmission_timeout;
  }
  timer_event_ = engine.calendar().at<&RcRequester::timer>(deadline_, timer_lane_, *this);
}

void RcRequester::report_timeout(const WorkRequest& request, bool given_up) {
  NicEngine& engine = link_.engine;
  sim::record_sent_again(engine.context().event_log, engine.source(), engine.now(), request.operation,
                         {.why = sim::SentAgain::transport_timeout,
                          .key = 0,
                          .since = engine.now() - engine.options().rc_retransmission_timeout,
                          .given_up = given_up});
}

void RcRequester::fail(Status status) {
  ++link_.engine.counters().failures.value;
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const WorkRequest& request = queue_[i].request;
    if (i < sent_) report_timeout(request, true);
    complete_in_error(request, i == 0 ? status : Status::flushed);
  }
  reset();
  owner_.requester_failed();
}

void RcRequester::flush() {
  for (const Entry& entry : queue_) {
    complete_in_error(entry.request, Status::flushed);
  }
  reset();
}

void RcRequester::complete_in_error(const WorkRequest& request, Status status) {
  completions_.push_error(link_.number, request.wr_id, request.opcode, status);
}

void RcRequester::reset(Psn first) {
  queue_.clear();
  sent_ = responses_ = 0;
  next_psn_ = oldest_psn_ = first;
  retries_ = rnr_retries_ = 0;
  missing_response_.reset();
  order_.reset();
  link_.engine.calendar().cancel(timer_event_);
  link_.engine.calendar().cancel(rnr_event_);
}

void RcRequester::receive(p4::PacketRef&& packet, sim::Time start) {
  const auto opcode = static_cast<RcOpcode>(packet->get<Bth>().opcode);
  if (opcode == RcOpcode::acknowledge) {
    take_acknowledgement(*packet, start);
    link_.engine.context().accounting.absorb();
  } else {
    take_response(std::move(packet), start);
  }
}

void RcRequester::take_acknowledgement(const p4::Packet& packet, sim::Time start) {
  NicEngine& engine = link_.engine;
  const std::uint64_t syndrome = packet.get<Aeth>().syndrome;
  // An acknowledgement covers its PSN; whatever is wrong names the PSN that it is about and covers what is before it.
  const Psn psn(packet.get<Bth>().psn);
  const Psn next = syndrome == kSyndromeAck ? psn + 1 : psn;
  const std::uint32_t outstanding = count_between(oldest_psn_, next_psn_);
  if (count_between(oldest_psn_, next) > outstanding) return;  // a late one
  acknowledged_before(next, start);
  if (sent_ == 0) return send_more();
  // Else a response is missing before: that is asked for again, and what is wrong comes up again behind it.
  const bool is_about_oldest = next == oldest_psn_;
  if (syndrome == kSyndromeNakSequence) {
    ++engine.counters().naks.value;
    deadline_ = engine.now() + engine.options().rc_retransmission_timeout;
    send_again();
  } else if (syndrome == kSyndromeNakAccess || syndrome == kSyndromeNakInvalidRequest) {
    if (is_about_oldest) {
      return fail(syndrome == kSyndromeNakAccess ? Status::remote_access_error : Status::remote_invalid_request);
    }
  } else if ((syndrome & 0x60) == kSyndromeRnr) {
    // Seven stands for ever (ibv_modify_qp(3)).
    const std::uint64_t most = engine.options().rnr_retry_count;
    if (is_about_oldest) {
      if (most != 7 && rnr_retries_ == most) return fail(Status::rnr_retries_exceeded);
      ++rnr_retries_;
    }
    if (!engine.calendar().is_pending(rnr_event_)) {
      rnr_event_ = engine.calendar().at<&RcRequester::resume_after_rnr>(engine.now() + rnr_pause(syndrome & 0x1f),
                                                                        timer_lane_, *this);
    }
    return;
  }
  send_more();
}

void RcRequester::resume_after_rnr() {
  deadline_ = link_.engine.now() + link_.engine.options().rc_retransmission_timeout;
  send_again();
  send_more();
}

void RcRequester::take_response(p4::PacketRef&& packet, sim::Time start) {
  NicEngine& engine = link_.engine;
  const Psn psn(packet->get<Bth>().psn);
  const auto opcode = static_cast<RcOpcode>(packet->get<Bth>().opcode);
  if (count_between(oldest_psn_, psn) >= count_between(oldest_psn_, next_psn_)) {
    ++engine.counters().duplicates.value;
    return engine.context().accounting.absorb();
  }
  acknowledged_before(psn, start);
  // Unless all before it has its response: else that is sent again, and this comes once more behind it.
  if (psn != oldest_psn_ || sent_ == 0 || !queue_[0].waits_for_response() ||
      queue_[0].is_atomic() != (opcode == RcOpcode::atomic_acknowledge)) {
    ++engine.counters().out_of_order.value;
    return engine.context().accounting.absorb();
  }
  engine.delivered(*packet);
  Entry& entry = queue_[0];
  if (entry.is_atomic()) {
    entry.old_value = packet->get<AtomicAckEth>().old_value;
    if (entry.request.old_value_at) memory_.set_word(*entry.request.old_value_at, entry.old_value);
    engine.dma_write(start, kAtomicBytes);
  } else {
    engine.dma_write(start, RcLink::payload_of(*packet));
    const Content& part = packet->content;
    if (entry.packets == 1) {
      entry.content = part;
    } else {
      entry.parts.insert(entry.parts.end(), part.bytes().begin(), part.bytes().end());
    }
  }
  ++entry.answered;
  oldest_psn_ = oldest_psn_ + 1;
  progressed();
  if (entry.answered == entry.packets) complete_front(start);
  send_more();
}

void RcRequester::acknowledged_before(Psn psn, sim::Time start) {
  NicEngine& engine = link_.engine;
  if (psn == oldest_psn_) return;
  bool moved = false;
  while (sent_ > 0) {
    const Entry& entry = queue_[0];
    const Psn end = entry.first_psn + entry.packets;
    if (entry.waits_for_response()) {
      if (moved) progressed();
      // The responder is past it, so its response was lost. What comes behind says the same once more.
      if (psn != oldest_psn_ && missing_response_ != oldest_psn_) {
        missing_response_ = oldest_psn_;
        ++engine.counters().naks.value;
        deadline_ = engine.now() + engine.options().rc_retransmission_timeout;
        send_again();
      }
      return;
    }
    if (count_between(oldest_psn_, end) > count_between(oldest_psn_, psn)) {
      if (psn != oldest_psn_) {
        oldest_psn_ = psn;
        moved = true;
      }
      break;
    }
    oldest_psn_ = end;
    moved = true;
    complete_front(start);
  }
  if (moved) progressed();
}

void RcRequester::progressed() {
  RACKSIM_INVARIANT(count_between(oldest_psn_, next_psn_) <= kMostOutstandingPackets,
                    "nothing is acknowledged that was not sent");
  retries_ = rnr_retries_ = 0;
  missing_response_.reset();
  deadline_ = link_.engine.now() + link_.engine.options().rc_retransmission_timeout;
}

void RcRequester::complete_front(sim::Time start) {
  RACKSIM_INVARIANT(sent_ > 0 && sent_ <= queue_.size(), "what completes has been sent");
  Entry& entry = queue_[0];
  RACKSIM_INVARIANT(oldest_psn_ == entry.first_psn + entry.packets,
                    "what completes has all of its numbers acknowledged, and nothing behind it has");
  RACKSIM_INVARIANT(!entry.waits_for_response() || responses_ > 0, "a response that comes was waited for");
  if (entry.waits_for_response()) --responses_;
  if (entry.request.signalled) {
    Completion completion;
    completion.wr_id = entry.request.wr_id;
    completion.opcode = entry.request.opcode;
    completion.qpn = link_.number;
    if (entry.is_atomic()) {
      completion.bytes = kAtomicBytes;
      completion.old_value = entry.old_value;
    } else if (entry.request.opcode == Opcode::read) {
      completion.bytes = entry.request.length();
      completion.content = entry.packets == 1 ? std::move(entry.content) : Content::of_bytes(entry.parts);
    }
    completions_.push(link_.engine.dma_write(start, CompletionQueue::kEntryBytes), std::move(completion));
  }
  queue_.pop();
  --sent_;
}

}  // namespace racksim::models
