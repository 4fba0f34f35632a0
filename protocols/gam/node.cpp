// The worker thread of a node: requests, messages and what it sends. See node.hpp.
#include "protocols/gam/node.hpp"

#include <fmt/core.h>

#include <cstring>
#include <stdexcept>
#include <utility>

namespace racksim::gam {

namespace {
/// Room for as many frames and as much memory as anybody can name.
constexpr std::uint64_t kEverything = std::uint64_t{1} << 60;
}  // namespace

Node::Node(Shared& shared, NodeId id, unsigned threads)
    : shared_(shared),
      id_(id),
      core_(shared.rack.server(id).core(threads)),
      completions_(server().nic().create_completion_queue(core_, *this)),
      receives_(server().nic().create_shared_receive_queue()),
      channels_(shared.rack.nodes()),
      landings_(shared.rack.nodes()),
      write_backs_(shared.rack.nodes(), std::vector<models::Content>(shared.options.write_back_buffers)),
      cache_(shared, *this),
      directory_(shared, *this),
      sessions_(shared, id, threads),
      allocation_(shared, *this) {
  models::Memory& memory = server().nic().memory();
  constexpr models::Memory::Rights kWritten{.read = false, .write = true, .atomic = false};
  memory_key_ = memory.add({.begin = 0, .bytes = kEverything, .rights = kWritten});
  frames_key_ =
      memory.add({.begin = 0, .bytes = kEverything, .rights = kWritten, .observers = {this}, .stored = false});
  buffers_key_ = memory.add({.begin = 0,
                             .bytes = shared.rack.nodes() * options().write_back_buffers * buffer_bytes(),
                             .rights = kWritten,
                             .observers = {this},
                             .stored = false});
  receives_.post(options().receives);
  completions_.handle_in(options().message);
  if (options().notification == Notification::events) completions_.wait_for_events(options().wake_up);
}

Node::~Node() = default;

void Node::connect(Node& a, Node& b) {
  const auto open = [](Node& node, NodeId peer) {
    node.channels_[peer] = std::make_unique<Channel>(node.shared_, node.id_, peer, node.completions_, node.receives_);
  };
  open(a, b.id_);
  open(b, a.id_);
  Channel::connect(*a.channels_[b.id_], *b.channels_[a.id_]);
}

std::string Node::name_of(unsigned thread) const {
  return fmt::format("node{}/thread{}", id_, thread);
}

// Requests.

void Node::submit(const Request& request) {
  core_.run<&Node::serve>(options().hit, *this, &requests_.add(request));
}

void Node::serve(Request* request) {
  if (sessions_.admit(*request)) execute(*request);
  run_ready();
}

void Node::execute(Request& request) {
  const bool home = shared_.home_of(request.line) == id_;
  if (request.kind == sim::OperationKind::unlock) {
    home ? directory_.unlock(request.line) : cache_.unlock(request.line);
    return finish(request, 0, true);
  }
  home ? directory_.access(request) : cache_.access(request);
}

void Node::run_ready() {
  while (!ready_.empty()) {
    Request* next = ready_.front();
    ready_.pop_front();
    execute(*next);
  }
}

void Node::performed(const Request& request, sim::Value value) {
  shared_.memory.performed(request.operation, shared_.object_of(request.line, request.object), value);
}

void Node::finish(Request& request, sim::Value value, bool granted) {
  if (Answer* answer = request.answer) {
    answer->value = value;
    answer->granted = granted;
    answer->is_over = true;
    answer->over.notify_all();
  }
  if (Request* next = sessions_.finished(request)) ready_.push_back(next);
  requests_.remove(request);
}

// Messages to other nodes.

void Node::send(NodeId to, const Message& message) {
  ++shared_.counters.control.value;
  channels_[to]->send(message);
}

void Node::notify(NodeId to, const Immediate& immediate, sim::OperationId operation) {
  ++shared_.counters.notifications.value;
  models::WorkRequest request;
  request.opcode = models::Opcode::write_imm;
  request.immediate = immediate.bits();
  request.operation = operation;
  channels_[to]->post(std::move(request));
}

models::Content Node::bytes_of(const LineData& data) const {
  return models::Content::filled(options().line_bytes, [&](std::span<std::byte> room) {
    data.store({.low = 0, .high = static_cast<std::uint16_t>(shared_.objects_per_line())}, room);
  });
}

void Node::send_line(NodeId to, const models::RemoteAddress& at, const LineData& data, const Immediate& immediate,
                     sim::OperationId operation) {
  ++shared_.counters.data.value;
  models::WorkRequest request;
  request.opcode = models::Opcode::write_imm;
  request.remote = at;
  request.content = bytes_of(data);
  request.immediate = immediate.bits();
  request.operation = operation;
  channels_[to]->post(std::move(request));
}

void Node::send_memory(NodeId to, const models::RemoteAddress& at, sim::Key line, const Immediate& immediate,
                       sim::OperationId operation) {
  ++shared_.counters.data.value;
  models::WorkRequest request;
  request.opcode = models::Opcode::write_imm;
  request.remote = at;
  request.content = server().nic().memory().read(shared_.offset_of(line), options().line_bytes);
  request.immediate = immediate.bits();
  request.operation = operation;
  channels_[to]->post(std::move(request));
}

void Node::send_write_back(NodeId home, std::uint32_t buffer, sim::Key line, const LineData& data,
                           const Immediate& immediate) {
  ++shared_.counters.data.value;
  const WriteBackHeader header{line};
  models::WorkRequest request;
  request.opcode = models::Opcode::write_imm;
  request.remote = {(id_ * options().write_back_buffers + buffer) * buffer_bytes(), shared_.nodes[home]->buffers_key_};
  request.content = models::Content::filled(buffer_bytes(), [&](std::span<std::byte> room) {
    std::memcpy(room.data(), &header, sizeof header);
    data.store({.low = 0, .high = static_cast<std::uint16_t>(shared_.objects_per_line())}, room.subspan(sizeof header));
  });
  request.immediate = immediate.bits();
  channels_[home]->post(std::move(request));
}

void Node::write_line(NodeId home, const models::RemoteAddress& at, const LineData& data) {
  ++shared_.counters.data.value;
  models::WorkRequest request;
  request.opcode = models::Opcode::write;
  request.remote = at;
  request.content = bytes_of(data);
  channels_[home]->post(std::move(request));
}

void Node::take_written_back(const Message& message) {
  if (options().write_back == WriteBack::one_sided) return;  // it is there
  const models::Content landed = std::exchange(write_backs_[message.sender][message.frame], {});
  server().nic().memory().write(shared_.offset_of(message.line), landed.bytes().subspan(sizeof(WriteBackHeader)));
}

models::RemoteAddress Node::frame_at(NodeId node, std::uint32_t frame) const {
  return {frame * options().line_bytes, shared_.nodes[node]->frames_key_};
}

models::RemoteAddress Node::memory_at(sim::Key line) const {
  return {shared_.offset_of(line), shared_.nodes[shared_.home_of(line)]->memory_key_};
}

// Messages from other nodes.

void Node::on_completion(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive)
    return channels_[Channel::peer_of(completion)]->completed(completion);
  receives_.post();
  if (completion.status == models::Status::success) receive(completion);
}

