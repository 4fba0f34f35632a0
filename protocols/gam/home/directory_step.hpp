// The life of a line's directory entry at its home, as a table: GAM's directory with the rules that make it safe.
// `racksim table gam` prints it.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/gam/rules/messages.hpp"

namespace racksim::gam {

class Directory;
struct Entry;
struct Request;
struct Sharer;

enum class DirectoryState : std::uint8_t {
  unshared,     ///< owned by the home
  shared,       ///< remote nodes may read
  dirty,        ///< a remote node owns it
  to_shared,    ///< the owner's data are awaited
  to_dirty,     ///< sharers' acknowledgements or the owner's transfer are, for a remote write
  to_unshared,  ///< the same for the home's own write, of an owner with its data
  count
};

constexpr bool is_stable(DirectoryState state) {
  return state <= DirectoryState::dirty;
}

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

/// One event of one line at its home: the guards and actions of the table.
struct DirectoryStep {
  Directory& directory;
  Entry& entry;
  sim::Key line;
  Request* request;        ///< of the home's own threads
  const Message* message;  ///< of other nodes' requests and denials
  NodeId from;             ///< of notifications

  sim::KeyAndOperations key_and_operations() const;

  // Guards.
  bool behind_own() const;
  bool is_read_locked() const;
  bool may_lock() const;
  bool tries() const;
  bool does_not_block() const;
  bool must_not_read() const;
  bool must_not_read_to_try() const;
  bool must_not_write() const;
  bool must_not_write_to_try() const;
  bool others_share() const;
  bool is_last_sharer() const;
  bool is_owner() const;
  bool more_awaited() const;
  bool was_denied() const;
  bool has_owner() const;
  bool requester_is_lost() const;

  // Actions.
  void perform();
  void lock();
  void refuse();
  void queue();
  void fetch_and_share();
  void fetch_and_invalidate();
  void invalidate();
  void invalidate_unblocked();
  void share();
  void forward_read();
  void grant();
  void invalidate_forward();
  void forward_write();
  void deny();
  void remove_sharer();
  void take_written_back();
  void acknowledge_write_back();
  void finish_grant();
  void finish_shared();
  void finish_fetched();
  void finish_transfer();
  void note_denied();
  void tell_denied();
  void refuse_initiator();
  void end_denied_forward();
  void count_late_ack();
  void await_recovery();

  static const models::TableDescription& table();
  static void execute(DirectoryState& state, DirectoryEvent event, DirectoryStep& step,
                      const sim::CoverageProbe& coverage);

 private:
  struct Life;
  void begin();
  void send(NodeId to, MessageKind kind, const Sharer* copy);
  void grant(const Message& asked, bool with_data);
  bool waits_for_lock(bool exclusive) const;
};

}  // namespace racksim::gam
