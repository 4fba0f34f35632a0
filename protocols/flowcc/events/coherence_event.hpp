// One coherence event of one requester: the request it sent, and the replies it has gathered (Concordia §5.1.1,
// "Requester-driven Coherence Control").
#pragma once

#include <cstdint>

#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/rules/provider_count.hpp"

namespace racksim::flowcc {

/// The state of an event, from request to completion. All replies carry the metadata that the lock protects, so the
/// requester learns from any of them how many to expect.
class CoherenceEvent {
 public:
  /// Starts a new event; what belonged to the one before is forgotten.
  void begin(MessageType type, Tag tag, NodeId node, std::uint32_t seq, sim::OperationId operation) {
    *this = CoherenceEvent{};
    active_ = true;
    type_ = type;
    tag_ = tag;
    node_ = node;
    seq_ = seq;
    operation_ = operation;
  }
  void end() { active_ = false; }

  bool active() const { return active_; }
  MessageType type() const { return type_; }
  Tag tag() const { return tag_; }
  std::uint32_t seq() const { return seq_; }
  sim::OperationId operation() const { return operation_; }
  bool failed() const { return failed_; }
  bool settled() const { return complete_ || failed_; }
  const BlockData& data() const { return data_; }
  /// The metadata under the lock, from the reply that completed the event.
  GlobalMetadata metadata() const { return metadata_; }
  /// Whether some reply said Modified: then global memory may be older than the data.
  bool saw_modified() const { return saw_modified_; }
  /// Of an event that keeps its lock for an application: whether the last holder has died with it (node/lock_log.hpp).
  bool after_death() const { return after_death_; }
  /// Whether anybody has acknowledged it: then it has its lock.
  bool has_lock() const { return granted_ || from_home_ || acknowledged_ != 0; }
  /// Who has been asked, as far as the replies tell, and has not acknowledged it.
  Copyset unacknowledged() const { return multicast_set_ & ~acknowledged_ & ~node_bit(node_); }
  /// Who was asked for the data.
  const ProviderCount& providers() const { return providers_; }
  sim::Time began() const { return began_; }
  void set_began(sim::Time t) { began_ = t; }

  /// Serial number of the latest transmission of the request.
  std::uint32_t latest_serial = 0;
  /// Whether an answer said that the switch owns the block.
  bool in_switch = false;

  void fail() { failed_ = true; }
  /// Whether it failed because the request made no sense any more, not because somebody has the lock.
  bool lost_race() const { return lost_race_; }
  void lose_race() { failed_ = lost_race_ = true; }
  void data_landed(const BlockData& data) {
    has_data_ = true;
    data_ = data;
    update();
  }
  void acknowledged(const FlowCcHeader& ack) {
    const auto from = static_cast<NodeId>(ack.node_id);
    const GlobalMetadata metadata = ack.metadata();
    saw_modified_ |= metadata.status == GlobalStatus::modified;
    after_death_ |= ack.after_death != 0;
    if (from == node_ && !ack.from_home) {
      granted_ = true;  // the owner itself: an eviction, or a write by the only sharer
    } else if (ack.from_home) {
      from_home_ = true;
    } else {
      acknowledged_ |= node_bit(from);
      if (type_ == MessageType::read_miss || type_ == MessageType::write_miss) providers_.acknowledged(type_, ack);
    }
    const bool single = route(type_, metadata.status, ack.retransmitted != 0) == Route::provider;
    single_ |= single && !ack.from_home;
    if (!single) multicast_set_ = metadata.copyset;
    metadata_ = metadata;
    update();
  }

  /// Passes all that has a future to `archive` (sim/exploration/archive.hpp): not who provided the data, nor what
  /// is of locks of applications.
  template <class Archive>
  void archive(Archive& archive) {
    if constexpr (Archive::kReads) *this = CoherenceEvent{};
    archive(active_);
    if (!active_) return;
    archive(type_, failed_, complete_, has_data_, granted_, from_home_, single_, saw_modified_);
    archive(node_, seq_, tag_, operation_, acknowledged_, multicast_set_, metadata_.status, metadata_.copyset);
    archive(data_.tag, data_.value, data_.version, latest_serial, in_switch, lost_race_);
  }

 private:
  void update() {
    switch (type_) {
      case MessageType::read_miss:
      case MessageType::write_miss:
        complete_ = has_data_ && (from_home_ || single_ || everyone(multicast_set_));
        break;
      case MessageType::write_shared:
      case MessageType::lock_exclusive:
        complete_ = granted_ || everyone(multicast_set_ & ~node_bit(node_));
        break;
      default:
        complete_ = granted_;
        break;
    }
  }
  bool everyone(Copyset expected) const { return expected != 0 && (expected & ~acknowledged_) == 0; }

  MessageType type_ = MessageType::none;
  bool active_ = false, failed_ = false, lost_race_ = false, complete_ = false;
  bool has_data_ = false, granted_ = false, from_home_ = false, single_ = false, saw_modified_ = false;
  bool after_death_ = false;
  NodeId node_ = 0;
  std::uint32_t seq_ = 0;
  Tag tag_ = 0;
  sim::OperationId operation_ = 0;
  BlockData data_{};
  Copyset acknowledged_ = 0, multicast_set_ = 0;
  GlobalMetadata metadata_;
  ProviderCount providers_;
  sim::Time began_;
};

}  // namespace racksim::flowcc
