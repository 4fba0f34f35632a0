// What the switch must do with a coherence packet, written from Concordia §5.1.1 and §5.3.2 over plain maps: no stages,
// no arrays. What a holder's request for a lock of its block needs is written from block_locks.hpp. Rules (i) and (iv)
// are those of event_runner.hpp.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/rules/options.hpp"

namespace racksim::flowcc::testing {

class LcfReference {
 public:
  /// A block that the switch owns. The lock is a 16-bit word: the most significant bit marks a writer, the others count
  /// readers (Figure 8).
  struct Block {
    std::uint16_t lock = 0;
    GlobalMetadata metadata;
  };
  struct Requester {
    std::array<std::uint16_t, 2> score{};  // by parity of the sequence number
    std::uint32_t last_unlock = 0;
    std::uint32_t serial = 0;
  };
  enum class Action : std::uint8_t {
    drop,
    resubmit,
    to_owner_home,     // the switch does not own the block: the packet goes on as it is
    reply,             // back to the requester, as `type`
    to_home,           // with metadata, for data
    to_one_of_holders  // one of `receivers`, flagged as provider
    ,
    to_all_receivers,            // one of them flagged as provider
    to_all_receivers_unflagged,  // invalidations without data
  };
  struct Outcome {
    Action action = Action::drop;
    std::uint64_t resubmit_data = 0;
    MessageType type = MessageType::none;
    std::optional<GlobalMetadata> metadata = {};  // what the packet carries, if the switch fills it in
    bool lost_race = false;                       // a request that makes no sense any more, not one that met a lock
    Copyset receivers = 0;
  };

  LcfReference(const FlowCcOptions& options, unsigned requesters)
      : requesters(requesters), safe_(options.idempotence == FlowCcOptions::Idempotence::safe), options_(options) {}

  Outcome first_pass(const FlowCcHeader& h) {
    Requester& requester = requesters.at(h.requester);
    if (safe_) {
      if (h.serial <= requester.serial) return {};
      requester.serial = static_cast<std::uint32_t>(h.serial);
    }
    const auto found = blocks.find(h.tag());
    if (found == blocks.end()) return {.action = Action::to_owner_home};
    Block& block = found->second;
    std::uint16_t& score = requester.score[h.seq % 2];
    if (is_unlock(h)) return {.action = Action::resubmit, .resubmit_data = options_.scoreboard ? score : 1u};

    bool acquired = false;
    if (h.message_type() == MessageType::read_miss || h.message_type() == MessageType::lock_shared) {
      const bool writer = (block.lock & 0x8000) != 0;
      const unsigned readers = block.lock & 0x7fff;
      acquired = !writer && readers < 0x7fff;
      if (acquired) ++block.lock;
    } else {
      acquired = block.lock == 0;
      if (acquired) block.lock = 0x8000;
    }
    if (options_.scoreboard && acquired) ++score;
    const bool holds = options_.scoreboard ? score > 0 : acquired;
    if (!holds) return {.action = Action::reply, .type = MessageType::failed_ack};

    const Copyset me = Copyset{1} << h.node_id;
    const GlobalMetadata old = block.metadata;
    const bool member = (old.copyset & me) != 0;
    const bool shared = old.status == GlobalStatus::shared, modified = old.status == GlobalStatus::modified;
    const std::uint64_t undone = safe_ ? acquired : 1;
    const Outcome invalid{.action = Action::resubmit, .resubmit_data = undone};
    Outcome out{.metadata = old, .receivers = old.copyset};
    switch (h.message_type()) {
      case MessageType::read_miss:
        if (member) return invalid;
        out.action = old.status == GlobalStatus::unshared ? Action::to_home
                     : shared && h.retransmitted != 0     ? Action::to_all_receivers
                                                          : Action::to_one_of_holders;
        return out;
      case MessageType::write_miss:
        if (member) return invalid;
        out.action = old.status == GlobalStatus::unshared ? Action::to_home : Action::to_all_receivers;
        return out;
      case MessageType::write_shared:
        if (!member || !shared) return invalid;
        out.receivers &= ~me;
        out.action = out.receivers == 0 ? Action::reply : Action::to_all_receivers_unflagged;
        out.type = MessageType::ack;
        return out;
      case MessageType::evict_shared:
        if (!member || !shared) return invalid;
        out.action = Action::reply;
        out.type = MessageType::ack;
        return out;
      case MessageType::lock_shared:
        if (!member || old.status == GlobalStatus::unshared) return invalid;
        out.action = Action::reply;
        out.type = MessageType::ack;
        return out;
      case MessageType::lock_exclusive:
        if (!member || old.status == GlobalStatus::unshared) return invalid;
        if (shared) out.receivers &= ~me;
        out.action = modified || out.receivers == 0 ? Action::reply : Action::to_all_receivers_unflagged;
        out.type = MessageType::ack;
        return out;
      default:
        if (!member || !modified) return invalid;
        out.action = Action::reply;
        out.type = MessageType::ack;
        return out;
    }
  }

  Outcome second_pass(const FlowCcHeader& h, std::uint64_t data) {
    Requester& requester = requesters.at(h.requester);
    Block& block = blocks.at(h.tag());
    std::uint16_t& score = requester.score[h.seq % 2];
    const bool read = h.message_type() == MessageType::read_miss || h.message_type() == MessageType::lock_shared ||
                      h.message_type() == MessageType::unlock_read;
    const auto release = [&] {
      if (read) {
        block.lock = static_cast<std::uint16_t>(block.lock - data);
      } else if (data != 0) {
        block.lock = 0;
      }
    };
    if (!is_unlock(h)) {
      release();
      if (options_.scoreboard && data != 0) --score;
      return {.action = Action::reply, .type = MessageType::failed_ack, .lost_race = true};
    }
    if (!options_.last_unlock || h.seq > requester.last_unlock) {
      if (options_.last_unlock) requester.last_unlock = static_cast<std::uint32_t>(h.seq);
      release();
      const Copyset old = block.metadata.copyset;
      block.metadata = h.metadata();
      if (read) block.metadata.copyset |= old;
      score = 0;
    }
    return {.action = Action::reply, .type = MessageType::unlock_ack};
  }

  static bool is_unlock(const FlowCcHeader& h) {
    return h.message_type() == MessageType::unlock_read || h.message_type() == MessageType::unlock_write;
  }

  std::map<Tag, Block> blocks;
  std::vector<Requester> requesters;

 private:
  bool safe_;
  const FlowCcOptions& options_;
};

}  // namespace racksim::flowcc::testing
