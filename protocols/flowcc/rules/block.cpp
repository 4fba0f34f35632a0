// Names of message types and statuses, for traces and leak reports.
#include "protocols/flowcc/rules/block.hpp"

namespace racksim::flowcc {

const char* to_string(MessageType type) {
  switch (type) {
    case MessageType::none:
      return "none";
    case MessageType::read_miss:
      return "READ-MISS";
    case MessageType::write_miss:
      return "WRITE-MISS";
    case MessageType::write_shared:
      return "WRITE-SHARED";
    case MessageType::evict_shared:
      return "EVICT-SHARED";
    case MessageType::evict_modified:
      return "EVICT-MODIFIED";
    case MessageType::lock_shared:
      return "LOCK (shared)";
    case MessageType::lock_exclusive:
      return "LOCK (exclusive)";
    case MessageType::unlock_read:
      return "UNLOCK (read)";
    case MessageType::unlock_write:
      return "UNLOCK (write)";
    case MessageType::ack:
      return "ACK";
    case MessageType::failed_ack:
      return "FAILED-ACK";
    case MessageType::unlock_ack:
      return "UNLOCK-ACK";
    case MessageType::add_to_switch:
      return "ADD-TO-SWITCH";
    case MessageType::remove_from_switch:
      return "REMOVE-FROM-SWITCH";
    case MessageType::clear:
      return "CLEAR";
    case MessageType::heat_report:
      return "report of invalidations";
    case MessageType::listing:
      return "list of blocks";
    case MessageType::removal_notice:
      return "removal notice";
  }
  return "?";
}

const char* to_string(GlobalStatus status) {
  switch (status) {
    case GlobalStatus::unshared:
      return "Unshared";
    case GlobalStatus::shared:
      return "Shared";
    case GlobalStatus::modified:
      return "Modified";
  }
  return "?";
}

std::string to_text(Copyset copyset) {
  std::string text = "{";
  for (unsigned node = 0; copyset >> node != 0; ++node) {
    if ((copyset >> node & 1) != 0) text += (text.size() > 1 ? ", n" : "n") + std::to_string(node);
    if (node == 31) break;
  }
  return text + "}";
}

}  // namespace racksim::flowcc
