// Random but well-behaved traffic for the LCF pipeline: requesters that follow Concordia §5.3 with the rules of
// event_runner.hpp, whose packets and replies get lost, repeated and delayed.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "sim/random/random.hpp"
#include "tests/protocols/flowcc/switch/lcf_switch.hpp"

namespace racksim::flowcc::testing {

class LcfTraffic {
 public:
  LcfTraffic(LcfSwitch& lcf, std::vector<Tag> tags, std::uint64_t seed)
      : lcf_(lcf), tags_(std::move(tags)), threads_(lcf.run.setup.micro.threads_per_node()), random_(seed, "traffic") {
    const auto nodes = static_cast<unsigned>(lcf.run.rack.nodes());
    for (unsigned i = 0; i < nodes * threads_; ++i) {
      requesters_.emplace_back();
      requesters_.back().node = static_cast<models::NodeId>(i / threads_);
      requesters_.back().number = i;
    }
  }

  /// A packet that some requester sends now, or an old one that a wire delivers again; none if nobody has any to send.
  /// With `begin` false no new event begins.
  std::optional<FlowCcHeader> next(bool begin) {
    if (!history_.empty() && random_.chance(0.1)) return history_[random_.below(history_.size())];
    Requester& r = requesters_[random_.below(requesters_.size())];
    for (Unlock& unlock : r.unlocks) {
      if (unlock.active && random_.chance(0.4)) return sent(r, unlock.packet);
    }
    if (!r.active) {
      if (begin) return first_request(r);
      return std::nullopt;
    }
    if (r.passed && random_.chance(0.7)) return unlock(r);
    if (r.failed && random_.chance(0.7)) {
      r.active = false;
      return std::nullopt;
    }
    FlowCcHeader again = r.request;
    again.retransmitted = 1;
    r.failed = false;
    return sent(r, again);
  }

  /// A copy has left the switch; some are lost.
  void receive(const FlowCcHeader& copy) {
    if (random_.chance(0.1)) return;
    Requester& r = requesters_[copy.requester];
    const auto type = copy.message_type();
    if (type == MessageType::unlock_ack) {
      Unlock& unlock = r.unlocks[copy.seq % 2];
      if (unlock.active && unlock.packet.seq == copy.seq) unlock.active = false;
      return;
    }
    if (!r.active || copy.seq != r.request.seq) return;
    if (copy.is_in_switch == 0) {
      r.active = false;  // another owner's
    } else if (type == MessageType::failed_ack) {
      r.failed = r.failed || (copy.serial == r.serial && !r.passed);  // rule (ii)
    } else {
      r.passed = true;
      r.metadata = copy.metadata();
    }
  }

  bool at_rest() const {
    for (const Requester& r : requesters_) {
      if (r.active || r.unlocks[0].active || r.unlocks[1].active) return false;
    }
    return true;
  }

 private:
  struct Unlock {
    bool active = false;
    FlowCcHeader packet;
  };
  struct Requester {
    models::NodeId node = 0;
    unsigned number = 0;
    std::uint32_t seq = 0, serial = 0;
    bool active = false, passed = false, failed = false;
    FlowCcHeader request;
    GlobalMetadata metadata;
    std::array<Unlock, 2> unlocks;
  };

  // Stamps a transmission.
  FlowCcHeader sent(Requester& r, FlowCcHeader packet) {
    packet.serial = ++r.serial;
    if (history_.size() < 64) {
      history_.push_back(packet);
    } else {
      history_[random_.below(history_.size())] = packet;
    }
    return packet;
  }

  std::optional<FlowCcHeader> first_request(Requester& r) {
    if (r.unlocks[(r.seq + 1) % 2].active) return std::nullopt;  // rule (iii)
    const Tag tag = tags_[random_.below(tags_.size())];
    // A node's misses on a block are one event; and until its unlock is executed the node's cache has the block.
    for (const Requester& sibling : requesters_) {
      if (sibling.node != r.node) continue;
      if (sibling.active && sibling.request.tag() == tag) return std::nullopt;
      for (const Unlock& unlock : sibling.unlocks) {
        if (unlock.active && unlock.packet.tag() == tag) return std::nullopt;
      }
    }
    MessageType type = kRequests[random_.below(kRequests.size())];
    if (random_.chance(0.8)) {
      const GlobalMetadata m = lcf_.metadata(tag);
      const bool coin = random_.chance(0.5);
      if ((m.copyset & node_bit(r.node)) == 0) {
        type = coin ? MessageType::read_miss : MessageType::write_miss;
      } else if (m.status == GlobalStatus::modified) {
        type = MessageType::evict_modified;
      } else {
        type = coin ? MessageType::write_shared : MessageType::evict_shared;
      }
    }
    r.active = true;
    r.passed = r.failed = false;
    r.request = lcf_.packet(type, tag, r.node, r.number, ++r.seq, 0);
    return sent(r, r.request);
  }

  std::optional<FlowCcHeader> unlock(Requester& r) {
    if (r.unlocks[(r.seq + 1) % 2].active) return std::nullopt;  // the one before it comes first
    Unlock& unlock = r.unlocks[r.seq % 2];
    const MessageType type = r.request.message_type();
    unlock.active = true;
    unlock.packet = r.request;
    unlock.packet.set_type(takes_read_lock(type) ? MessageType::unlock_read : MessageType::unlock_write);
    unlock.packet.set_metadata(after(type, r.node, r.metadata));
    r.active = false;
    return sent(r, unlock.packet);
  }

  LcfSwitch& lcf_;
  std::vector<Tag> tags_;
  unsigned threads_;
  sim::RandomStream random_;
  std::vector<Requester> requesters_;
  std::vector<FlowCcHeader> history_;
};

}  // namespace racksim::flowcc::testing
