// What generated passes are made from (p4model/generate): all of a compiled program that decides how its passes run, and
// nothing of what it holds. Sizes, the contents of tables and value sets, and ports are not part of it, so that one
// function serves pipelines that differ in these alone.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "p4model/execute/code.hpp"

namespace racksim::p4 {

struct PassForm {
  /// Of `initial_phv` only the values that are folded (is_folded_constant) are part of it: other constants, which are often
  /// sizes or ports, are read from the pipeline.
  ProgramCode code;
  struct Array {
    unsigned bits;  ///< of a half
    bool pair;
  };
  std::vector<Array> arrays;
  struct Table {
    std::size_t key_words;
    std::vector<ExactTable::KeyPart> parts;  ///< empty in TCAM
  };
  std::vector<Table> tables;
  struct Header {
    std::uint16_t validity;
    std::vector<std::uint16_t> members;
  };
  std::vector<Header> headers;
  /// PHV words that the hardware writes and reads (Intrinsics), in the order of the enumeration.
  enum Word : std::uint8_t {
    ingress_port,
    resubmit_flag,
    resubmit_data,
    egress_port,
    egress_rid,
    packet_length,
    drop,
    resubmit,
    resubmit_value,
    ucast_egress_port,
    mcast_grp_a,
    mcast_grp_b,
    rid,
    l2_exclusion_id,
    l1_exclusion_id,
    level1_hash,
    level2_hash,
    kWords
  };
  std::array<std::uint16_t, kWords> words{};
  bool selects = false;  ///< whether the last three are there
  /// Meters, counters, idle time-outs, random draws, stamps, mirrors, digests and checksums are left to the interpreter.
  bool can_be_generated = false;
};

/// Whether a generated pass holds this constant itself.
constexpr bool is_folded_constant(std::uint64_t value) {
  return value <= 1 || value == kUnset;
}

/// A number that tells forms apart: passes generated from one are run by pipelines with the same alone.
std::uint64_t fingerprint(const PassForm& form);

/// As a name.
std::string fingerprint_name(std::uint64_t fingerprint);

}  // namespace racksim::p4
