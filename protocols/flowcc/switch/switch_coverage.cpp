// See switch_coverage.hpp.
#include "protocols/flowcc/switch/switch_coverage.hpp"

#include "protocols/flowcc/switch/switch_owner.hpp"

namespace racksim::flowcc {

void SwitchCoverage::before_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata) {
  request_.reset();
  const FlowCcHeader* h = packet.find<FlowCcHeader>();
  if (h == nullptr || h->receiver != static_cast<std::uint64_t>(Receiver::home_agent)) return;
  const auto block = owner_.metadata(h->tag());
  if (!block) return;
  request_ = *h;
  metadata_ = *block;
  lock_ = owner_.lock(h->tag());
  if (!metadata.resubmitted) {
    shared_.coverage.handled(Handler::owner, h->message_type(), h->tag(), static_cast<NodeId>(h->node_id));
  } else if (is_request(h->message_type())) {
    shared_.coverage.race(metadata.resubmit_data != 0 ? races.switch_undoes_lock : races.switch_undoes_nothing);
  } else {
    shared_.coverage.race_if(owner_.unlocked_before(RequesterId{h->requester}, Seq{h->seq}),
                             races.switch_repeated_unlock);
  }
}

void SwitchCoverage::after_ingress(const p4::Packet& packet, const p4::IngressMetadata& metadata,
                                   const p4::Verdict& verdict) {
  if (!request_) return note_second_add(packet, metadata);
  if (metadata.resubmitted) return;
  const MessageType type = request_->message_type();
  if (type >= MessageType::add_to_switch) return note_move(packet, verdict);
  if (verdict.dropped()) return shared_.coverage.race(races.switch_drops_old_copy);
  if (!is_request(type)) {
    shared_.coverage.race_if(shared_.options.migrates() && verdict.resubmit && verdict.resubmit_data == 0,
                             races.switch_unlock_after_move);
    return shared_.coverage.race_if(verdict.resubmit && verdict.resubmit_data > 1,
                                    races.switch_unlock_with_score_above_one);
  }
  if (verdict.resubmit || packet.get<FlowCcHeader>().message_type() == MessageType::failed_ack) return;
  shared_.coverage.race_if(lock_ == LockState::write, races.switch_finds_own_lock);
  shared_.coverage.race_if(
      type == MessageType::read_miss && metadata_.status == GlobalStatus::shared && request_->retransmitted != 0,
      races.read_miss_again_to_all_holders);
}

// The first pass of a home agent's packet on a block that the switch has.
void SwitchCoverage::note_move(const p4::Packet& packet, const p4::Verdict& verdict) {
  if (verdict.dropped()) return shared_.coverage.race(races.switch_drops_old_copy);
  if (request_->message_type() == MessageType::add_to_switch) shared_.coverage.race(races.switch_add_finds_tag);
  shared_.coverage.race_if(packet.get<FlowCcHeader>().message_type() == MessageType::failed_ack,
                           races.switch_remove_finds_lock);
}

// What inserts finds no block before; what has no room finds none after either.
void SwitchCoverage::note_second_add(const p4::Packet& packet, const p4::IngressMetadata& metadata) {
  const FlowCcHeader* h = metadata.resubmitted ? packet.find<FlowCcHeader>() : nullptr;
  shared_.coverage.race_if(h != nullptr && h->message_type() == MessageType::failed_ack, races.switch_add_collides);
}

}  // namespace racksim::flowcc
