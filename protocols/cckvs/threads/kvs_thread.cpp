// Serving the store. See kvs_thread.hpp.
#include "protocols/cckvs/threads/kvs_thread.hpp"

#include <utility>

namespace racksim::cckvs {

KvsThread::KvsThread(Shared& shared, Shard& shard, NodeId node, unsigned thread)
    : shared_(shared),
      shard_(shard),
      node_(node),
      thread_(thread),
      core_(shared.rack.server(node).core(shared.options.cache_threads + thread, "kvs_thread")),
      completions_(shared.rack.server(node).nic().create_completion_queue(core_, *this)),
      requests_(shared, core_, shared.rack.server(node).nic().create_datagram({completions_, completions_})) {
  const NodeOptions& options = shared.options;
  const std::uint64_t clients = options.cache_threads_in_reach(thread);
  completions_.handle_in(options.packet_work + options.store_work +
                         options.work_of_connections(clients, shared.nodes()));
  requests_.queue_pair().post_receive(options.request_credits * clients * (shared.nodes() - 1));
}

void KvsThread::on_completion(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive) return;
  requests_.queue_pair().post_receive();
  if (!shared_.home_requests.empty()) return take_in(completion, *shared_.home_requests[node_]);
  const std::size_t requests = requests_in(completion.content);
  // The time for the first access has passed.
  if (requests > 1) core_.charge(shared_.options.store_work * static_cast<std::int64_t>(requests - 1));
  respond(requests, {completion.from, completion.from_qpn, completion.operation}, [&](std::size_t i) {
    StoreRequest request = request_of(completion.content, i);
    if (request.put == 0 || !is_repeated(request, completion)) answer(request);
    return request;
  });
}

template <class Answer>
void KvsThread::respond(std::size_t answers, const Caller& to, Answer&& answer_of) {
  models::WorkRequest response;
  std::uint32_t bytes = 0;
  response.content = coalesced(answers, [&](std::size_t i) {
    const StoreRequest answer = answer_of(i);
    bytes += shared_.response_bytes(answer.key, answer.put != 0);
    return answer;
  });
  response.bytes = bytes;
  response.destination = {.node = to.node, .qpn = to.queue_pair};
  response.operation = to.operation;
  requests_.add(MessageClass::response, std::move(response));
  requests_.post_soon();
}

// The packet is answered by one when all of its requests are: so the credit comes back once. Of requests that come
// again while they are under way the first is answered.
void KvsThread::take_in(const models::Completion& completion, HomeRequests& home) {
  if (free_pending_.empty()) {
    free_pending_.push_back(static_cast<std::uint32_t>(pending_.size()));
    pending_.emplace_back();
  }
  const std::uint32_t slot = free_pending_.back();
  free_pending_.pop_back();
  std::vector<StoreRequest> requests = std::move(pending_[slot].requests);
  requests.clear();
  std::uint64_t again = 0;
  const std::size_t came = requests_in(completion.content);
  for (std::size_t i = 0; i < came; ++i) {
    const StoreRequest request = request_of(completion.content, i);
    if (home.is_under_way(request.operation)) continue;
    const bool repeated = request.put != 0 && is_repeated(request, completion);
    if (repeated) again |= std::uint64_t{1} << requests.size();
    requests.push_back(repeated ? home.answer_again(request) : request);
  }
  if (came > 1) core_.charge(shared_.options.store_work * static_cast<std::int64_t>(came - 1));
  const std::size_t taken = requests.size();
  // One more, so that no answer completes the packet before all have been asked.
  pending_[slot] = {
      std::move(requests), taken + 1, {completion.from, completion.from_qpn, completion.operation}, false};
  const auto on_copies = static_cast<unsigned>(thread_ % shared_.options.cache_threads);
  for (std::size_t i = 0; i < taken; ++i) {
    if ((again >> i & 1) != 0) {
      count_answer(slot);
      continue;
    }
    const StoreRequest request = pending_[slot].requests[i];
    home.request(request, *this, std::uint64_t{slot} << 32 | i, core_, on_copies);
  }
  pending_[slot].is_late = pending_[slot].unanswered > 1;
  count_answer(slot);
}

void KvsThread::request_served(std::uint64_t token, const StoreRequest& answer) {
  const auto slot = static_cast<std::uint32_t>(token >> 32);
  pending_[slot].requests[token & 0xffff'ffff] = answer;
  count_answer(slot);
}

// A late answer takes the thread another look at the object.
void KvsThread::count_answer(std::uint32_t slot) {
  Pending& pending = pending_[slot];
  if (--pending.unanswered > 0) return;
  if (!pending.is_late) return respond_pending(slot);
  core_.run<&KvsThread::respond_pending>(shared_.options.store_work, *this, slot);
}

void KvsThread::respond_pending(std::uint32_t slot) {
  const Pending& pending = pending_[slot];
  free_pending_.push_back(slot);
  if (pending.requests.empty()) return;
  respond(pending.requests.size(), pending.caller, [&](std::size_t i) { return pending.requests[i]; });
}

// Of what a cache thread has in one slot the ids rise, and each put there has been answered when the next comes: so
// the last one stands for all, and results of puts need not be kept (they have none).
bool KvsThread::is_repeated(const StoreRequest& put, const models::Completion& from) {
  if (!shared_.retransmit_after) return false;
  const std::uint64_t thread = from.from_qpn - models::kFirstRdmaQpn, slot = put.id & 0xffff'ffff;
  std::uint64_t& last = executed_[std::uint64_t{from.from} << 48 | thread << 32 | slot];
  const std::uint64_t turn = (put.id >> 32) + 1;
  if (turn <= last) return true;
  last = turn;
  return false;
}

void KvsThread::answer(StoreRequest& request) {
  const sim::Duration cost = shared_.options.store_work;
  const sim::Time now = shared_.rack.calendar().now();
  if (request.put != 0) {
    core_.charge(shard_.write(request.key, request.value, now, cost, core_));
  } else if (shard_.read(request, now - cost, core_, shared_.options.seqlocks)) {
    ++shared_.counters.read_retries.value;
    shared_.coverage.race(races.read_of_store_meets_write);
    core_.charge(shard_.find(request.key)->lock.free_in(now) + cost);
  }
}

void KvsThread::serve_locally(const StoreRequest& request, LocalAnswer& to) {
  local_.push({request, &to});
  core_.run<&KvsThread::serve_next_local>(shared_.options.store_work, *this);
}

// The core serves what is ready at one instant in the order of the calls.
void KvsThread::serve_next_local() {
  LocalRequest next = local_.pop();
  answer(next.request);
  next.to->served_locally(next.request);
}

void KvsThread::crash() {
  local_.clear();
  pending_.clear();
  free_pending_.clear();
  requests_.clear();
}

}  // namespace racksim::cckvs
