// Sending, receiving and waiting. See client.hpp.
#include "protocols/store/client.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "models/host/core_wait.hpp"
#include "protocols/store/client_step.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::store {

Client::Client(Shared& shared, models::Session session, RepeatedAnswers& repeated)
    : shared_(shared),
      session_(session),
      repeated_(repeated),
      core_(shared.rack.server(session.node).core(session.thread, "client")),
      nic_(shared.rack.server(session.node).nic()),
      clock_(shared.rack.server(session.node).clock()),
      qpn_(nic_.create_raw_qp(core_, *this)),
      next_seq_(static_cast<std::uint32_t>(shared.options.first_seq)),
      oldest_(next_seq_) {
  if (qpn_ >= kFirstPort + kPorts) {
    throw sim::OptionError("/workload/threads", fmt::format("thread {} of node {}", session.thread, session.node),
                           fmt::format("no more threads than the application's {} UDP ports", kPorts));
  }
}

/// Has a request in the key list, under the next SEQ, as long as it lives.
class Client::Listed {
 public:
  Listed(Client& client, Request& request) : client_(client) {
    // SEQ wraps around (§3.6); numbers whose requests still wait are passed over.
    while (client.key_list_.find(client.next_seq_) != nullptr) ++client.next_seq_;
    seq_ = request.seq = client.next_seq_++;
    client.key_list_[seq_] = &request;
    ++client.outstanding_;
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  ~Listed() {
    client_.key_list_.erase(seq_);
    --client_.outstanding_;
  }

 private:
  Client& client_;
  std::uint32_t seq_;
};

void Client::visit_requests(const std::function<void(sim::Key, bool, std::uint32_t, std::uint64_t)>& visit) const {
  std::vector<const Request*> requests;
  key_list_.for_each([&](std::uint64_t, const Request* request) { requests.push_back(request); });
  std::sort(requests.begin(), requests.end(), [](const auto* a, const auto* b) { return a->seq < b->seq; });
  for (const Request* request : requests) visit(request->key, request->write, request->seq, request->timeouts);
}

sim::Task<models::Answer> Client::perform(sim::Key key, sim::Value value, bool write, sim::OperationId operation) {
  const std::uint64_t attempts = write && !shared_.safety ? 1 : shared_.options.attempts;
  const auto patience = clock_.true_length(shared_.options.timeout * static_cast<std::int64_t>(attempts));
  Request request{.key = key,
                  .value = value,
                  .write = write,
                  .operation = operation,
                  .attempts = attempts,
                  .end = clock_.calendar().now() + patience,
                  .changed = sim::Signal(clock_.calendar()),
                  .op = write ? Op::write_request : Op::read_request};
  const Listed listed(*this, request);
  ClientStep step{*this, shared_, &request};
  while (request.state != RequestState::over) {
    co_await models::occupy(core_, shared_.options.request_work);
    step.happens(RequestEvent::prepared);
    if (request.state == RequestState::waiting) {
      const bool notified = co_await request.changed.wait_for(clock_, shared_.options.timeout);
      if (!notified) step.happens(RequestEvent::timeout);
    }
    if (request.state == RequestState::backing_off) co_await sim::sleep_for(clock_, shared_.rack.options().rtt);
    if (request.state != RequestState::over) step.happens(RequestEvent::retry);
  }
  co_return request.answer;
}

void Client::transmit(const Request& request) {
  const KeyHash hash = shared_.hash(request.key);
  const unsigned server = shared_.home_of(hash);
  const unsigned packets = request.write ? shared_.packets_of(request.key) : 1;
  Message message;
  message.store = {.op = number(request.op), .seq = request.seq, .hkey_high = hash.high, .hkey_low = hash.low};
  message.measure.partition = server % shared_.options.partitions;
  message.safety.oldest_or_number = oldest();
  message.key = request.key;
  message.value = request.value;
  message.brings_value = request.write;
  for (unsigned fragment = 0; fragment < packets; ++fragment) {
    message.fragment = fragment;
    ++shared_.counters.requests.value;
    nic_.send_raw(qpn_, make_message(shared_, message, static_cast<std::uint16_t>(qpn_),
                                     {shared_.node_of(server), shared_.port_of(server)}, request.operation));
  }
}

void Client::on_packet(p4::PacketRef packet) {
  const Message message = read_message(shared_, *packet);
  Request* const* found = key_list_.find(message.store.seq);
  ClientStep step{*this, shared_, found != nullptr ? *found : nullptr, packet.get(), &message};
  step.happens(step.meaning());
}

std::uint64_t Client::oldest() {
  while (oldest_ != next_seq_ && key_list_.find(oldest_) == nullptr) ++oldest_;
  return oldest_;
}

}  // namespace racksim::store
