// One event of a line's directory entry at its home, and the table of what follows: GAM's directory with the rules that
// make it safe. `racksim table gam` prints it.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/gam/home/entry.hpp"
#include "protocols/gam/home/home.hpp"

namespace racksim::gam {

enum class DirectoryEvent : std::uint8_t {
  // By the home's own threads:
  local_read,
  local_write,  ///< or an atomic operation
  local_read_lock,
  local_write_lock,
  // By other nodes:
  read,
  write,
  write_permission_only,
  active_invalidate,
  write_back,
  invalidate_ack,
  fetched,
  transfer,
  denied,
  // With failures and recovery (recovery.hpp):
  sharer_lost,  ///< one that is taken for dead
  promoted,     ///< by the log it has an owner
  restored,     ///< its content is in memory, and nobody has it
  announced,    ///< the same, but nodes share it
  late_ack,     ///< of a write of the home's own that did not block the line (`blocking: false` alone)
  count
};

struct DirectoryStep {
  Home& home;
  Entry& entry;
  sim::Key line;
  Request* request = nullptr;        ///< of the home's own threads
  const Message* message = nullptr;  ///< of other nodes' requests and denials
  NodeId from = 0;                   ///< of notifications
  bool awaits_recovery = false;      ///< the line has left its owner for a node that is dead

  const Options& options() const { return home.shared.options; }
  Counters& counters() const { return home.shared.counters; }
  NodeId sender() const { return message != nullptr ? message->sender : from; }
  sim::OperationId operation() const;
  sim::KeyAndOperations key_and_operations() const;

  bool waits_for_lock(bool exclusive) const;
  bool has_no_copy(const Message& asked) const;
  void perform(Request& whose) const;
  void begin();
  void tell(NodeId to, MessageKind kind, const Sharer* copy) const;
  void forward(sim::Counter& workflows, MessageKind kind);
  void invalidate();
  void grant(const Message& asked, bool with_data);
  void deny(Message asked) const;
  void acknowledge_grant(std::optional<std::uint32_t> counter) const;
  void refuse_initiator() const;
};

using DirectoryTable = models::TransitionTable<DirectoryState, DirectoryEvent, DirectoryStep>;
const DirectoryTable& directory_table();
inline std::string_view name_of(DirectoryState state) {
  return directory_table().description().states[static_cast<std::size_t>(state)];
}

}  // namespace racksim::gam
