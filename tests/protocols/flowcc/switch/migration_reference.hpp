// What the switch must do where blocks migrate, written from Concordia §5.2 and the rules of lcf_program.hpp over plain
// maps: no stages. Requests and unlocks of blocks that it owns are those of lcf_reference.hpp.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "tests/protocols/flowcc/switch/lcf_reference.hpp"

namespace racksim::flowcc::testing {

class MigrationReference {
 public:
  enum class Action : std::uint8_t {
    drop,
    resubmit,
    to_owner_home,        // stamped, if it is a request
    reply,                // to the requester, as `type`
    home_and_shadow,      // the answer to an ADD, as `type`
    passed_to_the_nodes,  // a request of a block that the switch owns: lcf_program_test.cpp looks where it goes
  };
  struct Outcome {
    Action action = Action::drop;
    std::uint64_t resubmit_data = 0;
    MessageType type = MessageType::none;
    std::optional<GlobalMetadata> metadata = {};
    std::optional<std::uint32_t> stamp = {};
  };

  MigrationReference(const FlowCcOptions& options, unsigned requesters, unsigned homes)
      : lcf(options, requesters), cleared(homes), ways_(options.ways), entries_(options.entries_per_way) {
    places.resize(entries_, std::vector<std::optional<Tag>>(ways_));
  }

  Outcome first_pass(const FlowCcHeader& h, unsigned home) {
    LcfReference::Requester& requester = lcf.requesters.at(h.requester);
    const bool here = lcf.blocks.count(h.tag()) != 0;
    const MessageType type = h.message_type();
    const bool old = h.serial <= requester.serial;
    if (type <= MessageType::unlock_write) {
      const LcfReference::Outcome out = lcf.first_pass(h);
      return translated(out, !LcfReference::is_unlock(h) ? std::optional(cleared.at(home)) : std::nullopt);
    }
    // An ADD's number is known from its first pass on, also of an old copy: that never has a greater one.
    const bool is_new = type == MessageType::add_to_switch && h.seq > requester.last_unlock;
    if (is_new) requester.last_unlock = static_cast<std::uint32_t>(h.seq);
    if (old) return {};
    requester.serial = static_cast<std::uint32_t>(h.serial);
    std::uint16_t& score = requester.score[h.seq % 2];
    if (type == MessageType::add_to_switch) {
      return {.action = Action::resubmit, .resubmit_data = is_new && !here ? 1u : 0u};
    }
    if (type == MessageType::clear) {
      if (!here) return {.action = Action::reply, .type = MessageType::unlock_ack};
      return {.action = Action::resubmit, .resubmit_data = score};
    }
    if (!here) return {.action = Action::reply, .type = MessageType::failed_ack};
    LcfReference::Block& block = lcf.blocks.at(h.tag());
    if (block.lock == 0) {
      block.lock = 0x8000;
      ++score;
    }
    if (score == 0) return {.action = Action::reply, .type = MessageType::failed_ack};
    return {.action = Action::reply, .type = MessageType::ack, .metadata = block.metadata};
  }

  Outcome second_pass(const FlowCcHeader& h, std::uint64_t data, unsigned home) {
    LcfReference::Requester& requester = lcf.requesters.at(h.requester);
    switch (h.message_type()) {
      case MessageType::add_to_switch: {
        if (data != 0) insert(h.tag(), h.metadata());
        const bool here = lcf.blocks.count(h.tag()) != 0;
        return {.action = Action::home_and_shadow, .type = here ? MessageType::ack : MessageType::failed_ack};
      }
      case MessageType::clear: {
        const bool newer = h.seq > requester.last_unlock;
        if (newer) requester.last_unlock = static_cast<std::uint32_t>(h.seq);
        if (data != 0 && lcf.blocks.count(h.tag()) != 0) {
          take_out(h.tag());
          if (newer) cleared.at(home) = static_cast<std::uint32_t>(h.seq);
          requester.score[h.seq % 2] = 0;
        }
        return {.action = Action::reply, .type = MessageType::unlock_ack};
      }
      case MessageType::unlock_read:
      case MessageType::unlock_write:
        if (data == 0) {  // nothing of the block changes
          requester.last_unlock = std::max(requester.last_unlock, static_cast<std::uint32_t>(h.seq));
          return {.action = Action::reply, .type = MessageType::unlock_ack};
        }
        break;
      default:
        break;
    }
    return translated(lcf.second_pass(h, data), std::nullopt);
  }

  LcfReference lcf;
  std::vector<std::uint32_t> cleared;                   // by home: the number of the last CLEAR
  std::vector<std::vector<std::optional<Tag>>> places;  // by index and way

 private:
  void insert(Tag tag, GlobalMetadata metadata) {
    for (std::optional<Tag>& place : places[set_index(tag, entries_)]) {
      if (place) continue;
      place = tag;
      lcf.blocks[tag] = {.lock = 0, .metadata = metadata};
      return;
    }
  }
  void take_out(Tag tag) {
    lcf.blocks.erase(tag);
    for (std::optional<Tag>& place : places[set_index(tag, entries_)]) {
      if (place == tag) place.reset();
    }
  }
  static Outcome translated(const LcfReference::Outcome& out, std::optional<std::uint32_t> stamp) {
    switch (out.action) {
      case LcfReference::Action::drop:
        return {};
      case LcfReference::Action::resubmit:
        return {.action = Action::resubmit, .resubmit_data = out.resubmit_data};
      case LcfReference::Action::to_owner_home:
        return {.action = Action::to_owner_home, .stamp = stamp};
      case LcfReference::Action::reply:
        return {.action = Action::reply, .type = out.type, .metadata = out.metadata};
      default:
        return {.action = Action::passed_to_the_nodes};
    }
  }

  std::uint64_t ways_, entries_;
};

}  // namespace racksim::flowcc::testing
