// What a run did to one key: the material of its chart, as the recorder gathers it (recorder.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/time.hpp"

namespace racksim::tools::explain {

/// One thing that happened, in words that charts print.
struct Event {
  enum class Type : std::uint8_t {
    message,       ///< a message went from one party to another
    under_way,     ///< a message set out and had not been taken when the violation was found
    lost,          ///< a message was lost on its way, or where it was
    begun,         ///< an operation began
    ended,         ///< an operation ended
    permission,    ///< a node gained or lost a permission
    switch_state,  ///< registers of the switch changed
    second_pass,   ///< a packet was resubmitted to the switch's pipeline
    fault,         ///< a fault of the scenario began or ended
  };
  Type type = Type::message;
  sim::Time at;                 ///< when a message was taken or lost, or set out if it is under way; or it happened
  sim::Time sent;               ///< when a message set out
  std::string from;             ///< the party at which it happens or begins; empty for a fault
  std::string to;               ///< where a message goes; empty when it happens at `from` alone
  std::string text;             ///< "READ-MISS seq 3"
  std::string note;             ///< what was wrong with it: "duplicate", "loss"
  std::uint64_t operation = 0;  ///< that caused it, 0 if none
  bool named = false;  ///< a message that a fault of the scenario names: charts show it whatever they leave out

  void add_note(const std::string& text) { note += (note.empty() ? "" : ", ") + text; }
};

/// An operation that some event names.
struct Operation {
  std::string text;      ///< "write of 0x5 by n0.t1, begun at 3.000 ns, ended at 9.000 ns"
  bool accused = false;  ///< the violation names it
};

/// A register of the switch over time.
struct Register {
  std::string name;     ///< "LOCK1[11]"
  std::string meaning;  ///< "lock", or empty
  std::string party;    ///< of whom it speaks, empty for the key itself
  std::string (*print)(std::uint64_t) = nullptr;
  std::uint64_t initial = 0;
  std::vector<std::pair<sim::Time, std::uint64_t>> writes;

  /// The value at an instant, writes of that instant included.
  std::uint64_t value_at(sim::Time when) const;
  /// A value as charts print it.
  std::string printed(std::uint64_t value) const;
};

/// All of it, up to the violation.
struct History {
  std::vector<Event> events;       ///< in the order of their instants
  std::size_t gap_at = 0;          ///< before this event others are missing that were not kept
  std::uint64_t gap = 0;           ///< how many
  std::vector<std::size_t> turns;  ///< events that are worth seeing with what is around them, in their order
  std::map<std::uint64_t, Operation> operations;
  std::vector<std::string> sessions;            ///< parties that begin operations
  std::vector<std::string> switches{"switch"};  ///< parties that are switches
  std::vector<Register> registers;
};

}  // namespace racksim::tools::explain