void Node::landed(NodeId from, std::uint64_t address, std::uint32_t, const models::Content& content) {
  landings_[from].push_back({address, content});
}

void Node::receive(const models::Completion& completion) {
  channels_[completion.from]->received();
  ++shared_.counters.handled.value;
  if (completion.immediate) {
    handle_notification(completion.from, Immediate::of(*completion.immediate), completion.bytes > 0);
    return run_ready();
  }
  // Several that have waited together come in one packet.
  const auto bytes = completion.content.bytes();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(Message)) {
    if (at > 0) {
      ++shared_.counters.handled.value;
      core_.charge(options().message);
    }
    Message message;
    std::memcpy(static_cast<void*>(&message), bytes.data() + at, sizeof message);
    handle_message(message);
    run_ready();
  }
}

void Node::handle_message(const Message& message) {
  switch (message.kind) {
    case MessageKind::read:
    case MessageKind::write:
    case MessageKind::write_permission_only:
    case MessageKind::active_invalidate:
    case MessageKind::write_back:
    case MessageKind::denied_to_home:
      return directory_.take(message);
    case MessageKind::malloc:
    case MessageKind::malloc_reply:
    case MessageKind::free:
    case MessageKind::free_reply:
    case MessageKind::memory_statistics:
      return allocation_.take(message);
    default:
      return cache_.take(message);
  }
}

void Node::handle_notification(NodeId from, const Immediate& immediate, bool brings_line) {
  switch (immediate.kind) {
    case ImmediateKind::invalidate_ack:
    case ImmediateKind::transfer:
    case ImmediateKind::fetched:  // into memory, where it is
      return directory_.take(immediate, from);
    case ImmediateKind::write_back: {
      Landing landing = std::move(landings_[from].front());
      landings_[from].pop_front();
      WriteBackHeader header;
      std::memcpy(static_cast<void*>(&header), landing.content.bytes().data(), sizeof header);
      const auto buffer = static_cast<std::uint32_t>(landing.address / buffer_bytes() % options().write_back_buffers);
      write_backs_[from][buffer] = std::move(landing.content);
      return directory_.take({.line = header.line,
                              .request = immediate.number,
                              .frame = buffer,
                              .sender = from,
                              .kind = MessageKind::write_back});
    }
    default:
      break;
  }
  if (!brings_line) return cache_.take(immediate, nullptr);
  LineData data;
  data.load(landings_[from].front().content.bytes());
  landings_[from].pop_front();
  cache_.take(immediate, &data);
}

// The node as a whole.

void Node::crash() {
  for (const auto& channel : channels_) {
    if (channel != nullptr) channel->crash();
  }
  for (auto& landings : landings_) landings.clear();
  requests_.clear();
  ready_.clear();
  cache_.crash();
  directory_.crash();
  sessions_.crash();
  allocation_.crash();
}

bool Node::quiescent() const {
  if (requests_.open() > 0 || !cache_.quiescent() || !directory_.quiescent()) return false;
  for (const auto& channel : channels_) {
    if (channel != nullptr && !channel->quiescent()) return false;
  }
  return true;
}

void Node::add_waits(std::vector<sim::Wait>& waits) const {
  cache_.add_waits(waits);
  directory_.add_waits(waits);
  for (const auto& channel : channels_) {
    if (channel != nullptr) channel->add_waits(waits);
  }
}

void Node::add_leaks(std::vector<models::Leak>& leaks) const {
  cache_.add_leaks(leaks);
  directory_.add_leaks(leaks);
  sessions_.add_leaks(leaks);
}

}  // namespace racksim::gam
