// The cache agent's one handler. See cache_agent.hpp.
#include "protocols/flowcc/cache_agent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "protocols/flowcc/memory_node.hpp"

namespace racksim::flowcc {

CacheAgent::CacheAgent(Shared& shared, MemoryNode& node, models::Core& core)
    : shared_(shared),
      node_(node),
      core_(core),
      endpoint_(shared, node.id(), core, *this, *this, shared.options.cache_agent_work),
      last_executed_(shared.shape.nodes * shared.shape.threads_per_node, shared.options.last_executed) {}

void CacheAgent::on_packet(p4::PacketRef packet) {
  if (node_.crashed() || shared_.is_stale(*packet, node_.id())) return;
  const FlowCcHeader& request = packet->get<FlowCcHeader>();
  ++shared_.counters.cache_received.value;
  shared_.coverage.handled(Place::cache_agent, request.message_type(), request.tag(), node_.id());
  const auto verdict = last_executed_.judge(RequesterId{request.requester}, Seq{request.seq});
  if (verdict == LastExecuted::Verdict::ignore) {
    shared_.coverage.race(RacePoint::cache_old_request);
    ++shared_.counters.ignored_requests.value;
    return;
  }
  const bool first = verdict == LastExecuted::Verdict::execute;
  if (!first) {
    shared_.coverage.race(RacePoint::cache_repeated_request);
    ++shared_.counters.repeated_requests.value;
  }

  const Tag tag = request.tag();
  if (first) node_.recovery().forget(RequesterId{request.requester});
  CacheEntry* entry = node_.cache().find(tag);
  std::optional<BlockData> data;
  shared_.coverage.race_if(first && (entry == nullptr || !entry->valid()), RacePoint::cache_copy_gone);
  if (entry != nullptr && entry->valid()) {
    if (request.message_type() == MessageType::read_miss) {
      data = {tag, entry->value, entry->version};
      // Only a request that found the block Modified may downgrade: the others reach sharers without changing anything,
      // so that one which arrives after its event is over does no harm.
      const bool downgrade = static_cast<GlobalStatus>(request.global_status) == GlobalStatus::modified;
      shared_.coverage.race_if(!downgrade && entry->state == CacheEntry::State::dirty,
                               RacePoint::cache_late_downgrade_withheld);
      if (first && downgrade && entry->state == CacheEntry::State::dirty) {
        node_.recovery().gave_away(RequesterId{request.requester}, Seq{request.seq},
                                   {tag, entry->value, entry->version});
        entry->state = CacheEntry::State::clean;
        node_.permission_changed(tag, MemoryNode::Permission::read, packet->operation);
      }
    } else if (first) {
      data = {tag, entry->value, entry->version};
      if (entry->state == CacheEntry::State::dirty) {
        node_.recovery().gave_away(RequesterId{request.requester}, Seq{request.seq},
                                   {tag, entry->value, entry->version});
      }
      LocalCache::empty(*entry);
      ++shared_.counters.invalidations.value;
      if (shared_.migration != nullptr && request.is_in_switch != 0) invalidations_.add(tag, 1);
      node_.permission_changed(tag, MemoryNode::Permission::none, packet->operation);
    }
  }

  const NodeId to = static_cast<NodeId>(request.node_id);
  if (request.is_data_provider && data) {
    ++shared_.counters.cache_sent.value;
    ++shared_.counters.data_blocks.value;
    endpoint_.write_block(to, DataAddress::event_buffer(RequesterId{request.requester}, Seq{request.seq}), *data, false,
                          0, packet->operation);
  }
  FlowCcHeader ack = request;  // echoes seq, serial, metadata
  ack.set_type(MessageType::ack);
  ack.receiver = static_cast<std::uint64_t>(Receiver::requester);
  ack.node_id = node_.id();
  ++shared_.counters.cache_sent.value;
  endpoint_.send(ack, to, packet->operation);
}

void CacheAgent::crash() {
  last_executed_.forget_all();
  invalidations_.clear();
}

void CacheAgent::epoch_over() {
  const auto blocks = static_cast<std::int64_t>(invalidations_.size());
  core_.run<&CacheAgent::report_heat>(shared_.options.migration.work_per_block * blocks, *this);
}

void CacheAgent::report_heat() {
  const std::vector<Heat> counted = invalidations_.hottest(invalidations_.size());
  invalidations_.clear();
  FlowCcHeader h;
  h.set_type(MessageType::heat_report);
  h.receiver = static_cast<std::uint64_t>(Receiver::shadow);
  h.node_id = node_.id();
  HeatReport report;
  for (auto next = counted.begin(); next != counted.end();) {
    const auto size = std::min<std::ptrdiff_t>(HeatReport::kMost, counted.end() - next);
    std::copy_n(next, size, report.blocks.begin());
    report.size = static_cast<std::uint32_t>(size);
    next += size;
    ++shared_.counters.cache_sent.value;
    endpoint_.send_hint(h, shared_.shadow, report);
  }
}

// When it fails the requester waits for the block in vain: nothing joins a broken connection again.
void CacheAgent::on_completion(const models::Completion& completion) {
  if (shared_.is_failure(completion)) ++shared_.counters.failed_transfers.value;
  node_.recovery().completed(completion);
}

}  // namespace racksim::flowcc
