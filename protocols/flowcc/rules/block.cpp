// Names of message types and statuses, for traces and leak reports.
#include "protocols/flowcc/rules/block.hpp"

#include <cstddef>
#include <utility>

namespace racksim::flowcc {

namespace {

template <class Value, std::size_t kCount>
const char* name_of(Value value, const std::pair<Value, const char*> (&names)[kCount]) {
  for (const auto& [named, name] : names) {
    if (named == value) return name;
  }
  return "?";
}

}  // namespace

const char* to_string(MessageType type) {
  using enum MessageType;
  static constexpr std::pair<MessageType, const char*> kNames[] = {{none, "none"},
                                                                   {read_miss, "READ-MISS"},
                                                                   {write_miss, "WRITE-MISS"},
                                                                   {write_shared, "WRITE-SHARED"},
                                                                   {evict_shared, "EVICT-SHARED"},
                                                                   {evict_modified, "EVICT-MODIFIED"},
                                                                   {lock_shared, "LOCK (shared)"},
                                                                   {lock_exclusive, "LOCK (exclusive)"},
                                                                   {unlock_read, "UNLOCK (read)"},
                                                                   {unlock_write, "UNLOCK (write)"},
                                                                   {ack, "ACK"},
                                                                   {failed_ack, "FAILED-ACK"},
                                                                   {unlock_ack, "UNLOCK-ACK"},
                                                                   {add_to_switch, "ADD-TO-SWITCH"},
                                                                   {remove_from_switch, "REMOVE-FROM-SWITCH"},
                                                                   {clear, "CLEAR"},
                                                                   {heat_report, "report of invalidations"},
                                                                   {listing, "list of blocks"},
                                                                   {removal_notice, "removal notice"}};
  return name_of(type, kNames);
}

const char* to_string(GlobalStatus status) {
  using enum GlobalStatus;
  static constexpr std::pair<GlobalStatus, const char*> kNames[] = {
      {unshared, "Unshared"}, {shared, "Shared"}, {modified, "Modified"}};
  return name_of(status, kNames);
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
