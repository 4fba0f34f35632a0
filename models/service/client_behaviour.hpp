// What a key-value store is told of its clients before the run, so that it may refuse those whom it cannot keep its
// promises to.
#pragma once

#include <cstdint>

namespace racksim::models {

/// Where the operations of a session are carried out.
enum class ClientRouting : std::uint8_t {
  pinned,       ///< all at its own node
  round_robin,  ///< at the nodes that take clients, in turn
  random        ///< at any of them, each time anew
};

struct ClientBehaviour {
  ClientRouting routing = ClientRouting::pinned;
  bool one_at_a_time = false;  ///< a session begins an operation when its last one has ended
};

}  // namespace racksim::models
