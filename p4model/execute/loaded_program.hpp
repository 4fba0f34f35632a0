// A program placed and compiled for a kind of switch: what the pipes that run it share, after each of their boots.
//
// Nothing in it changes once it is made. What a pipe has of its own begins as a copy of what is here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "p4model/execute/code.hpp"
#include "p4model/execute/exact_table.hpp"
#include "p4model/execute/pass_form.hpp"
#include "p4model/execute/ternary_table.hpp"
#include "p4model/fit/placement.hpp"
#include "p4model/language/packet.hpp"

namespace racksim::p4 {

class Pipeline;
struct EgressMetadata;
struct IngressMetadata;
struct Verdict;

/// Passes of one compiled form as functions (generated_pass.hpp); null where there is none.
struct GeneratedFunctions {
  Verdict (*ingress)(Pipeline& pipeline, Packet& packet, const IngressMetadata& metadata) = nullptr;
  bool (*egress)(Pipeline& pipeline, Packet& packet, const EgressMetadata& metadata) = nullptr;
};

/// They register themselves, in a target of their own.
struct GeneratedPasses {
  static constexpr std::string_view kWhat = "generated form of a switch program";
  std::string name;  ///< fingerprint_name() of the form
  GeneratedFunctions functions;
};

struct LoadedProgram {
  /// The most fields, constants and decisions that a pass carries.
  static constexpr std::size_t kMaxWords = 1024;

  /// Checks, places and compiles the program. Throws ProgramError or DoesNotFit.
  explicit LoadedProgram(std::shared_ptr<const Program> loaded, const SwitchResources& resources = {});
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  /// What its passes can be generated from.
  PassForm form() const;
  /// As Pipeline::passes_repeat has it.
  bool passes_repeat() const { return !uses.clock && !uses.draws && !uses.requests && !uses.measures && !uses.ages; }
  /// A key of a table in SRAM, and the number of an action among those of its table, which can have this data. They throw
  /// as Pipeline::add_entry does.
  ExactTable::Key exact_key(const Table& table, std::span<const KeyMatch> key, std::uint32_t priority) const;
  std::uint32_t action_number(const Table& table, const Action& action, std::span<const std::uint64_t> data) const;

  std::shared_ptr<const Program> program;
  Placement placement;
  ProgramCode code;
  GeneratedFunctions generated;
  struct Uses {
    bool clock = false, draws = false, requests = false, measures = false, ages = false;
  };
  Uses uses;
  std::vector<std::vector<Action*>> actions;         ///< by number of the table: what Table::all_actions() says
  std::vector<ExactTable> tables;                    ///< with the program's entries; of a table in TCAM an empty one
  std::vector<std::optional<TernaryTable>> ternary;  ///< the same; nothing of a table in SRAM
};

}  // namespace racksim::p4
