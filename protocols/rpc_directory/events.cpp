// How messages and replies become events of a line's transition table, and what a node tells homes of its copies. The
// handler only tries the local latch and never waits for it.
#include <cstring>
#include <utility>

#include "protocols/rpc_directory/compute_node.hpp"
#include "sim/record/history.hpp"

namespace racksim::rpc_directory {

namespace {
constexpr std::uint64_t kEviction = 1;  // the number of its notice's work request
}  // namespace

void ComputeNode::raise(LineEvent event, sim::Key line, Frame* frame, const Message* message, const Reply* reply) {
  LineState nothing = LineState::absent;
  LineState& state = frame != nullptr ? frame->state : nothing;
  const sim::Permission before = permission_of(state);
  LineStep step{
      .node = *this, .line = line, .frame = frame, .work = works_.find(line), .message = message, .reply = reply};
  line_table().on(state, event, step, shared_.coverage);
  const sim::Permission after = permission_of(state);
  if (after == before) return;
  const LineWork* work = works_.find(line);
  sim::record_permission(shared_.rack.event_log(), shared_.source, calendar().now(),
                         work != nullptr ? work->operation : sim::OperationId{0u}, shared_.lines.object_of(line, 0),
                         id_, after);
}

void ComputeNode::on_completion(const models::Completion& completion) {
  if (completion.status != models::Status::success) {
    ++counters().failed_verbs.value;
  } else if (completion.opcode == models::Opcode::receive) {
    const auto message = completion.content.as<Message>();
    const bool from_peer = message.kind != MessageKind::invalidate;
    models::QueuePair& queue_pair =
        from_peer ? *peers_[message.sender] : *handler_.to_memory[shared_.lines.server_of(message.line)];
    queue_pair.post_receive();
    handler_.core->run<&ComputeNode::handle>(options().handling, *this, inbox_.put(message));
  } else if (completion.wr_id == kEviction) {
    --evictions_under_way_;
    eviction_arrived_.notify_all();
  }
}

void ComputeNode::handle(std::uint32_t slot) {
  serve(inbox_.take(slot));
}

void ComputeNode::serve(const Message& message) {
  Frame* frame = cache_.find(message.line);
  raise(event_of(message.kind), message.line, frame, &message);
  if (frame != nullptr) tidy(*frame);
}

void ComputeNode::landed(NodeId, std::uint64_t, std::uint32_t, const models::Content& content) {
  Arrived arrived;
  std::memcpy(static_cast<void*>(&arrived.reply), content.bytes().data(), sizeof arrived.reply);
  const LineWork* work = works_.find(arrived.reply.line);
  if (work == nullptr) return;
  if (arrived.reply.verdict == Verdict::page) arrived.page.load(content.bytes().subspan(sizeof arrived.reply));
  // The thread that waits looks at its buffer all the time.
  core_of(work->thread)
      .run<&ComputeNode::take_reply>(shared_.rack.options().cpu.completion, *this, replies_.put(std::move(arrived)));
}

void ComputeNode::take_reply(std::uint32_t slot) {
  Arrived arrived = replies_.take(slot);
  const Reply& reply = arrived.reply;
  LineWork* work = works_.find(reply.line);
  if (work == nullptr || work->request != reply.request) return;
  if (reply.verdict == Verdict::ask_owner)
    return raise(LineEvent::redirected, reply.line, work->frame, nullptr, &reply);
  work->page = std::move(arrived.page);
  raise(LineEvent::granted, reply.line, work->frame, nullptr, &reply);
  work->acquired.notify_all();
}

void ComputeNode::tell_home(const Message& about, MessageKind kind) {
  const Message message{.line = about.line,
                        .version = about.version,
                        .sender = id_,
                        .endpoint = static_cast<std::uint16_t>(threads_.size()),
                        .kind = kind,
                        .operation = about.operation};
  post_message(*handler_.to_memory[shared_.lines.server_of(about.line)], message);
}

void ComputeNode::ask_home(const LineWork& work, Message message) {
  sign(message, work);
  post_message(*threads_[work.thread].to_memory[shared_.lines.server_of(message.line)], message);
}

void ComputeNode::ask_owner(const LineWork& work, NodeId owner, Message message) {
  sign(message, work);
  post_message(*peers_[owner], message);
}

void ComputeNode::sign(Message& request, const LineWork& work) const {
  request.sender = id_;
  request.endpoint = static_cast<std::uint16_t>(work.thread);
  request.operation = work.operation;
}

void ComputeNode::give_page(const Message& request, const Frame& frame) {
  const Reply reply{.line = request.line, .request = request.request, .verdict = Verdict::page};
  std::vector<std::byte> page(options().line_bytes);
  frame.data.store({.low = 0, .high = shared_.lines.objects_per_line()}, page);
  post_reply(*peers_[request.sender], reply, page, shared_.buffer_of(request.sender, request.endpoint),
             request.operation);
}

// The whole page is written: ScaleStore knows no dirty range. One queue pair carries the WRITE and the notice, in
// order.
void ComputeNode::write_back_and_tell(const Frame& frame, bool writes, MessageKind kind, sim::OperationId operation) {
  const std::size_t home = shared_.lines.server_of(frame.line);
  models::QueuePair& queue_pair = *handler_.to_memory[home];
  const Message notice{.line = frame.line,
                       .version = frame.version,
                       .sender = id_,
                       .endpoint = static_cast<std::uint16_t>(threads_.size()),
                       .kind = kind,
                       .operation = operation};
  const std::uint64_t number = kind == MessageKind::shared_out ? 0 : kEviction;
  if (number == kEviction) ++evictions_under_way_;
  if (!options().write_back_first) post_message(queue_pair, notice, number);
  if (writes) {
    ++counters().write_backs.value;
    std::vector<std::byte> page(options().line_bytes);
    frame.data.store({.low = 0, .high = shared_.lines.objects_per_line()}, page);
    const models::WorkRequest write{.opcode = models::Opcode::write,
                                    .remote = shared_.lines.remote(frame.line, 0),
                                    .content = models::Content::of_bytes(page),
                                    .signalled = false,
                                    .operation = operation};
    queue_pair.post(write);
  }
  if (options().write_back_first) post_message(queue_pair, notice, number);
}

}  // namespace racksim::rpc_directory
