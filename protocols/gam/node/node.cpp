// The worker thread of a node: requests, messages and what it sends. See node.hpp.
#include "protocols/gam/node/node.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/membership/membership.hpp"

namespace racksim::gam {

namespace {
/// Room for as many frames and as much memory as anybody can name.
constexpr std::uint64_t kEverything = std::uint64_t{1} << 60;
}  // namespace

Node::Node(Shared& shared, NodeId id, unsigned threads)
    : shared_(shared),
      id_(id),
      core_(shared.rack.server(id).core(threads, "worker")),
      completions_(server().nic().create_completion_queue(core_, *this)),
      receives_(server().nic().create_shared_receive_queue()),
      output_(shared, id, core_, *this),
      landings_(shared.rack.nodes()),
      waiting_(threads),
      cache_(shared, output_),
      directory_(shared, output_),
      allocation_(shared, output_),
      sessions_({shared, output_, allocation_, *this}, threads),
      tasks_(shared.rack.calendar()) {
  open_memory();
  completions_.handle_in(options().message);
  if (options().notification == Notification::events) completions_.wait_for_events(options().wake_up);
}

void Node::open_memory() {
  models::Memory& memory = server().nic().memory();
  constexpr models::Memory::Rights kWritten{.read = false, .write = true, .atomic = false};
  MemoryKeys& keys = shared_.keys[id_];
  keys.memory = memory.add({.begin = 0, .bytes = kEverything, .rights = kWritten});
  keys.frames =
      memory.add({.begin = 0, .bytes = kEverything, .rights = kWritten, .observers = {this}, .stored = false});
  keys.write_backs =
      memory.add({.begin = 0,
                  .bytes = shared_.rack.nodes() * options().write_back_buffers * shared_.write_back_bytes(),
                  .rights = kWritten,
                  .observers = {this},
                  .stored = false});
  receives_.post(options().receives);
}

Node::~Node() = default;

void Node::connect(Node& a, Node& b) {
  a.output_.open_channel(b.id_, a.completions_, a.receives_);
  b.output_.open_channel(a.id_, b.completions_, b.receives_);
  Output::connect(a.output_, b.output_);
}

// Requests.

void Node::submit(const Request& request) {
  waiting_[request.thread].push_back(&requests_.add(request));
  if (in_round_ == 0) begin_round();
}

// The core takes work in the order in which it is ready: what has come before goes first, what comes meanwhile behind.
void Node::begin_round() {
  for (auto& waiting : waiting_) {
    if (waiting.empty()) continue;
    ++in_round_;
    const sim::Duration copying = models::copy_time(waiting.front()->bytes);
    core_.run<&Node::serve>(options().hit + copying, *this, waiting.front());
    waiting.pop_front();
  }
}

void Node::serve(Request* request) {
  if (!may_work()) {
    without_lease_.emplace_back(request);
  } else {
    if (sessions_.of(request->thread).admit(*request)) execute(*request);
    run_ready();
  }
  if (--in_round_ == 0) begin_round();
}

void Node::execute(Request& request) {
  // Its turn has come: what it is behind is performed.
  if (request.kind == sim::OperationKind::fence) return output_.grant(request);
  const bool home = shared_.home_of(request.line) == id_;
  if (request.kind == sim::OperationKind::unlock) {
    home ? directory_.unlock(request.line) : cache_.unlock(request.line);
    return output_.grant(request);
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

void Node::request_over(Request& request) {
  if (Request* next = sessions_.of(request.thread).finished(request)) ready_.push_back(next);
  requests_.remove(request);
}

// Messages from other nodes.

void Node::on_completion(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive)
    return output_.channel(Channel::peer_of(completion)).completed(completion);
  receives_.post();
  if (completion.status != models::Status::success) return;
  if (!may_work()) return without_lease_.emplace_back(completion), void();
  receive(completion);
}

void Node::landed(NodeId from, std::uint64_t address, std::uint32_t, const models::Content& content) {
  landings_[from].push_back({address, content});
}

void Node::receive(const models::Completion& completion) {
  Channel& channel = output_.channel(completion.from);
  if (options().logging && (output_.is_cut_off(completion.from) || completion.qpn != channel.number())) return;
  channel.received();
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
  switch (receiver_of(message.kind)) {
    case Receiver::home:
      return directory_.take(message);
    case Receiver::cache:
      return cache_.take(message);
    case Receiver::allocation:
      return allocation_.take(message);
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
      const auto buffer =
          static_cast<std::uint32_t>(landing.address / shared_.write_back_bytes() % options().write_back_buffers);
      return directory_.take({.line = header.line,
                              .request = immediate.number,
                              .frame = buffer,
                              .sender = from,
                              .kind = MessageKind::write_back},
                             std::move(landing.content));
    }
    default:
      break;
  }
  if (!has_payload) return cache_.take(immediate, nullptr, 0);
  const models::Content content = std::exchange(landings_[from].front().content, {});
  landings_[from].pop_front();
  const auto bytes = content.bytes();
  std::uint64_t counter = 0;
  if (options().logging && tells_counter(immediate.kind)) {
    std::memcpy(&counter, bytes.data() + (bytes.size() - sizeof counter), sizeof counter);
  }
  if (is_payload_free(immediate.kind)) {
    return cache_.take(immediate, nullptr, static_cast<std::uint32_t>(counter));
  }
  LineData data;
  data.load(bytes.first(options().line_bytes));
  cache_.take(immediate, &data, static_cast<std::uint32_t>(counter));
}

// Leases, and nodes that fail (recovery.hpp).

// What waits for a lease keeps its order, and what comes later waits behind it.
bool Node::may_work() {
  if (shared_.membership == nullptr || (without_lease_.empty() && shared_.membership->holds_lease(id_))) return true;
  if (without_lease_.empty()) tasks_.spawn(await_lease());
  return false;
}

sim::Task<void> Node::await_lease() {
  co_await shared_.membership->lease(id_);
  core_.run<&Node::work_on>(options().message, *this);
}

void Node::work_on() {
  if (!shared_.membership->holds_lease(id_)) return tasks_.spawn(await_lease()), void();
  const auto work = std::move(without_lease_.front());
  if (Request* const* request = std::get_if<Request*>(&work)) {
    if (sessions_.of((*request)->thread).admit(**request)) execute(**request);
    run_ready();
  } else {
    receive(std::get<models::Completion>(work));
  }
  without_lease_.pop_front();
  if (!without_lease_.empty()) core_.run<&Node::work_on>(options().message, *this);
}

void Node::cut_off(NodeId lost) {
  output_.cut_off(lost);
  landings_[lost].clear();
  directory_.cut_off(lost);
  cache_.cut_off(lost);
  allocation_.cut_off(lost);
  run_ready();
}

std::vector<HeldWrite> Node::writes_left_behind() {
  std::vector<HeldWrite> writes;
  requests_.for_each([&](Request& request) {
    if (request.kind != sim::OperationKind::write || std::exchange(request.is_told, true)) return;
    writes.push_back(
        {request.operation, shared_.access_of(request.line, request.object, request.objects), request.value});
  });
  return writes;
}

void Node::come_back() {
  open_memory();
  output_.come_back();
  for (const sim::Key line : log()->lines()) directory_.set_counter(line, log()->counter_of(line));
}

// The node as a whole.

void Node::crash() {
  tasks_.cancel_all();
  without_lease_.clear();
  output_.crash();
  for (auto& landings : landings_) landings.clear();
  requests_.clear();
  for (auto& waiting : waiting_) waiting.clear();
  in_round_ = 0;
  ready_.clear();
  cache_.crash();
  directory_.crash();
  sessions_.crash();
  allocation_.crash();
}

bool Node::quiescent() const {
  return requests_.open() == 0 && cache_.quiescent() && directory_.quiescent() && output_.quiescent();
}

void Node::add_waits(std::vector<sim::Wait>& waits) const {
  cache_.add_waits(waits);
  directory_.add_waits(waits);
  output_.add_waits(waits);
}

void Node::add_leaks(std::vector<models::Leak>& leaks) const {
  cache_.add_leaks(leaks);
  directory_.add_leaks(leaks);
  sessions_.add_leaks(leaks);
}

}  // namespace racksim::gam
