// Serving the store. See kvs_thread.hpp.
#include "protocols/cckvs/kvs_thread.hpp"

#include <utility>

namespace racksim::cckvs {

KvsThread::KvsThread(Shared& shared, Shard& shard, NodeId node, unsigned thread, std::uint64_t clients)
    : shared_(shared),
      shard_(shard),
      node_(node),
      core_(shared.rack.server(node).core(shared.options.cache_threads + thread)),
      completions_(shared.rack.server(node).nic().create_completion_queue(core_, *this)),
      requests_(shared, core_, shared.rack.server(node).nic().create_datagram({completions_, completions_})) {
  completions_.handle_in(shared.options.packet_work + shared.options.store_work);
  requests_.queue_pair().post_receive(clients);
}

void KvsThread::on_completion(const models::Completion& completion) {
  if (completion.opcode != models::Opcode::receive) return;
  shared_.count_received(node_, completion);
  requests_.queue_pair().post_receive();
  const std::size_t requests = requests_in(completion.content);
  // The time for the first access has passed.
  if (requests > 1) core_.charge(shared_.options.store_work * static_cast<std::int64_t>(requests - 1));
  std::uint32_t bytes = 0;
  models::WorkRequest response;
  response.content = coalesced(requests, [&](std::size_t i) {
    StoreRequest request = request_of(completion.content, i);
    bytes += shared_.sizes(request.key).response(request.put != 0);
    if (request.put == 0 || !is_repeated(request, completion)) answer(request);
    return request;
  });
  response.bytes = bytes;
  response.destination = {.node = completion.from, .qpn = completion.from_qpn};
  response.operation = completion.operation;
  requests_.add(MessageClass::response, std::move(response));
  requests_.post_soon();
}

// Of what a cache thread has at one place the ids rise, and each put there has been answered when the next comes: so
// the last one stands for all, and results of puts need not be kept (they have none).
bool KvsThread::is_repeated(const StoreRequest& put, const models::Completion& from) {
  if (!shared_.retransmit_after) return false;
  const std::uint64_t thread = from.from_qpn - models::kFirstRdmaQpn, place = put.id & 0xffff'ffff;
  std::uint64_t& last = executed_[std::uint64_t{from.from} << 48 | thread << 32 | place];
  const std::uint64_t turn = (put.id >> 32) + 1;
  if (turn <= last) return true;
  last = turn;
  return false;
}

void KvsThread::answer(StoreRequest& request) {
  const sim::Duration cost = shared_.options.store_work;
  const sim::Time now = shared_.rack.calendar().now();
  if (request.put != 0) {
    ++shared_.counters.store_writes.value;
    core_.charge(shard_.write(request.key, request.value, now, cost, core_));
  } else if (shard_.read(request, now - cost, core_, shared_.options.seqlocks)) {
    ++shared_.counters.read_retries.value;
    shared_.coverage.race(RacePoint::read_of_store_meets_write);
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
  requests_.clear();
}

}  // namespace racksim::cckvs
