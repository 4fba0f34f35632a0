// Requests to the store, and their answers. See cache_thread.hpp.
#include "protocols/cckvs/threads/cache_thread.hpp"

#include <fmt/core.h>

#include <utility>

#include "models/host/core_wait.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::cckvs {

struct CacheThread::Request {
  Request(CacheThread& owner, const StoreRequest& asked, sim::OperationId cause)
      : thread(owner), request(asked), operation(cause), since(owner.calendar().now()), answered(owner.calendar()) {
    if (thread.free_slots_.empty()) {
      thread.free_slots_.push_back(static_cast<std::uint32_t>(thread.slots_.size()));
      thread.slots_.emplace_back();
    }
    slot = thread.free_slots_.back();
    thread.free_slots_.pop_back();
    thread.slots_[slot].request = this;
    request.id = id_of(slot, thread.slots_[slot].turn);
    ++thread.outstanding_;
  }
  ~Request() {
    thread.slots_[slot] = {nullptr, thread.slots_[slot].turn + 1};
    thread.free_slots_.push_back(slot);
    --thread.outstanding_;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  CacheThread& thread;
  StoreRequest request;  // becomes the answer
  sim::OperationId operation;
  sim::Time since;
  sim::Signal answered;
  std::uint32_t slot = 0;
  std::uint32_t packet = 0;   // in which it was first sent
  Destination* to = nullptr;  // null: a thread of this node
  bool sent = false, over = false;
};

CacheThread::CacheThread(Shared& shared, Shard& shard, std::vector<KvsThread*> kvs_threads, NodeId node,
                         unsigned thread)
    : shared_(shared),
      shard_(shard),
      kvs_threads_(std::move(kvs_threads)),
      node_(node),
      thread_(thread),
      core_(shared.rack.server(node).core(thread, "cache_thread")),
      completions_(shared.rack.server(node).nic().create_completion_queue(core_, *this)),
      requests_(shared, core_, shared.rack.server(node).nic().create_datagram({completions_, completions_})) {
  const NodeOptions& options = shared.options;
  completions_.handle_in(options.response_work +
                         options.work_of_connections(options.kvs_threads_in_reach(), shared.nodes()));
}

void CacheThread::connect() {
  const NodeOptions& options = shared_.options;
  for (unsigned node = 0; node < shared_.nodes(); ++node) {
    for (unsigned i = 0; i < options.kvs_threads_in_reach(); ++i) {
      const bool erew = options.partitioning == Partitioning::erew;
      const unsigned partition = erew ? i : thread_ % static_cast<unsigned>(options.kvs_threads);
      destinations_.push_back({.address = shared_.kvs_threads[node][partition], .credits = options.request_credits});
    }
  }
  requests_.queue_pair().post_receive(options.request_credits * options.kvs_threads_in_reach() * (shared_.nodes() - 1));
}

sim::Calendar& CacheThread::calendar() const {
  return shared_.rack.calendar();
}

CacheThread::Request* CacheThread::find(std::uint64_t id) const {
  const Slot& slot = slots_[id & 0xffff'ffff];
  return slot.turn == id >> 32 ? slot.request : nullptr;
}

CacheThread::Destination& CacheThread::destination_of(Home home) {
  const std::uint64_t in_reach = shared_.options.kvs_threads_in_reach();
  return destinations_[home.node * in_reach + (in_reach > 1 ? home.partition : 0)];
}

sim::Task<models::Answer> CacheThread::serve_from_store(StoreRequest asked, sim::OperationId operation) {
  const Home home = shared_.home(asked.key);
  const bool local = home.node == node_;
  if (local && shared_.options.partitioning == Partitioning::crcw) {
    const models::Answer answer = co_await serve_by_itself(asked);
    co_return answer;
  }
  Request request(*this, asked, operation);
  if (local) {
    kvs_threads_[home.partition]->serve_locally(request.request, *this);
  } else {
    send(request, destination_of(home));
  }
  while (!local && shared_.retransmit_after && !request.over) {
    sim::Clock& clock = shared_.rack.server(node_).clock();
    const bool notified = co_await request.answered.wait_for(clock, *shared_.retransmit_after);
    if (!notified && request.sent && !request.over) send_again(request);
  }
  if (!request.over) co_await request.answered.wait();
  co_return answer_of(request.request, local ? AnsweredBy::local_store : AnsweredBy::remote_store);
}

sim::Task<models::Answer> CacheThread::serve_by_itself(StoreRequest request) {
  const sim::Duration cost = shared_.options.store_work;
  co_await models::occupy(core_, cost);
  if (request.put != 0) {
    core_.charge(shard_.write(request.key, request.value, calendar().now(), cost, core_));
  }
  while (request.put == 0 && shard_.read(request, calendar().now() - cost, core_, shared_.options.seqlocks)) {
    ++shared_.counters.read_retries.value;
    shared_.coverage.race(races.read_of_store_meets_write);
    co_await models::occupy(core_, shard_.find(request.key)->lock.free_in(calendar().now()) + cost);
  }
  co_return answer_of(request, AnsweredBy::local_store);
}

void CacheThread::send(Request& request, Destination& to) {
  request.to = &to;
  ++shared_.counters.coalesced.value;
  if (to.credits == 0) {
    ++shared_.counters.out_of_credits.value;
    shared_.coverage.race(races.request_waits_for_credit);
  }
  to.waiting.push(request.request.id);
  list(to);
}

void CacheThread::list(Destination& destination) {
  if (destination.credits == 0 || destination.waiting.empty() || std::exchange(destination.listed, true)) return;
  with_work_.push_back(&destination);
  if (!std::exchange(sends_soon_, true)) core_.run<&CacheThread::send_listed>(sim::Duration{}, *this);
}

// Behind what the thread has to do already, so that what has gathered goes together.
void CacheThread::send_listed() {
  sends_soon_ = false;
  for (Destination* destination : with_work_) {
    destination->listed = false;
    while (destination->credits > 0 && !destination->waiting.empty()) send_packet(*destination);
  }
  with_work_.clear();
  requests_.post();
}

// As many as there may be, and as have room in it and in the response.
void CacheThread::send_packet(Destination& to) {
  const std::uint64_t most = shared_.options.coalesce, room = shared_.rack.options().nic.mtu_bytes;
  std::uint32_t request_bytes = 0, response_bytes = 0;
  packet_.clear();
  const std::uint32_t packet = new_packet(to);
  models::WorkRequest post;
  while (packet_.size() < most && !to.waiting.empty()) {
    Request* next = find(to.waiting.front());
    const MessageSizes sizes = shared_.sizes(next->request.key);
    const bool put = next->request.put != 0;
    const std::uint32_t response = shared_.response_bytes(next->request.key, put);
    if (request_bytes + sizes.request(put) > room || response_bytes + response > room) break;
    request_bytes += sizes.request(put);
    response_bytes += response;
    if (packet_.empty()) post.operation = next->operation;
    next->sent = true;
    next->packet = packet;
    ++packets_[packet].unanswered;
    packet_.push_back(next->request);
    to.waiting.pop();
  }
  --to.credits;
  if (packet_.size() > 16) shared_.coverage.race(races.crowded_packet);
  post.content = coalesced(packet_.size(), [&](std::size_t i) { return packet_[i]; });
  post.bytes = request_bytes;
  post.destination = to.address;
  requests_.add(MessageClass::request, std::move(post));
}

void CacheThread::on_completion(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive) return;
  requests_.queue_pair().post_receive();
  const std::size_t answers = requests_in(completion.content);
  if (answers > 1) core_.charge(shared_.options.response_work * static_cast<std::int64_t>(answers - 1));
  for (std::size_t i = 0; i < answers; ++i) {
    const StoreRequest answer = request_of(completion.content, i);
    Request* request = find(answer.id);
    if (request == nullptr || request->over) {
      ++shared_.counters.stray_answers.value;
      continue;
    }
    if (!shared_.home_requests.empty()) {
      shared_.home_requests[node_]->answer_came(completion.from, answer, core_, thread_);
    }
    take_answer(*request, answer);
    return_credit(request->packet);
  }
}

// When the last of its requests is answered: whatever is sent again has the credit of the first time (a copy of an
// answer finds nobody).
void CacheThread::return_credit(std::uint32_t packet) {
  if (--packets_[packet].unanswered > 0) return;
  Destination& to = *packets_[packet].to;
  free_packets_.push_back(packet);
  ++to.credits;
  list(to);
}

std::uint32_t CacheThread::new_packet(Destination& to) {
  if (free_packets_.empty()) {
    free_packets_.push_back(static_cast<std::uint32_t>(packets_.size()));
    packets_.emplace_back();
  }
  const std::uint32_t packet = free_packets_.back();
  free_packets_.pop_back();
  packets_[packet] = {&to, 0};
  return packet;
}

// Alone: the others of its packet may have been answered.
void CacheThread::send_again(const Request& request) {
  ++shared_.counters.sent_again.value;
  models::WorkRequest post;
  post.content = coalesced(1, [&](std::size_t) { return request.request; });
  post.bytes = shared_.sizes(request.request.key).request(request.request.put != 0);
  post.destination = request.to->address;
  post.operation = request.operation;
  requests_.add(MessageClass::request, std::move(post));
  requests_.post_soon();
}

void CacheThread::take_answer(Request& request, const StoreRequest& answer) {
  request.over = true;
  request.request = answer;
  request.answered.notify_all();
}

void CacheThread::served_locally(const StoreRequest& answer) {
  local_answers_.push(answer);
  core_.run<&CacheThread::take_next_local>(shared_.options.response_work, *this);
}

void CacheThread::take_next_local() {
  const StoreRequest answer = local_answers_.pop();
  take_answer(*find(answer.id), answer);
}

models::Answer CacheThread::answer_of(const StoreRequest& answer, AnsweredBy by) const {
  models::Answer given;
  given.given = true;
  given.key = answer.key;
  given.value = answer.value;
  given.label = static_cast<std::size_t>(by);
  if (answer.put != 0) return given;
  const std::uint32_t bytes = shared_.items.value_bytes(answer.key);
  given.parts.add({.key = answer.key, .number = 0, .bytes = bytes - bytes / 2, .value = answer.value});
  given.parts.add({.key = answer.key, .number = 1, .bytes = bytes / 2, .value = answer.other});
  return given;
}

void CacheThread::add_waits(std::vector<sim::Wait>& waits) const {
  for (const Slot& slot : slots_) {
    const Request* request = slot.request;
    if (request == nullptr) continue;
    const Home home = shared_.home(request->request.key);
    waits.push_back({.who = fmt::format("cache thread {} of node{}", thread_, node_),
                     .whom = fmt::format("node{}", home.node),
                     .why = fmt::format("{} the {} of key {}, since {:.1f} ns",
                                        request->sent || request->to == nullptr ? "an answer to" : "a credit for",
                                        request->request.put != 0 ? "put" : "get",
                                        sim::printed_key(request->request.key), (request->since - sim::Time{}).ns())});
  }
}

void CacheThread::add_leaks(std::vector<models::Leak>& leaks) const {
  for (const Slot& slot : slots_) {
    const Request* request = slot.request;
    if (request == nullptr) continue;
    leaks.push_back({"stuck-request",
                     fmt::format("cache thread {} of node{}: no answer of node{} to the {} of key {}", thread_, node_,
                                 shared_.home(request->request.key).node, request->request.put != 0 ? "put" : "get",
                                 sim::printed_key(request->request.key)),
                     {request->request.key, {request->operation}}});
  }
  for (std::size_t i = 0; outstanding_ == 0 && i < destinations_.size(); ++i) {
    const Destination& to = destinations_[i];
    if (to.credits == shared_.options.request_credits) continue;
    leaks.push_back(
        {"wrong-metadata",
         fmt::format("cache thread {} of node{}: {} credits for requests to node{}, not {}", thread_, node_, to.credits,
                     i / shared_.options.kvs_threads_in_reach(), shared_.options.request_credits),
         {}});
  }
}

void CacheThread::crash() {
  for (Destination& destination : destinations_) destination.waiting.clear();
  for (Destination& destination : destinations_) destination.listed = false;
  with_work_.clear();
  local_answers_.clear();
  requests_.clear();
  sends_soon_ = false;
}

}  // namespace racksim::cckvs
