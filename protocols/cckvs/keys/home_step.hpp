// A key at its home, as a table: in the home's store, or cached by all, and the changes between (hand_over.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "models/service/transition_table.hpp"
#include "protocols/cckvs/keys/hand_over.hpp"

namespace racksim::cckvs {

enum class HomeEvent : std::uint8_t { get, put, install, evict, installed, sealed, count };

/// One event of one key at its home: the guards and actions of the table.
struct HomeStep {
  HandOver& at;
  sim::Key key;
  const Stalled* request = nullptr;  ///< of get and put
  NodeId from = 0;                   ///< of installed and sealed
  std::optional<Stored> copy = {};   ///< of sealed

  sim::KeyAndOperations key_and_operations() const;

  // Guards.
  bool puts_while_installing() const;
  bool serves_cached() const;
  bool activates_at_once() const;
  bool is_last() const;
  bool decides_alone() const;

  // Actions.
  void serve();
  void hold();
  void run_on_copy();
  void install();
  void note();
  void activate();
  void seal();
  void write_back();
  void write_own_back();

  static const models::TableDescription& table();
  static void execute(HomeState& state, HomeEvent event, HomeStep& step, const sim::CoverageProbe& coverage);

 private:
  struct Life;
  void leave_caches();
};

}  // namespace racksim::cckvs
