// A program compiled for execution: flat arrays of instructions on a PHV of 64-bit words.
//
// A field's number is its place in the PHV; behind the fields lie hidden words for the outcomes of gateways and lookups
// and for values that an action overwrites before it has read them. Stages are consecutive ranges of one array, so a
// fused pass is one run over all of it. Within a stage instructions run in program order: dependencies put everything
// that must not see a write of its own stage into a later one, so this equals all of them reading the PHV at stage
// entry.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "p4model/crc_hash.hpp"
#include "p4model/exact_table.hpp"
#include "p4model/placement.hpp"
#include "p4model/stateful_alu.hpp"

namespace racksim::p4 {

enum class Opcode : std::uint8_t {
  skip_unless,  ///< jump over `extra` instructions when PHV[a] is 0
  gateway,      ///< gateway whose first term is `extra`: PHV[destination] := its condition, PHV[a] := the opposite
  compare,      ///< the same for one comparison, PHV[a] with b: `extra` holds the outcomes, PHV[mask] gets the opposite
  table,        ///< look up and run table `extra`
  hash,         ///< PHV[destination] := hash `extra`
  array,        ///< register execution `extra`
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
};

/// Where an operand is found.
enum class Base : std::uint8_t { phv, constant, data };

struct Instruction {
  Opcode opcode;
  Base a_base = Base::phv, b_base = Base::phv;
  std::uint16_t destination = 0, a = 0, b = 0;
  std::uint32_t extra = 0;
  std::uint64_t mask = 0;
};

struct CodeRange {
  std::uint32_t begin = 0, end = 0;
};

/// One comparison of a gateway and which comes next; kThen and kElse end.
struct GatewayTerm {
  static constexpr std::int32_t kThen = -1, kElse = -2;
  std::uint16_t left;
  Base right_base;
  std::uint16_t right;
  std::uint8_t outcomes;  ///< bit 0: true when less, 1: when equal, 2: when greater
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
  std::uint32_t array = 0;
  std::int32_t stage = 0;
  Base index_base = Base::phv;
  std::uint16_t index = 0;
  std::uint16_t output = 0;  ///< PHV word, when the action has an output
  std::uint64_t output_mask = 0;
};

struct TableCode {
  std::uint32_t table = 0;  ///< number of the table in the program
  std::vector<std::uint16_t> key_slots;
  std::vector<CodeRange> actions;  ///< by number in Table::all_actions()
  CodeRange miss;
  std::uint16_t hit_slot = 0, miss_slot = 0;
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
  std::vector<std::pair<std::uint64_t, std::int32_t>> cases;
  std::int32_t next = kAcceptState;
};

/// What one gress runs.
struct GressCode {
  std::vector<Instruction> code;
  std::vector<CodeRange> stages;
  std::vector<ParseCode> parser;
  /// Header words that some action writes: header, member, PHV word.
  struct HeaderWrite {
    std::uint16_t header, member, slot;
  };
  std::vector<HeaderWrite> header_writes;
  bool changes_validity = false;
  /// Arrays that a pass looks into at an index that stands in the packet: fetched while the parser is at work.
  struct Lookup {
    std::uint32_t array;
    std::uint16_t index_slot;
  };
  std::vector<Lookup> lookups;
  /// Neither parses nor does anything: a pass leaves the packet as it is.
  bool idle() const { return parser.empty() && code.empty(); }
};

struct ProgramCode {
  std::array<GressCode, 2> gress;
  std::vector<Instruction> action_code;
  std::vector<std::uint64_t> constants;
  std::vector<GatewayTerm> gateway_terms;
  std::vector<HashCode> hashes;
  std::vector<ArrayCode> arrays;
  std::vector<TableCode> tables;
  std::vector<std::uint64_t> initial_phv;  ///< its size is the number of words
};

/// What an output field holds until it is written.
inline constexpr std::uint64_t kUnset = ~std::uint64_t{0};

ProgramCode compile(const Placement& placement);

}  // namespace racksim::p4
