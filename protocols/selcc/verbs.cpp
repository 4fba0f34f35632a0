// The verbs that a compute node posts: latch operations, flushes, invalidations and their answers (SELCC §4.3, §5.1).
#include <algorithm>
#include <cstring>
#include <utility>

#include "protocols/selcc/compute_node.hpp"

namespace racksim::selcc {

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

void ComputeNode::post(models::QueuePair& queue_pair, std::span<const WorkRequest> requests) {
  for (const WorkRequest& request : requests) count(request);
  queue_pair.post(requests);
}

void ComputeNode::count(const WorkRequest& request) {
  switch (request.opcode) {
    case Opcode::read:
      ++counters().reads.value;
      break;
    case Opcode::compare_swap:
      ++counters().swaps.value;
      break;
    case Opcode::fetch_add:
      ++counters().adds.value;
      break;
    case Opcode::write:
      ++counters().writes.value;
      break;
    default:
      ++counters().sends.value;
  }
}

// Numbers of work requests begin at 1: what nobody waits for has 0.
std::uint64_t ComputeNode::note(Posted posted) {
  return std::uint64_t{posted_.put(posted)} + 1;
}

WorkRequest ComputeNode::atomic(Opcode opcode, sim::Key line, std::uint64_t compare, std::uint64_t value,
                                Posted posted) {
  posted.line = line;
  ++atomics_under_way_[line];
  return {.opcode = opcode,
          .remote = shared_.lines.remote(line),
          .compare = compare,
          .swap_or_add = value,
          .wr_id = note(posted),
          .operation = posted.operation};
}

void ComputeNode::atomic_ended(sim::Key line) {
  const auto found = atomics_under_way_.find(line);
  if (--found->second == 0) atomics_under_way_.erase(found);
}

// The batch has one completion, the READ's: responses come in the order of the requests, so that what the atomic has
// found is in memory by then.
void ComputeNode::latch_and_read(Opcode opcode, std::uint64_t part, const LineWork& work) {
  const sim::Key line = work.frame->line;
  ++atomics_under_way_[line];
  const std::uint64_t wr_id = note({.purpose = Purpose::latch_line, .line = line, .operation = work.operation});
  WorkRequest batch[2] = {{.opcode = opcode,
                           .remote = shared_.lines.remote(line),
                           .swap_or_add = part,
                           .old_value_at = found_word_of(wr_id),
                           .signalled = false,
                           .operation = work.operation},
                          read_line(line, work.operation)};
  batch[1].wr_id = wr_id;
  post(thread_queue_pair(work.thread, line), batch);
}

std::uint64_t ComputeNode::word_found(const models::Completion& latched) const {
  return server().nic().memory().word(found_word_of(latched.wr_id));
}

// The whole line, its latch word too.
WorkRequest ComputeNode::read_line(sim::Key line, sim::OperationId operation) const {
  WorkRequest request = read_word(line);
  request.bytes = static_cast<std::uint32_t>(shared_.lines.stored_bytes());
  request.operation = operation;
  return request;
}

WorkRequest ComputeNode::read_word(sim::Key line) const {
  return {
      .opcode = Opcode::read, .remote = shared_.lines.remote(line), .bytes = latched_memory::LineLayout::kWordBytes};
}

WorkRequest ComputeNode::swap_word(sim::Key line, std::uint64_t compare, std::uint64_t swap) const {
  return {
      .opcode = Opcode::compare_swap, .remote = shared_.lines.remote(line), .compare = compare, .swap_or_add = swap};
}

WorkRequest ComputeNode::flush(const Frame& frame, sim::OperationId operation) {
  const ObjectRange whole{.low = 0, .high = shared_.lines.objects_per_line()};
  return write_back(frame, options().dirty_boundaries ? frame.dirty : whole, operation);
}

WorkRequest ComputeNode::write_back(const Frame& frame, ObjectRange range, sim::OperationId operation) {
  std::vector<std::byte> bytes(range.bytes());
  frame.data.store(range, bytes);
  ++counters().flushes.value;
  counters().flushed_bytes.value += bytes.size();
  return {.opcode = Opcode::write,
          .remote = shared_.lines.remote(frame.line, range.low),
          .content = models::Content::of_bytes(bytes),
          .signalled = false,
          .operation = operation};
}

models::ReliableConnection& ComputeNode::thread_queue_pair(unsigned thread, sim::Key line) const {
  return *threads_[thread].to_memory[shared_.lines.server_of(line)];
}

models::ReliableConnection& ComputeNode::handler_queue_pair(sim::Key line) const {
  return *handler_.to_memory[shared_.lines.server_of(line)];
}

sim::Task<std::uint64_t> ComputeNode::call(models::QueuePair& queue_pair, sim::Key line, WorkRequest request,
                                           models::Content* content) {
  Call call(calendar());
  call.open = 1;
  request.wr_id = note({.purpose = Purpose::call, .line = line, .operation = request.operation, .call = &call});
  post(queue_pair, std::span(&request, 1));
  co_await call.done.wait();
  if (content != nullptr) *content = std::move(call.content);
  co_return call.found;
}

sim::Task<std::uint64_t> ComputeNode::atomic_on_word(unsigned thread, sim::Key object, WorkRequest request) {
  if (!serves()) co_await lease();
  const sim::Key line = shared_.lines.line_of(object);
  request.remote = shared_.lines.remote(line, shared_.lines.index_of(object));
  co_return co_await call(thread_queue_pair(thread, line), line, std::move(request));
}

sim::Task<bool> ComputeNode::nobody_holds(unsigned thread, sim::Key first, std::uint64_t lines,
                                          sim::OperationId operation) {
  constexpr std::uint64_t kBatch = 16;
  if (!serves()) co_await lease();
  Call call(calendar());
  for (std::uint64_t begin = 0; begin < lines && call.found == 0; begin += kBatch) {
    std::vector<models::WorkRequest> batch;
    for (std::uint64_t i = begin; i < std::min(lines, begin + kBatch); ++i) {
      const sim::Key line{first + i};
      batch.push_back({.opcode = Opcode::read,
                       .remote = shared_.lines.remote(line),
                       .bytes = latched_memory::LineLayout::kWordBytes,
                       .wr_id = note({.purpose = Purpose::call, .line = line, .operation = operation, .call = &call}),
                       .operation = operation});
    }
    call.open = static_cast<std::uint32_t>(batch.size());
    post(thread_queue_pair(thread, first), batch);
    co_await call.done.wait();
  }
  co_return call.found == 0;
}

void ComputeNode::send(NodeId to, const Invalidation& message) {
  const WorkRequest request{.opcode = Opcode::send,
                            .content = models::Content::of(message),
                            .bytes = Invalidation::kWireBytes,
                            .signalled = false,
                            .operation = message.operation};
  post(*peers_[to], std::span(&request, 1));
}

WorkRequest ComputeNode::flag(NodeId to, const Answer& answer, sim::OperationId operation) const {
  return {.opcode = Opcode::write,
          .remote = {kAnswers, shared_.nodes[to]->answer_key_},
          .content = models::Content::of(answer),
          .bytes = Answer::kWireBytes,
          .signalled = false,
          .operation = operation};
}

void ComputeNode::answer(const Invalidation& message, Verdict verdict) {
  ++(verdict == Verdict::released ? counters().released
     : verdict == Verdict::busy   ? counters().busy
                                  : counters().gone)
        .value;
  const WorkRequest request =
      flag(message.sender, {.line = message.line, .number = message.number, .verdict = verdict}, message.operation);
  post(*peers_[message.sender], std::span(&request, 1));
}

void ComputeNode::confirm(NodeId to, sim::Key line, std::uint64_t number, sim::OperationId operation) {
  const WorkRequest request = flag(to, {.line = line, .number = number, .verdict = Verdict::landed}, operation);
  post(*peers_[to], std::span(&request, 1));
}

// The line, and the flag behind it.
void ComputeNode::forward(const Invalidation& message, const Frame& frame, ObjectRange dirty) {
  const Answer answer{.line = message.line, .number = message.number, .dirty = dirty, .verdict = Verdict::given};
  std::vector<std::byte> bytes(sizeof answer + options().line_bytes);
  std::memcpy(bytes.data(), &answer, sizeof answer);
  frame.data.store({.low = 0, .high = shared_.lines.objects_per_line()}, std::span(bytes).subspan(sizeof answer));
  WorkRequest request = flag(message.sender, answer, message.operation);
  request.content = models::Content::of_bytes(bytes);
  request.bytes = static_cast<std::uint32_t>(options().line_bytes) + Answer::kWireBytes;
  request.signalled = true;
  request.wr_id = note({.purpose = Purpose::forward, .line = message.line});
  post(*peers_[message.sender], std::span(&request, 1));
}

void ComputeNode::set_timer(LineWork& work, sim::Key line, sim::Time end) {
  work.timer = server().clock().after<&ComputeNode::pause_over>(end - calendar().now(), *this, line.number());
}

}  // namespace racksim::selcc
