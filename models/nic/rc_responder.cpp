// Order, memory and answers of a responder. See rc_responder.hpp.
#include "models/nic/rc_responder.hpp"

#include <algorithm>
#include <utility>

#include "sim/kernel/invariant.hpp"
#include "sim/record/history.hpp"

namespace racksim::models {

void RcResponder::reset(Psn first) {
  expected_psn_ = first;
  messages_received_ = 0;
  gap_reported_ = false;
  refusal_.reset();
  message_ = {};
  landed_ = sim::Time::beginning();
  results_.clear();
  accesses_.clear();
  order_.reset();
  ++life_;
}

void RcResponder::flush() {
  if (!std::exchange(message_.holds_receive, false)) return;
  completions_.push_error(link_.number, message_.receive.wr_id, Opcode::receive, Status::flushed);
}

void RcResponder::receive(p4::PacketRef&& packet, sim::Time start) {
  if (has_refused()) return receive_after_refusal(std::move(packet), start);
  NicEngine& engine = link_.engine;
  const Psn psn(packet->get<Bth>().psn);
  const std::int32_t ahead = psn - expected_psn_;
  if (ahead < 0) return take_again(std::move(packet), start);
  if (ahead > 0) {
    ++engine.counters().out_of_order.value;
    sim::record_disturbance(engine.context().event_log, engine.source(), engine.now(), packet->operation,
                            sim::Disturbance::behind);
    if (!gap_reported_) acknowledge(kSyndromeNakSequence, expected_psn_);
    gap_reported_ = true;
    return engine.context().accounting.absorb();
  }
  switch (static_cast<RcOpcode>(packet->get<Bth>().opcode)) {
    case RcOpcode::read_request:
      take_read(*packet, start);
      return engine.context().accounting.absorb();
    case RcOpcode::compare_swap:
    case RcOpcode::fetch_add:
      take_atomic(*packet, start);
      return engine.context().accounting.absorb();
    default:
      return take_segment(std::move(packet), start);
  }
}

void RcResponder::receive_after_refusal(p4::PacketRef&& packet, sim::Time start) {
  const Psn psn(packet->get<Bth>().psn);
  const std::int32_t ahead = psn - expected_psn_;
  if (ahead < 0) return take_again(std::move(packet), start);
  if (ahead > 0) return link_.engine.drop(*packet, DropReason::no_queue_pair);
  acknowledge(*refusal_, psn);
  link_.engine.context().accounting.absorb();
}

// What has been carried out before: a SEND or WRITE is acknowledged again, a READ is read again, and an atomic gets the
// result that it had.
void RcResponder::take_again(p4::PacketRef&& packet, sim::Time start) {
  NicEngine& engine = link_.engine;
  ++engine.counters().duplicates.value;
  const auto& bth = packet->get<Bth>();
  switch (static_cast<RcOpcode>(bth.opcode)) {
    case RcOpcode::read_request:
      read(*packet, start);
      break;
    case RcOpcode::compare_swap:
    case RcOpcode::fetch_add: {
      const auto result =
          std::find_if(results_.begin(), results_.end(), [&](const AtomicResult& r) { return r.psn == Psn(bth.psn); });
      // One that is still under way is answered when it is done.
      if (result != results_.end() && result->done) answer_atomic(*result, packet->operation);
      break;
    }
    default:
      if (bth.ack_request) acknowledge(kSyndromeAck, expected_psn_ - 1);
  }
  engine.context().accounting.absorb();
}

void RcResponder::take_segment(p4::PacketRef&& packet, sim::Time start) {
  NicEngine& engine = link_.engine;
  const auto& bth = packet->get<Bth>();
  const auto opcode = static_cast<RcOpcode>(bth.opcode);
  const Psn psn(bth.psn);
  const bool send = is_send(opcode), first = is_first(opcode), last = is_last(opcode);
  const bool immediate = brings_immediate(opcode);
  // A SEND takes its receive when it begins, a WRITE with immediate data when it ends.
  const bool takes_receive = send ? first : immediate;
  if (takes_receive && owner_.receive_queue().empty()) {
    // What comes behind is no news until this one comes again.
    ++engine.counters().not_ready.value;
    gap_reported_ = true;
    acknowledge(kSyndromeRnr | engine.options().rnr_timer, psn);
    return engine.context().accounting.absorb();
  }
  if (const auto* reth = packet->find<Reth>()) {
    message_ = {reth->address, static_cast<std::uint32_t>(reth->remote_key), static_cast<std::uint32_t>(reth->length)};
    if (!allowed(Memory::Access::write, {message_.address, message_.key}, message_.length, psn)) {
      return engine.context().accounting.absorb();
    }
  } else if (first) {
    message_ = {};
  }
  if (takes_receive) {
    message_.receive = *owner_.receive_queue().take();
    message_.holds_receive = true;
  }
  const std::uint32_t bytes = RcLink::payload_of(*packet);
  message_.bytes += bytes;
  if (send && message_.bytes > message_.receive.bytes) {
    Completion completion = received(*packet);
    completion.status = Status::local_length_error;
    message_.holds_receive = false;
    completions_.push(engine.dma_write(start, CompletionQueue::kEntryBytes), std::move(completion));
    refuse(kSyndromeNakInvalidRequest, psn);
    return engine.context().accounting.absorb();
  }
  RACKSIM_INVARIANT(psn == expected_psn_, "packets are taken in the order of their numbers");
  RACKSIM_INVARIANT(!send || message_.holds_receive, "the packets of a SEND have the receive that it took");
  gap_reported_ = false;
  expected_psn_ = expected_psn_ + 1;
  const sim::Time done = engine.dma_write(start, bytes);
  if (!last) return engine.delivered(*packet);
  message_.holds_receive = false;
  messages_received_ = (messages_received_ + 1) & kSequenceMask;
  acknowledge(kSyndromeAck, psn);
  if (send) {
    Completion completion = received(*packet);
    completions_.push(done, std::move(completion), std::move(packet));
    return;
  }
  landed_ = std::max(landed_, done);
  if (immediate && message_.bytes == 0) {  // a notification alone: nothing lands
    Completion completion = received(*packet);
    completions_.push(done, std::move(completion), std::move(packet));
    return;
  }
  if (immediate) completions_.push(done, received(*packet));
  dma_writes_.land(std::move(packet), done, link_.remote, {message_.address, message_.key}, message_.bytes);
}

Completion RcResponder::received(const p4::Packet& packet) const {
  Completion completion;
  completion.wr_id = message_.receive.wr_id;
  completion.opcode = Opcode::receive;
  completion.bytes = message_.bytes;
  completion.qpn = link_.number;
  completion.from = link_.remote;
  completion.from_qpn = link_.remote_number;
  completion.operation = packet.operation;
  if (is_send(static_cast<RcOpcode>(packet.get<Bth>().opcode))) completion.content = packet.content;
  if (const auto* immediate = packet.find<ImmDt>()) {
    completion.immediate = static_cast<std::uint32_t>(immediate->immediate);
  }
  return completion;
}

void RcResponder::take_read(const p4::Packet& packet, sim::Time start) {
  const auto& reth = packet.get<Reth>();
  const Psn psn(packet.get<Bth>().psn);
  const auto length = static_cast<std::uint32_t>(reth.length);
  const RemoteAddress at{reth.address, static_cast<std::uint32_t>(reth.remote_key)};
  if (!allowed(Memory::Access::read, at, length, psn)) return;
  gap_reported_ = false;
  expected_psn_ = psn + link_.segments(length);
  messages_received_ = (messages_received_ + 1) & kSequenceMask;
  read(packet, start);
}

// The response's packets take their places in the order of answers now, and each gets what memory holds when its part
// has been read. A WRITE before the READ on this connection is in memory by then.
void RcResponder::read(const p4::Packet& packet, sim::Time start) {
  NicEngine& engine = link_.engine;
  const auto& reth = packet.get<Reth>();
  const Psn psn(packet.get<Bth>().psn);
  const auto length = static_cast<std::uint32_t>(reth.length);
  const std::uint32_t segments = link_.segments(length), mtu = link_.mtu();
  const sim::Time ready = behind_landings(start);
  for (std::uint32_t i = 0; i < segments; ++i) {
    const bool first = i == 0, last = i + 1 == segments;
    const std::uint32_t bytes = last ? length - i * mtu : mtu;
    auto response = link_.make_packet(first && last ? RcOpcode::read_response_only
                                      : first       ? RcOpcode::read_response_first
                                      : last        ? RcOpcode::read_response_last
                                                    : RcOpcode::read_response_middle,
                                      psn + i);
    if (first || last) response->push(Aeth{.syndrome = kSyndromeAck, .msn = messages_received_});
    RcLink::set_payload(*response, bytes);
    response->operation = packet.operation;
    engine.stamp(*response);
    accesses_.push(
        {.answer = response.share(), .opcode = Opcode::read, .address = reth.address + i * mtu, .bytes = bytes});
    engine.post_at(std::move(response), engine.dma_read(ready, bytes), order_);
  }
}

// When the NIC may turn to memory for a packet: it gets there one PCIe latency later, and not before what has come
// before on this connection.
sim::Time RcResponder::behind_landings(sim::Time start) const {
  const NicOptions& options = link_.engine.options();
  return std::max(start + options.receive_latency, landed_ - options.pcie_latency);
}

void RcResponder::take_atomic(const p4::Packet& packet, sim::Time start) {
  NicEngine& engine = link_.engine;
  const auto& request = packet.get<AtomicEth>();
  const Psn psn(packet.get<Bth>().psn);
  const RemoteAddress at{request.address, static_cast<std::uint32_t>(request.remote_key)};
  const bool swap = static_cast<RcOpcode>(packet.get<Bth>().opcode) == RcOpcode::compare_swap;
  if (!allowed(Memory::Access::atomic, at, sizeof(std::uint64_t), psn)) return;
  gap_reported_ = false;
  expected_psn_ = psn + 1;
  messages_received_ = (messages_received_ + 1) & kSequenceMask;
  const NicEngine::Atomic atomic = engine.atomic(behind_landings(start), request.address);
  landed_ = std::max(landed_, atomic.at_memory);
  const sim::Time done = atomic.in_nic - engine.options().pcie_latency;
  if (order_.latest > done) {
    engine.calendar().at<&RcResponder::atomic_due>(done, engine.landing_lane(), *this, life_, psn.number());
  }
  auto answer = make_atomic_answer(psn, packet.operation);
  accesses_.push({.answer = answer.share(),
                  .opcode = swap ? Opcode::compare_swap : Opcode::fetch_add,
                  .address = request.address,
                  .key = at.key,
                  .compare = request.compare,
                  .swap_or_add = request.swap_or_add});
  engine.post_at(std::move(answer), atomic.in_nic, order_);
  if (results_.size() == engine.options().outstanding_reads) results_.pop();
  RACKSIM_INVARIANT(std::none_of(results_.begin(), results_.end(), [&](const auto& r) { return r.psn == psn; }),
                    "an atomic is carried out once");
  results_.push({.psn = psn, .old_value = 0, .done = false});
}

// An answer that is repeated has what it brings.
void RcResponder::fill(const p4::Packet& packet) {
  if (!accesses_.empty() && accesses_.front().answer.get() == &packet) access_memory();
}

void RcResponder::atomic_due(std::uint64_t life, std::uint32_t psn) {
  if (life != life_) return;
  for (bool done = false; !done && !accesses_.empty();) {
    const Access& next = accesses_.front();
    done = next.opcode != Opcode::read && next.answer->get<Bth>().psn == psn;
    access_memory();
  }
}

void RcResponder::access_memory() {
  const Access access = accesses_.pop();
  if (access.opcode == Opcode::read) {
    access.answer->content = memory_.read(access.address, access.bytes);
  } else {
    do_atomic(access);
  }
}

void RcResponder::do_atomic(const Access& atomic) {
  const std::uint64_t old = memory_.word(atomic.address);
  if (atomic.opcode == Opcode::fetch_add) {
    memory_.set_word(atomic.address, old + atomic.swap_or_add);
  } else if (old == atomic.compare) {
    memory_.set_word(atomic.address, atomic.swap_or_add);
  }
  // The region may have gone since the request came; then nobody is to see it.
  if (const Memory::Region* region = memory_.find(atomic.key)) {
    for (MemoryObserver* observer : region->observers) {
      observer->changed({.from = link_.remote,
                         .address = atomic.address,
                         .before = old,
                         .after = memory_.word(atomic.address),
                         .operation = atomic.answer->operation});
    }
  }
  atomic.answer->get<AtomicAckEth>().old_value = old;
  const Psn psn(atomic.answer->get<Bth>().psn);
  for (AtomicResult& result : results_) {
    if (result.psn == psn) result = {.psn = psn, .old_value = old, .done = true};
  }
}

p4::PacketRef RcResponder::make_atomic_answer(Psn psn, sim::OperationId operation) {
  auto answer = link_.make_packet(RcOpcode::atomic_acknowledge, psn);
  answer->push(Aeth{.syndrome = kSyndromeAck, .msn = messages_received_});
  answer->push(AtomicAckEth{});
  RcLink::set_payload(*answer, 0);
  answer->operation = operation;
  link_.engine.stamp(*answer);
  return answer;
}

void RcResponder::answer_atomic(const AtomicResult& result, sim::OperationId operation) {
  auto answer = make_atomic_answer(result.psn, operation);
  answer->get<AtomicAckEth>().old_value = result.old_value;
  link_.engine.post(std::move(answer), 0, order_);
}

bool RcResponder::allowed(Memory::Access access, RemoteAddress at, std::uint32_t bytes, Psn psn) {
  const Memory::Verdict verdict = memory_.check(access, at.address, at.key, bytes);
  if (verdict == Memory::Verdict::allowed) return true;
  refuse(verdict == Memory::Verdict::refused ? kSyndromeNakAccess : kSyndromeNakInvalidRequest, psn);
  return false;
}

void RcResponder::refuse(std::uint64_t syndrome, Psn psn) {
  ++link_.engine.counters().refused.value;
  refusal_ = syndrome;
  acknowledge(syndrome, psn);
  owner_.responder_failed();
}

void RcResponder::acknowledge(std::uint64_t syndrome, Psn psn) {
  auto packet = link_.make_packet(RcOpcode::acknowledge, psn);
  packet->push(Aeth{.syndrome = syndrome, .msn = messages_received_});
  packet->payload_bytes = kIcrcBytes;
  link_.engine.stamp(*packet);
  link_.engine.post(std::move(packet), 0, order_);
}

}  // namespace racksim::models
