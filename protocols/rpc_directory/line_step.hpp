// The life of a line in the cache of one node, as a table. `racksim table rpc-directory` prints it.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/rpc_directory/frame.hpp"
#include "protocols/rpc_directory/messages.hpp"

namespace racksim::rpc_directory {

class ComputeNode;
struct LineWork;

enum class LineEvent : std::uint8_t {
  read,        ///< a thread that has the local latch wants to read
  write,       ///< the same to write; it has the latch exclusively
  granted,     ///< by the home or the owner
  redirected,  ///< by the home, to the owner
  refused,     ///< by either: it was a try, and somebody uses the line
  invalidate,  ///< the home wants the copy gone
  give,        ///< a writer wants the page
  share,       ///< a reader wants it
  evict,       ///< the evictor takes the frame
  count
};

/// The event that a message to a node is.
constexpr LineEvent event_of(MessageKind kind) {
  return kind == MessageKind::invalidate ? LineEvent::invalidate
         : kind == MessageKind::give     ? LineEvent::give
                                         : LineEvent::share;
}

/// One event at one node.
struct LineStep {
  ComputeNode& node;
  sim::Key line;
  Frame* frame;            ///< null: the node has none for the line
  LineWork* work;          ///< null: nothing is under way
  const Message* message;  ///< of invalidate, give and share
  const Reply* reply;      ///< of granted, redirected and refused

  sim::KeyAndOperations key_and_operations() const;
  void request(MessageKind kind);
  void take();
};

using LineTable = models::TransitionTable<LineState, LineEvent, LineStep>;
const LineTable& line_table();

}  // namespace racksim::rpc_directory
