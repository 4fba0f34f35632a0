// The worker thread of a node: requests, messages and what it sends. See node.hpp.
#include "protocols/gam/node/node.hpp"

#include <fmt/core.h>

#include <algorithm>
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
      allocation_(shared, *this),
      cut_off_(shared.rack.nodes(), false),
      tasks_(shared.rack.calendar()) {
  if (options().logging) log_.emplace(options().nvram, options().line_bytes);
  open_memory();
  completions_.handle_in(options().message);
  if (options().notification == Notification::events) completions_.wait_for_events(options().wake_up);
}

void Node::open_memory() {
  models::Memory& memory = server().nic().memory();
  constexpr models::Memory::Rights kWritten{.read = false, .write = true, .atomic = false};
  memory_key_ = memory.add({.begin = 0, .bytes = kEverything, .rights = kWritten});
  frames_key_ =
      memory.add({.begin = 0, .bytes = kEverything, .rights = kWritten, .observers = {this}, .stored = false});
  buffers_key_ = memory.add({.begin = 0,
                             .bytes = shared_.rack.nodes() * options().write_back_buffers * buffer_bytes(),
                             .rights = kWritten,
                             .observers = {this},
                             .stored = false});
  receives_.post(options().receives);
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
  if (!may_work()) return without_lease_.emplace_back(request), void();
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
  const HeldWrite write{request.operation, shared_.object_of(request.line, request.object), value};
  holds_back() ? held_back_.emplace_back(write), void() : let_out(write);
}

void Node::finish(Request& request, sim::Value value, bool granted) {
  const HeldEnd end{&request, value, granted};
  holds_back() ? held_back_.emplace_back(end), void() : let_out(end);
}

void Node::let_out(const HeldWrite& held) {
  shared_.memory.performed(held.operation, held.object, held.value);
}

void Node::let_out(const HeldEnd& held) {
  Request& request = *held.request;
  if (Answer* answer = request.answer) {
    answer->value = held.value;
    answer->granted = held.granted;
    answer->is_over = true;
    answer->over.notify_all();
  }
  if (Request* next = sessions_.finished(request)) ready_.push_back(next);
  requests_.remove(request);
}

// Messages to other nodes.

void Node::send(NodeId to, const Message& message) {
  ++shared_.counters.control.value;
  const HeldMessage held{to, message};
  holds_back() ? held_back_.emplace_back(held), void() : let_out(held);
}

void Node::let_out(const HeldMessage& held) {
  channels_[held.to]->send(held.message);
}

void Node::post(NodeId to, models::WorkRequest request) {
  if (holds_back()) {
    held_back_.emplace_back(HeldPost{to, std::move(request)});
  } else {
    channels_[to]->post(std::move(request));
  }
}

void Node::let_out(HeldPost& held) {
  channels_[held.to]->post(std::move(held.request));
}

void Node::notify(NodeId to, const Immediate& immediate, sim::OperationId operation) {
  ++shared_.counters.notifications.value;
  write_with_immediate(to, {}, {}, immediate, operation);
}

void Node::notify_owner(NodeId to, const Immediate& immediate, sim::OperationId operation, std::uint32_t counter) {
  ++shared_.counters.notifications.value;
  // With a counter it lands at any place that its observer is told of.
  write_with_immediate(to, log_ ? frame_at(to, 0) : models::RemoteAddress{}, with_counter({}, counter), immediate,
                       operation);
}

models::Content Node::bytes_of(const LineData& data) const {
  return models::Content::filled(options().line_bytes, [&](std::span<std::byte> room) {
    data.store({.low = 0, .high = static_cast<std::uint16_t>(shared_.objects_per_line())}, room);
  });
}

models::Content Node::memory_of(sim::Key line) const {
  return server().nic().memory().read(shared_.offset_of(line), options().line_bytes);
}

models::Content Node::with_counter(const models::Content& line, std::uint32_t counter) const {
  if (!log_) return line;
  const std::uint64_t behind = counter;
  const auto bytes = line.bytes();
  return models::Content::filled(bytes.size() + sizeof behind, [&](std::span<std::byte> room) {
    if (!bytes.empty()) std::memcpy(room.data(), bytes.data(), bytes.size());
    std::memcpy(room.data() + bytes.size(), &behind, sizeof behind);
  });
}

void Node::send_line(NodeId to, const models::RemoteAddress& at, const models::Content& bytes,
                     const Immediate& immediate, sim::OperationId operation) {
  ++shared_.counters.data.value;
  write_with_immediate(to, at, bytes, immediate, operation);
}

void Node::send_write_back(NodeId home, std::uint32_t buffer, sim::Key line, const LineData& data,
                           const Immediate& immediate) {
  ++shared_.counters.data.value;
  const WriteBackHeader header{line};
  const models::RemoteAddress at{(id_ * options().write_back_buffers + buffer) * buffer_bytes(),
                                 shared_.nodes[home]->buffers_key_};
  const auto content = models::Content::filled(buffer_bytes(), [&](std::span<std::byte> room) {
    std::memcpy(room.data(), &header, sizeof header);
    data.store({.low = 0, .high = static_cast<std::uint16_t>(shared_.objects_per_line())}, room.subspan(sizeof header));
  });
  write_with_immediate(home, at, content, immediate, sim::OperationId{0u});
}

void Node::write_with_immediate(NodeId to, const models::RemoteAddress& at, const models::Content& content,
                                const Immediate& immediate, sim::OperationId operation) {
  models::WorkRequest request;
  request.opcode = models::Opcode::write_imm;
  request.remote = at;
  request.content = content;
  request.immediate = immediate.bits();
  request.operation = operation;
  post(to, std::move(request));
}

void Node::write_line(NodeId home, const models::RemoteAddress& at, const LineData& data) {
  ++shared_.counters.data.value;
  models::WorkRequest request;
  request.opcode = models::Opcode::write;
  request.remote = at;
  request.content = bytes_of(data);
  post(home, std::move(request));
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
  if (completion.status != models::Status::success) return;
  if (!may_work()) return without_lease_.emplace_back(completion), void();
  receive(completion);
}

void Node::landed(NodeId from, std::uint64_t address, std::uint32_t, const models::Content& content) {
  landings_[from].push_back({address, content});
}

void Node::receive(const models::Completion& completion) {
  if (log_ && (is_cut_off(completion.from) || completion.qpn != channels_[completion.from]->number())) return;
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

void Node::handle_notification(NodeId from, const Immediate& immediate, bool has_payload) {
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
  if (!has_payload) return cache_.take(immediate, nullptr, 0);
  const models::Content content = std::exchange(landings_[from].front().content, {});
  landings_[from].pop_front();
  const auto bytes = content.bytes();
  std::uint64_t counter = 0;
  if (log_ && tells_counter(immediate.kind)) {
    std::memcpy(&counter, bytes.data() + (bytes.size() - sizeof counter), sizeof counter);
  }
  if (is_payload_free(immediate.kind)) {
    return cache_.take(immediate, nullptr, static_cast<std::uint32_t>(counter));
  }
  LineData data;
  data.load(bytes.first(options().line_bytes));
  cache_.take(immediate, &data, static_cast<std::uint32_t>(counter));
}

// The node as a whole.

void Node::crash() {
  std::fill(cut_off_.begin(), cut_off_.end(), false);
  has_cut_off_ = false;
  tasks_.cancel_all();
  without_lease_.clear();
  held_back_.clear();
  shared_.rack.calendar().cancel(logged_event_);
  if (log_) log_->crash(shared_.rack.calendar().now());
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
  if (log_ && !log_->is_written()) return false;
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
