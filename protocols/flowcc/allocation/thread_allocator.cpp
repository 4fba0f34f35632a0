// Carving, asking for chunks, and asking again. See thread_allocator.hpp.
#include "protocols/flowcc/allocation/thread_allocator.hpp"

#include <new>

#include "models/host/core_wait.hpp"
#include "protocols/flowcc/allocation/allocation_counters.hpp"
#include "sim/oracles/oracle.hpp"

namespace racksim::flowcc {

ThreadAllocator::ThreadAllocator(Shared& shared, const NodeState& node, unsigned thread, models::Core& core,
                                 Pieces& pieces, const std::vector<models::Qpn>& homes, AllocationCounters& counters)
    : shared_(shared),
      node_(node),
      thread_(thread),
      requester_(shared.requester_of(node.id(), thread)),
      core_(core),
      clock_(shared.rack.server(node.id()).clock()),
      pieces_(pieces),
      home_qpns_(homes),
      counters_(counters),
      qpn_(shared.rack.server(node.id()).nic().create_raw_qp(core, *this)),
      classes_(shared.options.block_bytes, shared.options.chunk_bytes),
      carvers_(shared.shape.nodes, Carver(classes_)),
      // So that threads begin with different homes.
      latest_(static_cast<NodeId>((requester_ + shared.shape.nodes - 1) % shared.shape.nodes)),
      answered_(shared.calendar) {}

bool ThreadAllocator::may_take(NodeId home, const models::AllocationHint& hint) const {
  using Locality = models::AllocationHint::Locality;
  using From = FlowCcOptions::AllocateFrom;
  if (shared_.absent[home]) return false;
  if (hint.home) return home == *hint.home;
  if (hint.locality == Locality::local) return home == node_.id();
  if (hint.locality == Locality::remote) return home != node_.id();
  switch (shared_.options.allocate_from) {
    case From::local:
      return home == node_.id();
    case From::named:
      return home == shared_.options.allocation_home;
    case From::round_robin:
      break;
  }
  return true;
}

std::vector<NodeId> ThreadAllocator::homes(const models::AllocationHint& hint, NodeId first) const {
  std::vector<NodeId> homes;
  for (unsigned i = 0; i < shared_.shape.nodes; ++i) {
    const auto home = static_cast<NodeId>((first + i) % shared_.shape.nodes);
    if (may_take(home, hint)) homes.push_back(home);
  }
  return homes;
}

sim::Task<models::GlobalAddress> ThreadAllocator::allocate(std::uint64_t bytes, models::AllocationHint hint,
                                                           sim::OperationId operation) {
  co_await models::occupy(core_, shared_.options.carve_work);
  if (bytes > shared_.options.memory_bytes) throw std::bad_alloc();
  const std::uint64_t piece = classes_.piece_of(bytes);
  for (const NodeId home : homes(hint, latest_)) {
    const auto first = carvers_[home].take(piece);
    if (!first) continue;
    pieces_.use(*first, piece);
    co_return *first;
  }
  const std::vector<NodeId> others = homes(hint, static_cast<NodeId>(latest_ + 1));
  for (const NodeId home : others) {
    const bool has_room = co_await obtain(home, classes_.chunks_for(piece), operation);
    if (!has_room) continue;
    shared_.coverage.race_if(home != others.front(), races.chunk_of_another_home);
    latest_ = home;
    const models::GlobalAddress first = *carvers_[home].take(piece);
    pieces_.use(first, piece);
    co_return first;
  }
  throw std::bad_alloc();
}

sim::Task<void> ThreadAllocator::free(models::GlobalAddress first, sim::OperationId) {
  co_await models::occupy(core_, shared_.options.carve_work);
  const std::uint64_t piece = pieces_.free(first);
  carvers_[first.home()].give_back(first, piece);
}

// Asks one home agent; whether it has given what was asked.
sim::Task<bool> ThreadAllocator::obtain(NodeId home, std::uint64_t bytes, sim::OperationId operation) {
  AllocationHeader request;
  request.set_type(AllocationType::request);
  request.node_id = node_.id();
  request.requester = requester_;
  request.reply_qp = qpn_;
  request.seq = ++seq_;
  request.bytes = bytes;
  asked_ = home;
  since_ = shared_.calendar.now();
  waiting_ = true;
  transmit(request, operation);
  const sim::Duration first_patience =
      shared_.rack.options().rtt * static_cast<std::int64_t>(shared_.options.request_timeout_rtts);
  sim::Duration patience = first_patience;
  while (waiting_) {
    const bool in_time = co_await answered_.wait_for(clock_, patience);
    if (in_time) continue;
    if (shared_.absent[home]) {
      given_up_ = seq_;
      waiting_ = false;
      co_return false;
    }
    ++counters_.retransmissions.value;
    const sim::Time now = shared_.calendar.now();
    sim::record_sent_again(shared_.event_log, shared_.rack.server(node_.id()).nic().source(), now, operation,
                           {sim::SentAgain::timeout, 0, now - patience});
    transmit(request, operation);
    patience = FlowCcOptions::longer(patience, first_patience);
  }
  if (answer_.message_type() == AllocationType::refused) {
    ++counters_.refused.value;
    co_return false;
  }
  const models::GlobalAddress first{answer_.address};
  carvers_[home].add(first, bytes);
  chunks_.push_back({first, bytes, requester_, Seq{answer_.seq}});
  co_return true;
}

void ThreadAllocator::on_packet(p4::PacketRef packet) {
  if (node_.crashed()) return;
  const AllocationHeader& answer = packet->get<AllocationHeader>();
  ++shared_.counters.requester_received.value;
  if (!waiting_ || answer.seq != seq_) {
    shared_.coverage.race(races.chunk_answer_repeated);
    return;
  }
  answer_ = answer;
  waiting_ = false;
  answered_.notify_all();
}

}  // namespace racksim::flowcc
