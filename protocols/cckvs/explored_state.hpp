// A state of the exploration of ccKVS: one key in the caches of all nodes, the messages under way, the sessions, and
// what is judged. See explored_caches.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/cckvs/entry.hpp"
#include "sim/checkers/register_linearizations.hpp"

namespace racksim::cckvs {

/// A message under way.
struct Flight {
  enum class Kind : std::uint8_t { invalidation, acknowledgement, update };

  std::uint8_t from = 0, to = 0;
  Kind kind{};
  std::uint8_t version = 0, writer = 0, value = 0;

  Timestamp timestamp() const { return {version, writer}; }
  bool is_on_way_of(const Flight& other) const { return from == other.from && to == other.to; }
  auto operator<=>(const Flight&) const = default;
};

/// What a session has done under SC: 0x80 and the value for a put, the value for a get.
using Results = std::vector<std::uint8_t>;

struct ExploredState {
  struct Copy {
    Entry entry;
    Work work;
  };
  struct Session {
    enum class Pending : std::uint8_t { none, get, put };
    std::uint8_t begun = 0;  ///< operations
    Pending pending = Pending::none;
    std::uint8_t value = 0;  ///< of a pending put
    Results results;         ///< under SC
  };

  std::vector<Copy> copies;     ///< by node
  std::vector<Flight> flights;  ///< sorted; on ordered channels by channel alone
  std::vector<Session> sessions;
  std::uint8_t puts = 0, losses = 0, duplicates = 0, timeouts = 0;  ///< that there were
  Timestamp committed;                                              ///< of the last put that was
  sim::checkers::RegisterLinearizations linearizations{};           ///< of Lin with sessions

  /// All that the future depends on. What is the same in all states of one exploration is not said.
  std::string encoded(bool judges_linearizations) const;
  static ExploredState decoded(std::string_view bytes, bool judges_linearizations);
};

}  // namespace racksim::cckvs
