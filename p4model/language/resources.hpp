// What one pipe of a switch offers to a program, Tofino-1-like by default (docs/hardware.md 6.2 to 6.4).
#pragma once

#include <cstdint>

#include "sim/options/parameters.hpp"

namespace racksim::p4 {

/// Budgets per stage unless said otherwise, and the clock cycles that stages take. All of them stand in the testbed
/// file.
struct SwitchResources {
  std::uint64_t stages = 12;
  std::uint64_t sram_blocks = 80;
  std::uint64_t map_ram_blocks = 48;
  std::uint64_t array_data_blocks = 35;  ///< per array
  std::uint64_t block_bits = 1024 * 128;
  std::uint64_t stateful_alus = 4;  ///< which meters use too
  std::uint64_t statistics_alus = 4;
  std::uint64_t logical_tables = 16;
  std::uint64_t gateways = 16;
  std::uint64_t gateway_bytes = 4, gateway_bits = 12, gateway_rows = 4;  ///< what one sees, and its rows
  std::uint64_t hash_groups = 8;
  std::uint64_t hash_group_bits = 52;
  std::uint64_t hash_slices = 6;
  std::uint64_t hash_slice_bits = 16;
  std::uint64_t vliw_instructions = 32;
  std::uint64_t crossbar_bytes = 128;
  std::uint64_t tcam_blocks = 24, tcam_rows = 512, tcam_bits = 44;  ///< rows and bits of one block
  std::uint64_t ternary_tables = 8;
  std::uint64_t ternary_crossbar_bytes = 66;
  std::uint64_t parser_match_bits = 32;                ///< that a parser state compares
  std::uint64_t parser_rows = 256;                     ///< of a parser's TCAM: one a case, and one for all else
  std::uint64_t parser_checksum_units = 2;             ///< on any way through a parser
  std::uint64_t deparser_checksum_units = 6;           ///< of a gress, of which two are its own and the others shared
  std::uint64_t ingress_parse_bytes = 16384;           ///< how deep into a packet the ingress parser looks
  std::uint64_t phv_8 = 64, phv_16 = 96, phv_32 = 64;  ///< per pipe, both gresses together
  std::uint64_t tagalong_8 = 32, tagalong_16 = 48, tagalong_32 = 32;  ///< per pipe, for fields no stage touches
  std::uint64_t match_cycles = 20, stateful_cycles = 4, tcam_cycles = 2, action_cycles = 2, concurrent_cycles = 1;
  std::uint64_t turn_cycles = 4, egress_min_cycles = 160;  ///< per pass

  void declare(sim::Parameters& p) {
    constexpr std::uint64_t kMany = 1 << 20;
    p.integer("stages", stages, 1, 32, "match-action stages in a pipe");
    p.integer("sram_blocks", sram_blocks, 1, kMany, "SRAM blocks in a stage");
    p.integer("map_ram_blocks", map_ram_blocks, 0, kMany,
              "map RAM blocks in a stage, one per block of register memory");
    p.integer("array_data_blocks", array_data_blocks, 1, kMany,
              "most SRAM blocks of one register array, spare not counted");
    p.integer("block_bits", block_bits, 1024, 1 << 30, "bits in an SRAM block");
    p.integer("stateful_alus", stateful_alus, 0, 64, "stateful ALUs (register arrays) in a stage");
    p.integer("statistics_alus", statistics_alus, 0, 64, "statistics ALUs (counters) in a stage").neutral(4);
    p.integer("logical_tables", logical_tables, 1, 256, "tables in a stage");
    p.integer("gateways", gateways, 0, 256, "gateways in a stage");
    p.integer("gateway_bytes", gateway_bytes, 1, 64, "bytes that a gateway sees").neutral(4);
    p.integer("gateway_bits", gateway_bits, 0, 64, "bits that a gateway sees beside its bytes").neutral(12);
    p.integer("gateway_rows", gateway_rows, 1, 64, "rows of a gateway").neutral(4);
    p.integer("hash_groups", hash_groups, 0, 64, "hash groups in a stage");
    p.integer("hash_group_bits", hash_group_bits, 1, 1024, "bits of a hash group");
    p.integer("hash_slices", hash_slices, 0, 64, "hash-distribution slices in a stage, which address registers");
    p.integer("hash_slice_bits", hash_slice_bits, 1, 64, "bits of a hash-distribution slice");
    p.integer("vliw_instructions", vliw_instructions, 1, 1024, "instruction words in a stage, one per action");
    p.integer("crossbar_bytes", crossbar_bytes, 1, 4096, "bytes of the exact-match crossbar in a stage");
    p.integer("tcam_blocks", tcam_blocks, 0, kMany, "TCAM blocks in a stage");
    p.integer("tcam_rows", tcam_rows, 1, kMany, "rows of a TCAM block");
    p.integer("tcam_bits", tcam_bits, 1, 1024, "key bits in a row of a TCAM block");
    p.integer("ternary_tables", ternary_tables, 0, 256, "tables in TCAM in a stage");
    p.integer("ternary_crossbar_bytes", ternary_crossbar_bytes, 1, 4096, "bytes of the ternary crossbar in a stage");
    p.integer("parser_match_bits", parser_match_bits, 1, 1024, "bits that a parser state compares");
    p.integer("parser_rows", parser_rows, 1, kMany, "rows of a parser's TCAM").neutral(256);
    p.integer("parser_checksum_units", parser_checksum_units, 0, 64, "checksum units on any way through a parser")
        .neutral(2);
    p.integer("deparser_checksum_units", deparser_checksum_units, 0, 64,
              "checksum units of a deparser; all but two of ingress and two of egress are shared")
        .neutral(6);
    p.integer("ingress_parse_bytes", ingress_parse_bytes, 1, kMany, "how deep into a packet the ingress parser looks");
    p.integer("phv_8", phv_8, 0, 1024, "8-bit PHV containers of a pipe");
    p.integer("phv_16", phv_16, 0, 1024, "16-bit PHV containers of a pipe");
    p.integer("phv_32", phv_32, 0, 1024, "32-bit PHV containers of a pipe");
    p.integer("tagalong_8", tagalong_8, 0, 1024, "8-bit containers for header fields that no stage touches");
    p.integer("tagalong_16", tagalong_16, 0, 1024, "16-bit containers for header fields that no stage touches");
    p.integer("tagalong_32", tagalong_32, 0, 1024, "32-bit containers for header fields that no stage touches");
    p.integer("match_cycles", match_cycles, 1, 1000, "clock cycles of a match-dependent stage");
    p.integer("stateful_cycles", stateful_cycles, 0, 1000,
              "cycles that a stateful ALU adds to a match-dependent stage");
    p.integer("tcam_cycles", tcam_cycles, 0, 1000, "cycles that TCAM adds to a match-dependent stage");
    p.integer("action_cycles", action_cycles, 1, 1000, "clock cycles of an action-dependent stage");
    p.integer("concurrent_cycles", concurrent_cycles, 1, 1000, "clock cycles of a concurrent stage");
    p.integer("turn_cycles", turn_cycles, 0, 1000, "cycles of the corner turn, once a pass");
    p.integer("egress_min_cycles", egress_min_cycles, 0, 10'000, "least cycles of an egress pass");
  }
};

}  // namespace racksim::p4
