// Fits a program into the stages of a switch, or says what ran out.
//
// Costs (docs/hardware.md 6.2, 6.3): a register array takes its data blocks and one spare, each with a map RAM, and
// one stateful ALU; so does a meter; a counter takes blocks and a statistics ALU instead; an exact-match table takes
// SRAM for its key, action data and 4 bits of overhead per entry, and a hash group; a ternary, longest-prefix or range
// table takes TCAM blocks side by side for its key, on top of each other for its rows, SRAM for their action data, and
// bytes of the ternary crossbar instead of the exact one; distinct register indices of a stage take hash-distribution
// slices; every key, gateway operand, register index and stateful ALU input takes bytes of the crossbar once per stage;
// every action takes an instruction word. Ingress and egress share the stages. A table that finds no stage with room for
// all its entries is divided, if nothing of its own lies in one stage: each stage but the first looks where the ones before
// it have missed, and takes the key's crossbar, hash and instructions anew. How entries of a table pack into 128-bit
// words is simplified: whole entries per word, no cuckoo ways.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "p4model/fit/dependency.hpp"
#include "p4model/language/program.hpp"
#include "p4model/language/resources.hpp"

namespace racksim::p4 {

/// Thrown when a program does not fit: the message names program, table or array, stage and the resource that ran out,
/// with what is needed and what is available.
class DoesNotFit : public ProgramError {
 public:
  using ProgramError::ProgramError;
};

enum class StageResource : std::uint8_t {
  sram_blocks,
  map_ram_blocks,
  stateful_alus,
  logical_tables,
  gateways,
  hash_groups,
  hash_slices,
  vliw_instructions,
  crossbar_bytes,
  tcam_blocks,
  ternary_tables,
  ternary_crossbar_bytes,
  statistics_alus,
};
inline constexpr std::size_t kStageResources = 13;
std::string_view name_of(StageResource resource);
std::uint64_t budget(const SwitchResources& resources, StageResource resource);

using StageUsage = std::array<std::uint64_t, kStageResources>;

/// How a stage waits for the one before it (docs/hardware.md 6.4).
enum class StageDependence : std::uint8_t { match, action, concurrent };

struct PhvUsage {
  std::array<std::uint64_t, 3> normal{}, tagalong{};  ///< containers of 8, 16 and 32 bits
};

/// A node in a stage. A table that is larger than a stage lies in several: each holds some of its entries.
struct PlacedPart {
  std::size_t node = 0;
  std::uint64_t entries = 0;  ///< of its table
};

/// Where all nodes of a program are.
struct Places {
  std::vector<int> stage;                      ///< by node: of its last part, where its outcome is known
  std::vector<int> first;                      ///< by node: of its first part
  std::vector<std::vector<PlacedPart>> parts;  ///< by stage
};

/// Blocks of SRAM (or map RAM) that an array takes, the spare included.
std::uint64_t register_blocks(const SwitchResources& resources, const RegisterArray& array);
/// Blocks of SRAM and map RAM that a meter or a counter takes, the spare included: a word of 128 bits holds a meter's
/// entry, one of a counter of both units, or two of another counter.
std::uint64_t meter_blocks(const SwitchResources& resources, const Meter& meter);
std::uint64_t counter_blocks(const SwitchResources& resources, const Counter& counter);
/// Blocks of SRAM that so many entries of a table take, in TCAM their action data; 0 without a key.
std::uint64_t table_blocks(const SwitchResources& resources, const Program& program, const Table& table,
                           std::uint64_t entries);
/// Blocks of TCAM that so many rows of a table take; 0 if all its keys are exact.
std::uint64_t tcam_blocks(const SwitchResources& resources, const Program& program, const Table& table,
                          std::uint64_t entries);

class Placement {
 public:
  /// Checks and places `program`, which must outlive the placement. Throws ProgramError or DoesNotFit.
  Placement(const Program& program, const SwitchResources& resources);

  const Program& program() const { return *program_; }
  const SwitchResources& resources() const { return resources_; }
  const DependencyGraph& graph() const { return *graph_; }
  int stages() const { return static_cast<int>(usage_.size()); }
  /// The stage of a node of the graph; of a table in several stages the last, where it is known whether it was hit.
  int stage_of(std::size_t node) const { return places_.stage[node]; }
  /// The stage of a table, array, meter or counter, or -1 when the program never uses it.
  int stage_of(const Table& table) const;
  int stage_of(const RegisterArray& array) const;
  int stage_of(const Meter& meter) const;
  int stage_of(const Counter& counter) const;
  const StageUsage& usage(int stage) const { return usage_[static_cast<std::size_t>(stage)]; }
  const PhvUsage& phv() const { return phv_; }
  /// Stages from 0 to the last one in use.
  int stages_used() const;
  /// Bytes of the entries of all register arrays that the program uses.
  std::uint64_t register_bytes() const;

  StageDependence dependence(Gress gress, int stage) const {
    return dependence_[static_cast<std::size_t>(gress)][static_cast<std::size_t>(stage)];
  }
  /// Clock cycles that a packet spends in one stage, and in all of them with the corner turn.
  std::uint64_t latency_cycles(Gress gress, int stage) const;
  std::uint64_t latency_cycles(Gress gress) const;

  /// A table for people: what is in which stage, and how much of each resource is used.
  std::string report() const;
  /// The dependency graph in Graphviz's language, one cluster per stage.
  std::string dot() const;

 private:
  template <class Memory>
  int stage_of_user(const Memory& memory, std::vector<const Memory*> ProgramNode::*memories) const;

  const Program* program_;
  SwitchResources resources_;
  std::shared_ptr<const DependencyGraph> graph_;
  Places places_;
  std::vector<StageUsage> usage_;
  PhvUsage phv_;
  std::array<std::vector<StageDependence>, 2> dependence_;
};

/// What the given parts use when they share a stage.
StageUsage stage_usage(const SwitchResources& resources, const Program& program, const DependencyGraph& graph,
                       const std::vector<PlacedPart>& parts);

/// Rows of its TCAM that a gress's parser takes.
std::uint64_t parser_rows(const Program& program, Gress gress);
/// Throws DoesNotFit for a parser that compares more, looks further or has more cases than the hardware's.
void check_parser_limits(const SwitchResources& resources, const Program& program);

/// Checksum units that a gress's parser takes on the way that takes most, and those that its deparser takes.
std::uint64_t parser_checksum_units(const Program& program, Gress gress);
std::uint64_t deparser_checksum_units(const Program& program, Gress gress);
/// Throws DoesNotFit when there are not so many.
void check_checksum_limits(const SwitchResources& resources, const Program& program);

/// Stages for all nodes. Throws DoesNotFit.
Places place_nodes(const SwitchResources& resources, const Program& program, const DependencyGraph& graph);

/// Containers for all fields that the two gresses carry. Throws DoesNotFit, naming the first field without room.
PhvUsage allocate_phv(const SwitchResources& resources, const Program& program, const DependencyGraph& graph,
                      const Places& places);

/// Lines about parts of the hardware beside the stages that a program uses; none for most programs.
std::string hardware_parts(const Placement& placement);
/// Lines that say which limits of the hardware a placement looks at, and which it does not.
std::string limits_text();

/// Which stages of a gress wait for which.
std::vector<StageDependence> stage_dependences(const SwitchResources& resources, const DependencyGraph& graph,
                                               const Places& places, Gress gress);

}  // namespace racksim::p4
