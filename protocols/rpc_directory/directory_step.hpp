// The life of a line's directory entry at its home, as a table. `racksim table rpc-directory` prints it.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/rpc_directory/messages.hpp"

namespace racksim::rpc_directory {

class Directory;
struct Entry;
struct Reply;

enum class DirectoryState : std::uint8_t {
  uncached,
  shared,
  exclusive,
  // Busy:
  invalidating,         ///< acknowledgements are awaited, to grant a write
  handing_over,         ///< the owner is to give the page to a writer
  sharing_out,          ///< the owner is to share the page with a reader
  awaiting_write_back,  ///< the owner itself asks again: its eviction is on its way
  count
};

constexpr bool is_busy(DirectoryState state) {
  return state >= DirectoryState::invalidating;
}

enum class DirectoryEvent : std::uint8_t {
  read_request,
  write_request,
  acknowledged,
  evicted,
  written_back,
  handed_over,
  shared_out,
  count
};

/// The event that a message to a home is.
constexpr DirectoryEvent event_of_home(MessageKind kind) {
  static_assert(static_cast<int>(MessageKind::shared_out) + 1 == static_cast<int>(DirectoryEvent::count));
  return static_cast<DirectoryEvent>(kind);
}

/// One message at one home: the guards and actions of the table.
struct DirectoryStep {
  Directory& directory;
  Entry& entry;
  const Message& message;

  sim::KeyAndOperations key_and_operations() const;

  // Guards.
  bool nobody_else_shares() const;
  bool awaits_no_acks() const;
  bool queues_nothing() const;
  bool owner_asks() const;
  bool more_acks_awaited() const;
  bool is_last_share() const;
  bool is_stale() const;
  bool requester_leaves() const;
  bool requester_has_left() const;
  bool reader_waits() const;

  // Actions.
  void grant_share();
  void grant_exclusive();
  void invalidate_others();
  void begin();
  void redirect();
  void queue();
  void acknowledge();
  void finish_exclusive();
  void finish_shared();
  void finish_handed_over();
  void finish_shared_out();
  void note_left();
  void forget_holders();
  void drop_holder();
  void note_stale();

  static const models::TableDescription& table();
  static void execute(DirectoryState& state, DirectoryEvent event, DirectoryStep& step,
                      const sim::CoverageProbe& coverage);

 private:
  struct Life;
  void grant(const Message& request, bool exclusive);
  void reply(const Message& request, const Reply& reply, bool with_page);
};

}  // namespace racksim::rpc_directory
