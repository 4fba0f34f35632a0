// How a home agent answers requests for chunks. See chunk_server.hpp.
#include "protocols/flowcc/allocation/chunk_server.hpp"

#include <new>

#include "protocols/flowcc/allocation/allocation_counters.hpp"

namespace racksim::flowcc {

ChunkServer::ChunkServer(Shared& shared, const NodeState& node, models::Core& core, models::MemoryAllocator& memory,
                         AllocationCounters& counters)
    : shared_(shared),
      node_(node),
      memory_(memory),
      counters_(counters),
      qpn_(shared.rack.server(node.id()).nic().create_raw_qp(core, *this, shared.options.home_agent_work)),
      last_executed_(shared.threads(), shared.options.last_executed),
      answers_(shared.threads()) {}

void ChunkServer::on_packet(p4::PacketRef packet) {
  if (node_.crashed()) return;
  const AllocationHeader& request = packet->get<AllocationHeader>();
  ++shared_.counters.home_received.value;
  AllocationHeader& answer = answers_[request.requester];
  switch (last_executed_.judge(RequesterId{request.requester}, Seq{request.seq})) {
    case LastExecuted::Verdict::ignore:
      shared_.coverage.race(races.chunk_request_old);
      ++shared_.counters.ignored_requests.value;
      return;
    case LastExecuted::Verdict::acknowledge_again:
      shared_.coverage.race(races.chunk_request_repeated);
      ++shared_.counters.repeated_requests.value;
      break;
    case LastExecuted::Verdict::execute:
      answer = execute(request);
      break;
  }
  ++shared_.counters.home_sent.value;
  send_allocation(shared_, node_.id(), qpn_, answer, static_cast<NodeId>(answer.node_id),
                  static_cast<std::uint16_t>(answer.reply_qp), packet->operation);
}

AllocationHeader ChunkServer::execute(const AllocationHeader& request) {
  AllocationHeader answer = request;
  try {
    const models::GlobalAddress first = memory_.allocate(request.bytes, {.home = node_.id()});
    given_.push_back({first, request.bytes, RequesterId{request.requester}, Seq{request.seq}});
    const std::uint64_t chunks = request.bytes / shared_.options.chunk_bytes;
    counters_.chunks.value += chunks;
    // The agent does not know; the report does.
    if (!shared_.rack.server(static_cast<NodeId>(request.node_id)).is_on()) {
      counters_.chunks_of_dead_nodes.value += chunks;
    }
    answer.address = first.value;
    answer.set_type(AllocationType::given);
  } catch (const std::bad_alloc&) {
    shared_.coverage.race(races.chunk_refused);
    answer.set_type(AllocationType::refused);
  }
  return answer;
}

}  // namespace racksim::flowcc
