// How messages and replies become events of a line's transition table, and what a node tells homes of its copies. The
// handler only tries the local latch and never waits for it.
#include <utility>

#include "models/host/core_wait.hpp"
#include "protocols/rpc_directory/compute_node.hpp"

namespace racksim::rpc_directory {

namespace {
constexpr std::uint64_t kEviction = 1;  // the number of its notice's work request
}  // namespace

void ComputeNode::raise(LineEvent event, sim::Key line, Frame* frame, const Message* message, const Reply* reply) {
  execute(
      line_table(), event,
      LineStep{
          .node = *this, .line = line, .frame = frame, .work = works_.find(line), .message = message, .reply = reply});
}

void ComputeNode::latch_freed(Frame& frame) {
  const std::vector<Message> deferred = std::exchange(works_.of(frame).deferred, {});
  for (const Message& message : deferred) raise(event_of(message.kind), frame.line, &frame, &message);
  grant_waiters(frame);
  tidy(frame);
}

void ComputeNode::grant_waiters(Frame& frame) {
  LineWork& work = works_.of(frame);
  if (work.deferred.empty()) line_cache::grant_latch(frame, work.waiters);
}

void ComputeNode::on_completion(const models::Completion& completion) {
  if (completion.status != models::Status::success) {
    ++counters().failed_verbs.value;
  } else if (completion.opcode == models::Opcode::receive) {
    const auto message = completion.content.as<Message>();
    const bool from_peer = message.kind != MessageKind::invalidate;
    models::QueuePair& queue_pair =
        from_peer ? connections_.to_peer(message.sender) : connections_.of_handler(message.line);
    queue_pair.post_receive();
    connections_.handler_core().run<&ComputeNode::handle>(options().handling, *this, inbox_.put(message));
  } else if (completion.wr_id == kEviction) {
    --evictions_under_way_;
    eviction_arrived_.notify_all();
  }
}

void ComputeNode::handle(std::uint32_t slot) {
  const Message message = inbox_.take(slot);
  Frame* frame = cache_.find(message.line);
  raise(event_of(message.kind), message.line, frame, &message);
  if (frame != nullptr) tidy(*frame);
}

void ComputeNode::landed(NodeId, std::uint64_t, std::uint32_t, const models::Content& content) {
  Arrived arrived{.reply = latched_memory::header_of<Reply>(content), .page = {}};
  const LineWork* work = works_.find(arrived.reply.line);
  if (work == nullptr) return;
  if (arrived.reply.verdict == Verdict::page) arrived.page.load(content.bytes().subspan(sizeof arrived.reply));
  // The thread that waits looks at its buffer all the time.
  connections_.core_of(work->thread)
      .run<&ComputeNode::take_reply>(shared_.rack.options().cpu.completion, *this, replies_.put(std::move(arrived)));
}

void ComputeNode::take_reply(std::uint32_t slot) {
  Arrived arrived = replies_.take(slot);
  const Reply& reply = arrived.reply;
  LineWork* work = works_.find(reply.line);
  if (work == nullptr || work->request != reply.request) return;
  if (reply.verdict == Verdict::ask_owner)
    return raise(LineEvent::redirected, reply.line, work->frame, nullptr, &reply);
  if (reply.verdict == Verdict::busy) return raise(LineEvent::refused, reply.line, work->frame, nullptr, &reply);
  work->fetched = std::move(arrived.page);
  raise(LineEvent::granted, reply.line, work->frame, nullptr, &reply);
  work->acquired.notify_all();
}

Message ComputeNode::signed_by(std::size_t endpoint, Message message) const {
  message.sender = id_;
  message.endpoint = static_cast<std::uint16_t>(endpoint);
  return message;
}

void ComputeNode::ask_home(const LineWork& work, Message message) {
  message.operation = work.operation;
  post_message(connections_.of_thread(work.thread, message.line), signed_by(work.thread, message));
}

void ComputeNode::ask_owner(const LineWork& work, NodeId owner, Message message) {
  message.operation = work.operation;
  post_message(connections_.to_peer(owner), signed_by(work.thread, message));
}

void ComputeNode::tell_home(const Message& about, MessageKind kind) {
  const Message message{.line = about.line, .version = about.version, .kind = kind, .operation = about.operation};
  post_message(connections_.of_handler(about.line), signed_by(connections_.thread_count(), message));
}

void ComputeNode::deny(const Message& request) {
  const Reply reply{.line = request.line, .request = request.request, .verdict = Verdict::busy};
  post_reply(connections_.to_peer(request.sender), reply, {}, shared_.buffer_of(request.sender, request.endpoint),
             request.operation);
}

void ComputeNode::give_page(const Message& request, const Frame& frame) {
  const Reply reply{.line = request.line, .request = request.request, .verdict = Verdict::page};
  post_reply(connections_.to_peer(request.sender), reply, frame.data.bytes(shared_.lines.whole()).bytes(),
             shared_.buffer_of(request.sender, request.endpoint), request.operation);
}

// The whole page is written: ScaleStore knows no dirty range. One queue pair carries the WRITE and the notice, in
// order.
void ComputeNode::write_back_and_tell(const Frame& frame, bool writes, MessageKind kind, sim::OperationId operation) {
  models::QueuePair& queue_pair = connections_.of_handler(frame.line);
  const Message notice =
      signed_by(connections_.thread_count(),
                {.line = frame.line, .version = frame.version, .kind = kind, .operation = operation});
  const std::uint64_t number = kind == MessageKind::shared_out ? 0 : kEviction;
  if (number == kEviction) ++evictions_under_way_;
  if (!options().write_back_first) post_message(queue_pair, notice, number);
  if (writes) {
    ++counters().write_backs.value;
    const models::WorkRequest write{.opcode = models::Opcode::write,
                                    .remote = shared_.lines.remote(frame.line, 0),
                                    .content = frame.data.bytes(shared_.lines.whole()),
                                    .signalled = false,
                                    .operation = operation};
    queue_pair.post(write);
  }
  if (options().write_back_first) post_message(queue_pair, notice, number);
}

// Evictions are ScaleStore's page provider's, with LRU lists in place of its epochs. The page is copied as it is posted, so
// that a frame is free at once; a window of evictions under way limits the copies.
sim::Task<void> ComputeNode::evict_lines(std::vector<sim::Key> victims) {
  for (const sim::Key line : victims) {
    co_await models::occupy(connections_.evictor_core(), options().eviction);
    while (evictions_under_way_ >= options().eviction_window) {
      ++counters().eviction_waits.value;
      co_await eviction_arrived_.wait();
    }
    Frame* frame = victim(line);
    if (frame == nullptr) continue;
    raise(LineEvent::evict, line, frame);
    tidy(*frame);
  }
}

}  // namespace racksim::rpc_directory
