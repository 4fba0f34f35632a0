// Latch operations, flushes, invalidations and answers as work requests. See verbs.hpp.
#include "protocols/selcc/verbs.hpp"

#include <algorithm>
#include <utility>

namespace racksim::selcc {

using latched_memory::LineLayout;
using models::Opcode;
using models::WorkRequest;

namespace {
/// Where answers are written: each compute node has one buffer a thread, told apart by what is in them.
constexpr std::uint64_t kAnswers = 0;
/// Where the atomic of a latch operation writes what it has found, by the number of the READ behind it: words in pages
/// of their own, which memory keeps in least room.
constexpr std::uint64_t found_word_of(std::uint64_t wr_id) {
  constexpr std::uint64_t kFoundWords = std::uint64_t{1} << 40;
  return kFoundWords + wr_id * models::SparseWords::kPageBytes;
}
}  // namespace

NodeVerbs::NodeVerbs(Shared& shared, line_cache::Connections& connections, models::CompletionHandler& completions)
    : shared_(shared), connections_(connections), giving_to_(shared.memory.shape().roles.compute_nodes) {
  const auto connect = [&](models::CompletionQueue& queue) {
    return shared.lines.connect(connections.server().nic(), queue);
  };
  for (auto& thread : connections.threads()) connections.open(thread, completions, connect);
  connections.open(connections.handler(), completions, connect);
  connections.open(connections.evictor(), completions, connect);
}

void NodeVerbs::post(models::QueuePair& queue_pair, std::span<const WorkRequest> requests) {
  Counters& counters = shared_.counters;
  for (const WorkRequest& request : requests) {
    ++(request.opcode == Opcode::read           ? counters.reads
       : request.opcode == Opcode::write        ? counters.writes
       : request.opcode == Opcode::compare_swap ? counters.swaps
       : request.opcode == Opcode::fetch_add    ? counters.adds
                                                : counters.sends)
          .value;
  }
  queue_pair.post(requests);
}

WorkRequest NodeVerbs::atomic(Opcode opcode, std::uint64_t compare, std::uint64_t value, const Posted& posted) {
  ++atomics_[posted.line];
  if (posted.purpose == Purpose::hand_over || posted.purpose == Purpose::share) ++giving_to_[posted.peer];
  if (posted.purpose == Purpose::take_out) ++taking_out_;
  return {.opcode = opcode,
          .remote = shared_.lines.remote(posted.line),
          .compare = compare,
          .swap_or_add = value,
          .wr_id = note(posted),
          .operation = posted.operation};
}

Posted NodeVerbs::take(const models::Completion& completion) {
  const Posted posted = posted_.take(slot_of(completion.wr_id));
  if (posted.purpose == Purpose::call || posted.purpose == Purpose::forward) return posted;
  const auto found = atomics_.find(posted.line);
  if (--found->second == 0) atomics_.erase(found);
  if (posted.purpose == Purpose::hand_over || posted.purpose == Purpose::share) --giving_to_[posted.peer];
  if (posted.purpose == Purpose::take_out) --taking_out_;
  return posted;
}

// The batch has one completion, the READ's: responses come in the order of the requests, so that what the atomic has
// found is in memory by then.
void NodeVerbs::latch_and_read(Opcode opcode, std::uint64_t part, const LineWork& work) {
  const sim::Key line = work.frame->line;
  ++atomics_[line];
  const std::uint64_t wr_id = note({.purpose = Purpose::latch_line, .line = line, .operation = work.operation});
  WorkRequest batch[2] = {{.opcode = opcode,
                           .remote = shared_.lines.remote(line),
                           .swap_or_add = part,
                           .old_value_at = found_word_of(wr_id),
                           .signalled = false,
                           .operation = work.operation},
                          read_line(line, work.operation)};
  batch[1].wr_id = wr_id;
  post(connections_.of_thread(work.thread, line), batch);
}

std::uint64_t NodeVerbs::word_found(const models::Completion& latched) const {
  return connections_.server().nic().memory().word(found_word_of(latched.wr_id));
}

WorkRequest NodeVerbs::read_line(sim::Key line, sim::OperationId operation) const {
  WorkRequest request = read_word(line);
  request.bytes = static_cast<std::uint32_t>(shared_.lines.stored_bytes());
  request.operation = operation;
  return request;
}

WorkRequest NodeVerbs::read_word(sim::Key line) const {
  return {.opcode = Opcode::read, .remote = shared_.lines.remote(line), .bytes = LineLayout::kWordBytes};
}

WorkRequest NodeVerbs::flush(const Frame& frame, sim::OperationId operation) {
  return write_back(frame, shared_.options.dirty_boundaries ? frame.dirty : shared_.lines.whole(), operation);
}

WorkRequest NodeVerbs::write_back(const Frame& frame, ObjectRange range, sim::OperationId operation) {
  ++shared_.counters.flushes.value;
  shared_.counters.flushed_bytes.value += range.bytes();
  return {.opcode = Opcode::write,
          .remote = shared_.lines.remote(frame.line, range.low),
          .content = frame.data.bytes(range),
          .signalled = false,
          .operation = operation};
}

sim::Task<std::uint64_t> NodeVerbs::call(models::QueuePair& queue_pair, sim::Key line, WorkRequest request,
                                         models::Content* content) {
  Call call(shared_.rack.calendar());
  call.open = 1;
  request.wr_id = note({.purpose = Purpose::call, .line = line, .operation = request.operation, .call = &call});
  post(queue_pair, request);
  co_await call.done.wait();
  if (content != nullptr) *content = std::move(call.content);
  co_return call.found;
}

sim::Task<bool> NodeVerbs::nobody_holds(unsigned thread, sim::Key first, std::uint64_t lines,
                                        sim::OperationId operation) {
  constexpr std::uint64_t kBatch = 16;
  Call call(shared_.rack.calendar());
  for (std::uint64_t begin = 0; begin < lines && call.found == 0; begin += kBatch) {
    std::vector<WorkRequest> batch;
    for (std::uint64_t i = begin; i < std::min(lines, begin + kBatch); ++i) {
      const sim::Key line{first + i};
      batch.push_back(read_word(line));
      batch.back().operation = operation;
      batch.back().wr_id = note({.purpose = Purpose::call, .line = line, .operation = operation, .call = &call});
    }
    call.open = static_cast<std::uint32_t>(batch.size());
    post(connections_.of_thread(thread, first), batch);
    co_await call.done.wait();
  }
  co_return call.found == 0;
}

void Call::completed(const models::Completion& completion) {
  if (completion.opcode == Opcode::read) {
    found |= latched_memory::header_of<std::uint64_t>(completion.content);
    content = completion.content;
  } else {
    found |= completion.old_value;
  }
  if (--open == 0) done.notify_all();
}

void NodeVerbs::send(NodeId to, const Invalidation& message) {
  post(connections_.to_peer(to), {.opcode = Opcode::send,
                                  .content = models::Content::of(message),
                                  .bytes = Invalidation::kWireBytes,
                                  .signalled = false,
                                  .operation = message.operation});
}

WorkRequest NodeVerbs::flag(NodeId to, const Answer& answer, sim::OperationId operation) const {
  return {.opcode = Opcode::write,
          .remote = {kAnswers, shared_.buffer_keys[to]},
          .content = models::Content::of(answer),
          .bytes = Answer::kWireBytes,
          .signalled = false,
          .operation = operation};
}

void NodeVerbs::answer(const Invalidation& message, Verdict verdict) {
  Counters& counters = shared_.counters;
  ++(verdict == Verdict::released ? counters.released : verdict == Verdict::busy ? counters.busy : counters.gone).value;
  post(connections_.to_peer(message.sender),
       flag(message.sender, {.line = message.line, .number = message.number, .verdict = verdict}, message.operation));
}

void NodeVerbs::confirm(const Posted& given) {
  post(connections_.to_peer(given.peer),
       flag(given.peer, {.line = given.line, .number = given.number, .verdict = Verdict::landed}, given.operation));
}

// The line, and the flag behind it.
void NodeVerbs::forward(const Invalidation& message, const Frame& frame, ObjectRange dirty) {
  const Answer answer{.line = message.line, .number = message.number, .dirty = dirty, .verdict = Verdict::given};
  WorkRequest request = flag(message.sender, answer, message.operation);
  request.content = latched_memory::behind(answer, frame.data.bytes(shared_.lines.whole()).bytes());
  request.bytes = static_cast<std::uint32_t>(shared_.options.line_bytes) + Answer::kWireBytes;
  request.signalled = true;
  request.wr_id = note({.purpose = Purpose::forward, .line = message.line});
  post(connections_.to_peer(message.sender), request);
}

void NodeVerbs::crash() {
  posted_.clear();
  atomics_.clear();
  std::fill(giving_to_.begin(), giving_to_.end(), 0);
  taking_out_ = 0;
}

}  // namespace racksim::selcc
