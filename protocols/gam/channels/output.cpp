// What goes out, at once or when the log is durable. See output.hpp.
#include "protocols/gam/channels/output.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace racksim::gam {

Output::Output(Shared& shared, NodeId self, models::Core& core, OutputHost& host)
    : shared_(shared),
      self_(self),
      core_(core),
      host_(host),
      log_(shared, self, core, *this),
      channels_(shared.rack.nodes()),
      cut_off_(shared.rack.nodes(), false) {}

void Output::open_channel(NodeId peer, models::CompletionQueue& completions, models::ReceiveQueue& receives) {
  channels_[peer] = std::make_unique<Channel>(shared_, self_, peer, completions, receives);
}

void Output::connect(Output& a, Output& b) {
  Channel::connect(a.channel(b.self_), b.channel(a.self_));
}

void Output::logged() {
  for (auto& output : std::exchange(held_back_, {})) {
    std::visit([this](auto& held) { let_out(held); }, output);
  }
  run_ready();
}

void Output::performed(const Request& request, sim::Value value) {
  put(HeldWrite{request.operation, shared_.access_of(request.line, request.object, request.objects), value});
}

void Output::let_out(const HeldEnd& held) {
  if (Answer* answer = held.request->answer) {
    answer->value = held.value;
    answer->granted = held.granted;
    answer->over.notify_all();
  }
  host_.request_over(*held.request);
}

void Output::send(NodeId to, const Message& message) {
  ++shared_.counters.control.value;
  put(HeldMessage{to, message});
}

// With a counter it lands at any place that its observer is told of.
void Output::notify(NodeId to, const Immediate& immediate, sim::OperationId operation,
                    std::optional<std::uint32_t> counter) {
  ++shared_.counters.notifications.value;
  if (!counter || !log_.is_on()) return write_with_immediate(to, {}, {}, immediate, operation);
  write_with_immediate(to, shared_.frame_at(to, 0), with_counter({}, *counter), immediate, operation);
}

void Output::send_line(NodeId to, const models::RemoteAddress& at, const models::Content& bytes,
                       const Immediate& immediate, sim::OperationId operation, std::optional<std::uint32_t> counter) {
  ++shared_.counters.data.value;
  if (!counter || !log_.is_on()) return write_with_immediate(to, at, bytes, immediate, operation);
  write_with_immediate(to, at, with_counter(bytes, *counter), immediate, operation);
}

models::Content Output::with_counter(const models::Content& line, std::uint32_t counter) const {
  const std::uint64_t behind = counter;
  const auto bytes = line.bytes();
  return models::Content::filled(bytes.size() + sizeof behind, [&](std::span<std::byte> room) {
    if (!bytes.empty()) std::memcpy(room.data(), bytes.data(), bytes.size());
    std::memcpy(room.data() + bytes.size(), &behind, sizeof behind);
  });
}

void Output::send_write_back(NodeId home, std::uint32_t buffer, sim::Key line, const LineData& data,
                             const Immediate& immediate) {
  ++shared_.counters.data.value;
  const WriteBackHeader header{line};
  const auto content = models::Content::filled(shared_.write_back_bytes(), [&](std::span<std::byte> room) {
    std::memcpy(room.data(), &header, sizeof header);
    shared_.store(data, room.subspan(sizeof header));
  });
  write_with_immediate(home, shared_.write_back_at(home, self_, buffer), content, immediate, sim::OperationId{0u});
}

void Output::write_with_immediate(NodeId to, const models::RemoteAddress& at, const models::Content& content,
                                  const Immediate& immediate, sim::OperationId operation) {
  models::WorkRequest request;
  request.opcode = models::Opcode::write_imm;
  request.remote = at;
  request.content = content;
  request.immediate = immediate.bits();
  request.operation = operation;
  put(HeldPost{to, std::move(request)});
}

void Output::write_line(sim::Key line, const LineData& data) {
  ++shared_.counters.data.value;
  models::WorkRequest request;
  request.opcode = models::Opcode::write;
  request.remote = shared_.memory_at(line);
  request.content = shared_.bytes_of(data);
  put(HeldPost{shared_.home_of(line), std::move(request)});
}

void Output::cut_off(NodeId lost) {
  cut_off_[lost] = has_cut_off_ = true;
  channels_[lost]->cut();
}

void Output::reconnect(Output& a, Output& b) {
  a.cut_off_[b.self_] = b.cut_off_[a.self_] = false;
  Channel::reconnect(a.channel(b.self_), b.channel(a.self_));
}

void Output::come_back() {
  has_cut_off_ = true;  // others may still answer what it asked for before
  log_.log()->restart(shared_.rack.calendar().now());
}

void Output::crash() {
  std::fill(cut_off_.begin(), cut_off_.end(), false);
  has_cut_off_ = false;
  held_back_.clear();
  log_.crash();
  for (const auto& channel : channels_) {
    if (channel != nullptr) channel->crash();
  }
}

bool Output::quiescent() const {
  return log_.is_written() && std::all_of(channels_.begin(), channels_.end(), [](const auto& channel) {
           return channel == nullptr || channel->quiescent();
         });
}

void Output::add_waits(std::vector<sim::Wait>& waits) const {
  for (const auto& channel : channels_) {
    if (channel != nullptr) channel->add_waits(waits);
  }
}

}  // namespace racksim::gam
