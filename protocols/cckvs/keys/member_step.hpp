// A key at a node that is not its home, as a table: how its copy comes and goes (hand_over.hpp).
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/cckvs/keys/hand_over.hpp"

namespace racksim::cckvs {

enum class MemberEvent : std::uint8_t {
  install,
  activate,
  seal,
  puts_over,  ///< the last put of this node is
  done,
  count
};

/// One event of one key at one node: the guards and actions of the table.
struct MemberStep {
  HandOver& at;
  sim::Key key;
  NodeId home;
  const Stored* copy = nullptr;  ///< of install

  sim::KeyAndOperations key_and_operations() const { return {key, {}}; }

  // Guards.
  bool active_at_install() const;
  bool must_wait() const;
  bool has_own_puts() const;

  // Actions.
  void install();
  void send_stalled_home();
  void tell_sealed();
  void remove();

  static const models::TableDescription& table();
  static void execute(MemberState& state, MemberEvent event, MemberStep& step, const sim::CoverageProbe& coverage);

 private:
  struct Life;
};

}  // namespace racksim::cckvs
