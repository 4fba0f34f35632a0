// The life of a line's directory entry at its home, as a table. `racksim table rpc-directory` prints it.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/rpc_directory/messages.hpp"

namespace racksim::rpc_directory {

class Directory;
struct Entry;

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
  kept,
  not_given,
  count
};

/// The event that a message to a home is; nodes alone get the others.
constexpr DirectoryEvent event_of_home(MessageKind kind) {
  // clang-format off
  switch (kind) {
    case MessageKind::read_request:  return DirectoryEvent::read_request;
    case MessageKind::write_request: return DirectoryEvent::write_request;
    case MessageKind::acknowledged:  return DirectoryEvent::acknowledged;
    case MessageKind::evicted:       return DirectoryEvent::evicted;
    case MessageKind::written_back:  return DirectoryEvent::written_back;
    case MessageKind::handed_over:   return DirectoryEvent::handed_over;
    case MessageKind::shared_out:    return DirectoryEvent::shared_out;
    case MessageKind::kept:          return DirectoryEvent::kept;
    case MessageKind::not_given:     return DirectoryEvent::not_given;
    default:                         return DirectoryEvent::count;
  }
  // clang-format on
}

/// One message at one home.
struct DirectoryStep {
  Directory& directory;
  Entry& entry;
  const Message& message;

  sim::KeyAndOperations key_and_operations() const;
  bool owner_asks() const;
  /// The page comes along unless the requester still has the very share that the home knows of.
  void grant_exclusive(const Message& request);
};

using DirectoryTable = models::TransitionTable<DirectoryState, DirectoryEvent, DirectoryStep>;
const DirectoryTable& directory_table();

}  // namespace racksim::rpc_directory
