// Seeing a pass from inside, stage by stage: which nodes of the program run, what they look up, and what they change.
//
// A pipeline with a watcher runs each pass stage by stage, which gives what a fused one gives, and tells of it in the
// order of the stages. For people who want to see what a program does (`racksim switch`): a run has none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "p4model/fit/dependency.hpp"
#include "p4model/language/program.hpp"

namespace racksim::p4 {

/// A lookup, and what runs because of it.
struct TableLookup {
  const Table* table = nullptr;
  std::span<const std::uint64_t> key;  ///< a value for each key field
  bool hit = false;
  const Action* action = nullptr;  ///< null when a miss runs nothing
  std::span<const std::uint64_t> data;
};

/// One register execution. The values of a pair are `hi` above `lo`.
struct RegisterUse {
  const RegisterArray* array = nullptr;
  const RegisterAction* action = nullptr;
  std::uint64_t index = 0, before = 0, after = 0;
  std::optional<std::uint64_t> output{};  ///< the word for the packet, when the program wants it
};

/// One execution of a meter, and of a counter, which has counted the packet.
struct MeterUse {
  const Meter* meter = nullptr;
  std::uint64_t index = 0, amount = 0;  ///< packets or bytes
  Colour before = Colour::green, after = Colour::green;
};
struct CounterUse {
  const Counter* counter = nullptr;
  std::uint64_t index = 0;
  CounterValue after{};
};

class StageWatcher {
 public:
  virtual ~StageWatcher() = default;
  /// A pass has parsed so many headers of the packet; a rejected one ends here.
  virtual void parsed(Gress gress, std::size_t headers, bool rejected) = 0;
  /// What follows happens in this stage.
  virtual void stage_begins(int stage) = 0;
  /// The packet has come to a table or a gateway.
  virtual void node_begins(const ProgramNode& node) = 0;
  /// The gateway's condition holds, or not.
  virtual void decided(bool holds) = 0;
  virtual void looked_up(const TableLookup& lookup) = 0;
  virtual void register_used(const RegisterUse& use) = 0;
  virtual void metered(const MeterUse& use) = 0;
  virtual void counted(const CounterUse& use) = 0;
  /// A field has another value behind the stage than before it; nothing stands for an output that is unset.
  virtual void field_changed(FieldRef field, std::optional<std::uint64_t> before,
                             std::optional<std::uint64_t> after) = 0;
};

}  // namespace racksim::p4
