// A state of the exploration of ccKVS: one key in the caches of all nodes, the messages under way, the sessions, and
// what is judged. See explored_caches.hpp.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/cckvs/keys/hand_over.hpp"
#include "sim/checkers/register_linearizations.hpp"

namespace racksim::cckvs {

/// A message under way.
struct Flight {
  std::uint8_t from = 0, to = 0;
  CacheMessage::Type type{};
  std::uint8_t version = 0, writer = 0, value = 0;

  Timestamp timestamp() const { return {version, writer}; }
  CacheMessage message(sim::Key key) const {
    return {.key = key, .value = sim::Value(value), .timestamp = timestamp(), .type = type};
  }
  bool is_on_way_of(const Flight& other) const { return from == other.from && to == other.to; }
  auto operator<=>(const Flight&) const = default;
};

/// A control message of a hand-over under way.
struct Control {
  std::uint8_t from = 0, to = 0;
  HandOverMessage message{};
  std::optional<Stored> copy;  ///< of install and sealed

  bool is_on_way_of(const Control& other) const { return from == other.from && to == other.to; }
};

/// What a session has done under SC: 0x80 and the value for a put, the value for a get.
using Results = std::vector<std::uint8_t>;

struct ExploredState {
  /// What a node has of the key.
  struct Copy {
    std::optional<Entry> entry;
    Work work;
    HandOverState hand_over;
  };
  struct Session {
    enum class Pending : std::uint8_t { none, get, put };
    /// Where a pending operation is.
    enum class Stage : std::uint8_t {
      cache,    ///< of its own node
      request,  ///< on its way to the home
      home,
      answer  ///< on its way back
    };
    std::uint8_t begun = 0;  ///< operations
    Pending pending = Pending::none;
    Stage stage = Stage::cache;
    std::uint8_t node = 0;   ///< of a pending operation
    std::uint8_t value = 0;  ///< of a pending put
    Stored answer;           ///< with Stage::answer
    Results results;         ///< under SC
  };

  std::vector<Copy> copies;       ///< by node
  std::vector<Flight> flights;    ///< sorted; on ordered channels by channel alone
  std::vector<Control> controls;  ///< sorted by channel alone
  std::vector<Session> sessions;
  Stored stored;                                                                 ///< at the home
  HandOverChange change;                                                         ///< likewise
  std::uint8_t puts = 0, losses = 0, duplicates = 0, timeouts = 0, changes = 0;  ///< that there were
  Timestamp committed;                                                           ///< the greatest that was
  sim::checkers::RegisterLinearizations linearizations{};                        ///< of Lin with sessions

  /// What states of one exploration differ in.
  struct Scope {
    bool linearizations, hand_overs;
  };
  /// All that the future depends on.
  std::string encoded(Scope scope) const;
  static ExploredState decoded(std::string_view bytes, Scope scope);
};

}  // namespace racksim::cckvs
