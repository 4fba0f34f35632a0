// What a pipe holds between packets, its pipeline with registers and tables, and the record of who writes it
// (docs/hardware.md 6.1: each pipe has state of its own).
//
// Ingress passes, egress passes and accesses of the control plane act on it, each in its own part of the chassis. Who
// is about to run a pass says so (`write_as`), and the event log then has the pass's writes with the operation behind
// them, at the nominal instants of their stages: the same whether the pass is fused or stepped.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/packets/rack_context.hpp"
#include "models/switch/switch_name.hpp"
#include "models/switch/switch_timing.hpp"
#include "p4model/execute/pipeline.hpp"

namespace racksim::models {

class PipeState final : p4::StateWriteObserver {
 public:
  PipeState(RackContext& context, const SwitchTiming& timing, const SwitchName& name, unsigned number,
            std::uint64_t stages);
  PipeState(const PipeState&) = delete;
  PipeState& operator=(const PipeState&) = delete;

  unsigned number() const { return number_; }
  /// Its sources in the event log: of ingress and of egress passes.
  sim::Source source(p4::Gress gress) const { return sources_[static_cast<std::size_t>(gress)]; }

  /// Begins anew with a program: registers are 0, tables have the program's entries alone.
  void boot(std::shared_ptr<const p4::LoadedProgram> program);
  /// Throws std::logic_error when no program is loaded.
  p4::Pipeline& pipeline() {
    if (!pipeline_) throw_unloaded();
    return *pipeline_;
  }

  /// Says whose writes come next.
  void write_as(p4::Gress gress, sim::Time start, std::uint64_t operation) {
    gress_ = gress;
    start_ = start;
    operation_ = operation;
  }
  /// A change of switch state, as the event log has it.
  struct Change {
    p4::Gress gress = p4::Gress::ingress;
    int stage = 0;
    sim::Time at;
    std::uint64_t operation = 0;
    /// Which array, or from 2^31 on which table, in its upper half; the index in its lower.
    std::uint64_t object_and_index = 0;
    std::uint64_t value = 0;
    std::uint64_t packet_serial = 0;  ///< 0 when the control plane wrote
  };
  void record(const Change& change) const;

 private:
  void register_written(const p4::StateWrite& write) override;
  [[noreturn]] static void throw_unloaded();

  RackContext& context_;
  const SwitchTiming& timing_;
  unsigned switch_number_, number_;
  std::array<sim::Source, 2> sources_;                     // by gress
  std::array<std::vector<sim::Source>, 2> stage_sources_;  // by gress and stage
  std::unique_ptr<p4::Pipeline> pipeline_;
  p4::Gress gress_ = p4::Gress::ingress;
  sim::Time start_;
  std::uint64_t operation_ = 0;
};

}  // namespace racksim::models
