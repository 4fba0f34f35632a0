// The responder's one handler. See cache_responder.hpp.
#include "protocols/flowcc/events/cache_responder.hpp"

#include <optional>

namespace racksim::flowcc {

void CacheResponder::handle(const FlowCcHeader& request, sim::OperationId operation) {
  const RequesterId requester{request.requester};
  const Seq seq{request.seq};
  const auto verdict = last_executed_.judge(requester, seq);
  if (verdict == LastExecuted::Verdict::ignore) {
    setting_.coverage.race(races.cache_old_request);
    ++setting_.counters.ignored_requests.value;
    return;
  }
  const bool first = verdict == LastExecuted::Verdict::execute;
  if (!first) {
    setting_.coverage.race(races.cache_repeated_request);
    ++setting_.counters.repeated_requests.value;
  }

  const Tag tag = request.tag();
  if (first) host_.began(requester);
  CacheEntry* entry = setting_.cache.find(tag);
  std::optional<BlockData> data;
  setting_.coverage.race_if(first && (entry == nullptr || !entry->valid()), races.cache_copy_gone);
  if (entry != nullptr && entry->valid()) {
    const BlockData block{tag, entry->value, entry->version};
    const bool dirty = entry->state == CacheEntry::State::dirty;
    if (request.message_type() == MessageType::read_miss) {
      data = block;
      // Only a request that found the block Modified may downgrade: the others reach sharers without changing anything,
      // so that one which arrives after its event is over does no harm.
      const bool downgrade = static_cast<GlobalStatus>(request.global_status) == GlobalStatus::modified;
      setting_.coverage.race_if(!downgrade && dirty, races.cache_late_downgrade_withheld);
      if (first && downgrade && dirty) {
        host_.gave_away(requester, block);
        entry->state = CacheEntry::State::clean;
        host_.permission_changed(tag, sim::Permission::read, operation);
      }
    } else if (first) {
      data = block;
      if (dirty) host_.gave_away(requester, block);
      LocalCache::empty(*entry);
      ++setting_.counters.invalidations.value;
      host_.invalidated(request);
      host_.permission_changed(tag, sim::Permission::none, operation);
    }
  }

  if (request.is_data_provider && data) host_.provide(request, *data, operation);
  FlowCcHeader ack = request;  // echoes seq, serial, metadata
  ack.set_type(MessageType::ack);
  ack.receiver = static_cast<std::uint64_t>(Receiver::requester);
  ack.node_id = setting_.node;
  host_.acknowledge(ack, static_cast<NodeId>(request.node_id), operation);
}

}  // namespace racksim::flowcc
