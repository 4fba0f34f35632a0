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
      core_(shared.rack.server(session.node).core(session.thread)),
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

sim::Task<models::Answer> Client::get(sim::Key key, sim::OperationId operation) {
  Request request(*this, key, 0, false, operation);
  const models::Answer answer = co_await perform(request);
  co_return answer;
}

sim::Task<models::Answer> Client::put(sim::Key key, sim::Value value, sim::OperationId operation) {
  Request request(*this, key, value, true, operation);
  const models::Answer answer = co_await perform(request);
  co_return answer;
}

void Client::visit_requests(const std::function<void(sim::Key, bool, std::uint32_t, std::uint64_t)>& visit) const {
  std::vector<const Request*> requests;
  key_list_.for_each([&](std::uint64_t, const Request* request) { requests.push_back(request); });
  std::sort(requests.begin(), requests.end(), [](const auto* a, const auto* b) { return a->seq < b->seq; });
  for (const Request* request : requests) visit(request->key, request->write, request->seq, request->timeouts);
}

sim::Task<models::Answer> Client::perform(Request& request) {
  Step step{*this, &request};
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
  Step step{*this, found != nullptr ? *found : nullptr, packet.get(), &message};
  step.happens(step.meaning());
}

std::uint64_t Client::oldest() {
  while (oldest_ != next_seq_ && key_list_.find(oldest_) == nullptr) ++oldest_;
  return oldest_;
}

}  // namespace racksim::store
