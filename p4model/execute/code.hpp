// A program compiled for execution: flat arrays of instructions on a PHV of 64-bit words.
//
// A field's number is its place in the PHV; behind the fields lie hidden words for the outcomes of gateways and
// lookups, for values that an action overwrites before it has read them, for constants and for the action data of the
// entry that a table has just found. So every operand is a PHV word, and no instruction has to ask where its operands
// are.
//
// Within a stage instructions run in program order: dependencies put everything that must not see a write of its own
// stage into a later one, so this equals all of them reading the PHV at stage entry. The same nodes are laid out twice:
// stage by stage, where each stage tests its guards anew, and as one run over all stages, where a guard is tested once
// for all that hangs on it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "p4model/execute/exact_table.hpp"
#include "p4model/fit/placement.hpp"
#include "p4model/language/crc_hash.hpp"
#include "p4model/language/stateful_alu.hpp"

namespace racksim::p4 {

enum class Opcode : std::uint8_t {
  done,         ///< the end of an action (back to behind its table), a stage or a gress
  node,         ///< in `stepped` only: node `extra` of the dependency graph begins, for who watches
  skip_unless,  ///< jump over `extra` instructions when PHV[a] is 0
  gateway,  ///< gateway whose first term is `b`: PHV[destination] := its condition, PHV[a] := the opposite; jump over
            ///< `extra` instructions when it does not hold
  compare,  ///< the same for one comparison, PHV[a] with PHV[b], and the opposite goes to PHV[mask]
  table,    ///< look up in table `extra` and run the action
  hash,     ///< PHV[destination] := hash `extra`
  array,    ///< register execution `extra`
  probe,    ///< PHV[destination] := whether entry PHV[a] of array `extra`, a pair of 32 bits, is (PHV[b], PHV[mask])
  set,
  add,
  sub,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right,
  min,
  max,
  random,  ///< PHV[destination] := draw `extra` of the pass
  meter,   ///< meter execution `extra`
  count,   ///< counter execution `extra`
};

struct Instruction {
  Opcode opcode;
  std::uint8_t outcomes = 0;  ///< of a comparison, as outcomes_of() has them
  std::uint16_t destination = 0, a = 0, b = 0;
  std::uint32_t extra = 0;
  std::uint64_t mask = 0;
};

/// One comparison of a gateway and which comes next; kThen and kElse end.
struct GatewayTerm {
  static constexpr std::int32_t kThen = -1, kElse = -2;
  std::uint16_t left, right;
  std::uint8_t outcomes;
  std::int32_t if_true, if_false;
};

struct HashCode {
  struct Byte {
    std::uint16_t slot;
    std::uint8_t shift;
  };
  std::vector<Byte> bytes;
  CrcTables tables;
  std::uint32_t mask;
};

struct ArrayCode {
  AluCode alu;
  const RegisterAction* action = nullptr;
  std::uint32_t array = 0;
  std::int32_t stage = 0;
  std::uint16_t index = 0;
  std::uint16_t output = 0;  ///< PHV word, one that nobody reads when the output is not wanted
  std::uint64_t output_mask = 0;
};

/// The execution of a meter: which entry, and the PHV words of the colour before and behind it.
struct MeterCode {
  std::uint32_t meter = 0;
  std::int32_t stage = 0;
  std::uint16_t index = 0, pre_colour = 0, colour = 0;
};

struct CounterCode {
  std::uint32_t counter = 0;
  std::int32_t stage = 0;
  std::uint16_t index = 0;
};

/// Where an action begins, and how many words of action data it takes from its entry.
struct ActionCode {
  std::uint32_t begin = 0, data_words = 0;
};

struct TableCode {
  std::uint32_t table = 0;  ///< number of the table in the program
  bool in_tcam = false;
  bool numbers_entries = false;  ///< for direct meters and counters the number of the entry hit goes to `entry_slot`,
  bool ages = false;             ///< and hits are noted for idle time-outs
  std::vector<std::uint16_t> key_slots;
  std::vector<ActionCode> actions;  ///< by number in Table::all_actions()
  ActionCode miss;
  std::uint16_t hit_slot = 0, miss_slot = 0, entry_slot = 0;
};

/// A checksum unit. Each word of its fields is one of 16 bits: part of a PHV word, where a header is present.
struct ChecksumCode {
  struct Part {
    std::uint16_t slot, present;
    std::uint8_t right, left;  ///< how far the PHV word is shifted
    std::uint16_t mask;        ///< of the bits before the shift to the left
  };
  ChecksumUnit::Operation operation = ChecksumUnit::Operation::update;
  std::vector<Part> parts;
  std::uint16_t present = 0, when = 0, result = 0;  ///< PHV words: whether the unit works, both, and what it writes
  bool zeros_as_ones = false;
};

struct ParseCode {
  static constexpr std::int32_t kAcceptState = -1, kRejectState = -2;
  const HeaderLayout* layout = nullptr;
  std::uint16_t header = 0, validity_slot = 0;
  /// Only members that this gress reads, or may write back, go into the PHV.
  struct Extract {
    std::uint16_t member, slot;
    std::uint64_t mask;
  };
  std::vector<Extract> extracts;
  std::int32_t selector = -1;
  struct Case {
    std::uint64_t value, mask;
    std::int32_t next;
    std::int32_t set = -1;  ///< number of a value set, instead
  };
  std::vector<Case> cases;
  bool has_sets = false;
  std::int32_t next = kAcceptState;
};

/// What one gress runs.
struct GressCode {
  std::vector<Instruction> fused;  ///< all stages
  std::vector<Instruction> stepped;
  std::vector<std::uint32_t> stage_begins;  ///< in `stepped`
  std::vector<ParseCode> parser;
  /// Header words that some action writes, by number of the header.
  struct HeaderWrite {
    std::uint16_t member, slot;
  };
  std::vector<std::vector<HeaderWrite>> header_writes;
  bool changes_headers = false;
  bool changes_validity = false;
  std::vector<ChecksumCode> parser_checksums, deparser_checksums;
  /// Arrays that a pass looks into at an index that stands in the packet: fetched while the parser is at work.
  struct Lookup {
    std::uint32_t array;
    std::uint16_t index_slot;
  };
  std::vector<Lookup> lookups;
  /// Neither parses nor does anything: a pass leaves the packet as it is.
  bool idle() const { return parser.empty() && fused.size() == 1; }
};

struct ProgramCode {
  std::array<GressCode, 2> gress;
  std::vector<Instruction> action_code;
  std::vector<GatewayTerm> gateway_terms;
  std::vector<HashCode> hashes;
  std::vector<ArrayCode> arrays;
  std::vector<MeterCode> meters;
  std::vector<CounterCode> counters;
  std::vector<TableCode> tables;
  std::uint16_t data_slot = 0;             ///< the PHV word of an action's first word of data
  std::vector<std::uint64_t> initial_phv;  ///< its size is the number of words
};

/// What an operation of an action makes of its operands, before the mask.
template <Opcode opcode>
inline std::uint64_t computed(std::uint64_t a, [[maybe_unused]] std::uint64_t b) {
  if constexpr (opcode == Opcode::set) return a;
  if constexpr (opcode == Opcode::add) return a + b;
  if constexpr (opcode == Opcode::sub) return a - b;
  if constexpr (opcode == Opcode::bit_and) return a & b;
  if constexpr (opcode == Opcode::bit_or) return a | b;
  if constexpr (opcode == Opcode::bit_xor) return a ^ b;
  if constexpr (opcode == Opcode::bit_not) return ~a;
  if constexpr (opcode == Opcode::shift_left) return b < 64 ? a << b : 0;
  if constexpr (opcode == Opcode::shift_right) return b < 64 ? a >> b : 0;
  if constexpr (opcode == Opcode::min) return a < b ? a : b;
  if constexpr (opcode == Opcode::max) return a < b ? b : a;
}

/// Whether a comparison holds; `outcomes` as outcomes_of() has them.
inline bool compares(std::uint8_t outcomes, std::uint64_t left, std::uint64_t right) {
  return outcomes >> (static_cast<unsigned>(left > right) * 2 + static_cast<unsigned>(left == right)) & 1u;
}

/// What an output field holds until it is written.
inline constexpr std::uint64_t kUnset = ~std::uint64_t{0};

ProgramCode compile(const Placement& placement);

/// The fields of a checksum unit as parts of words of 16 bits. `always` is a PHV word that holds 1.
ChecksumCode compile(const ChecksumUnit& unit, const Program& program, std::uint16_t always);

HashCode compile(const HashUnit& hash, const Program& program);

/// A gateway's terms, last to first. `constant` gives the PHV word that holds a number.
std::vector<GatewayTerm> gateway_terms(const Condition& condition,
                                       const std::function<std::uint16_t(std::uint64_t)>& constant);

/// The instruction for an operation of an action; what takes an output back sets it.
Opcode opcode_of(VliwOperation operation);

}  // namespace racksim::p4
