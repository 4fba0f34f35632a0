// Litmus tests: small programs of a few sessions on shared objects, and outcomes that a memory model allows or forbids.
//
// The notation is that of the tables in which the literature prints them (Alglave, Maranget and Tautschnig, "Herding
// Cats", ACM TOPLAS 36(2), 2014), in one line:
//
//   {x@4; y@5} P0@0: x=1; r0=y | P1@1/2: y=1; r1=x
//
//   x=1            writes. The number names the write: those to one object differ, and 0 is what it held at first
//   r0=x           reads into a register, of which each is set once in the whole program
//   fence          ends when the session's earlier writes are performed
//   r0=cas(x,0,2)  compare-and-swap: writes 2 if the object has its first value; cas(x,r0,2) if it has what r0 holds.
//                  The register gets what the object had
//   r0=faa(x,1)    fetch-and-add, likewise
//   lock(x)        takes the exclusive lock of the block that the object lies in, rlock(x) the shared one
//   unlock(x)      gives it back
//   x=1, y=2       what commas join is one call: writes, or reads, of words that lie side by side in a line, in this
//                  order. A program that has such calls has real bytes in its words, and no locks or atomics
//
// The last session may be `end`, which only reads: when all others are over and their writes are performed.
// Sessions may name a node and a thread of it, objects their home; what they leave out the workload chooses. An outcome
// is a conjunction over registers: "r0=0 & r1=0".
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/service/operation_set.hpp"

namespace racksim::models {

struct LitmusOperation {
  sim::OperationKind kind{};
  std::size_t object = 0;
  std::uint64_t value = 0;                   ///< names what it writes, or is what it adds
  std::size_t into = 0;                      ///< the register that it sets, if it reads
  std::optional<std::size_t> expected = {};  ///< of compare-and-swap: the register; none: the object's first value
  bool joins = false;                        ///< it is one call with the operation before it

  bool reads() const { return kind == sim::OperationKind::read || sim::is_atomic(kind); }
  bool takes_lock() const { return sim::requests_lock(kind); }
};

struct LitmusSession {
  std::string name;
  std::optional<NodeId> node = {};
  std::optional<std::uint16_t> thread = {};
  std::vector<LitmusOperation> operations = {};
  bool at_end = false;  ///< when all others are over
};

struct LitmusObject {
  std::string name;
  std::optional<NodeId> home = {};
  std::optional<std::size_t> behind = {};  ///< the object whose word lies just before its own in one line
};

struct LitmusRegister {
  std::string name;
  std::size_t session = 0;
  std::size_t object = 0;  ///< that it is read from
};

struct LitmusProgram {
  /// The largest number of a write, and the most that fetch-and-adds may add to one object in all.
  static constexpr std::uint64_t kMostValue = 255;
  /// The most words of one call.
  static constexpr std::size_t kMostJoined = 4;

  std::vector<LitmusSession> sessions;
  std::vector<LitmusObject> objects;  ///< in the order in which they are named
  std::vector<LitmusRegister> registers;

  /// The program as it is printed, in one form however it was written.
  std::string text() const;
  /// The kinds of operations in it.
  OperationSet operations() const;
  /// Whether it has calls of several words.
  bool joins() const;
  /// How many locks one session holds at once at most.
  std::uint64_t most_locks_held() const;
  /// Whether an object can have this value, as far as the program's text tells.
  bool can_hold(std::size_t object, std::uint64_t value) const;
};

/// What some registers hold.
struct LitmusOutcome {
  struct Condition {
    std::size_t in = 0;  ///< a register
    std::uint64_t value = 0;
    auto operator<=>(const Condition&) const = default;
  };
  std::vector<Condition> all;  ///< by ascending register

  /// "r0=0 & r1=1".
  std::string text(const LitmusProgram& program) const;
  /// Whether registers with these values meet it.
  bool holds(const std::vector<std::uint64_t>& values) const;
  bool operator==(const LitmusOutcome&) const = default;
};

/// Outcomes in the one form of what a list of them says, whose order says nothing.
std::string text_of(std::vector<LitmusOutcome> outcomes, const LitmusProgram& program);

/// Throws sim::OptionError of the option "program", with the place in the text.
LitmusProgram parse_litmus_program(std::string_view text);

/// Outcomes, separated by ';'; none in an empty text. `option` is the one that
/// has the text, in errors as above.
std::vector<LitmusOutcome> parse_litmus_outcomes(std::string_view text, const LitmusProgram& program,
                                                 std::string_view option);

}  // namespace racksim::models
