// The builder of the LCF pipeline: its stages are written in lcf_program.cpp, what becomes of a packet behind them in
// lcf_outcome.cpp, and what migration adds to both in lcf_migration.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "p4model/language/program.hpp"
#include "protocols/flowcc/rules/messages.hpp"
#include "protocols/flowcc/rules/provider.hpp"
#include "protocols/flowcc/switch/lcf_program.hpp"

namespace racksim::flowcc {

constexpr std::uint64_t number(MessageType type) {
  return static_cast<std::uint64_t>(type);
}
constexpr std::uint64_t number(Receiver receiver) {
  return static_cast<std::uint64_t>(receiver);
}
constexpr std::uint64_t number(GlobalStatus status) {
  return static_cast<std::uint64_t>(status);
}

class LcfBuilder {
 public:
  LcfBuilder(const FlowCcOptions& options, const LcfShape& shape)
      : options_(options),
        shape_(shape),
        rules_(options.migration.effective()),
        program_(std::make_shared<p4::Program>(
            shape.migrates ? "flowcc-migrating" : "flowcc-lcf",
            shape.migrates ? "Concordia's lock-check-forward pipeline, with blocks that come and go"
                           : "Concordia's lock-check-forward pipeline with idempotent locks")),
        p_(*program_) {}

  LcfProgram build();

 private:
  /// What a side of a gateway does that is one table or action.
  template <class Applied>
  static auto run(Applied& applied) {
    return [&applied](p4::Block& block) { block.apply(applied); };
  }
  bool safe() const { return options_.idempotence == FlowCcOptions::Idempotence::safe; }
  /// Application threads, home agents, and locks that threads hold.
  unsigned requesters() const { return shape_.threads + shape_.nodes + shape_.locks; }

  // Stages (lcf_program.cpp).
  void parsers();
  void prepare(p4::Block& lcf);
  void duplicate_filter(p4::Block& lcf);
  void last_unlock(p4::Block& lcf);
  void find_in_way(p4::Block& lcf, unsigned n);
  void access_way(p4::Block& lcf, unsigned n);
  void scoreboard(p4::Block& lcf);
  void copyset_arithmetic(p4::Block& lcf);

  // What becomes of a packet (lcf_outcome.cpp).
  p4::Action& reply(const char* name, MessageType type);
  p4::Action& with_metadata(p4::Action& action);
  p4::Action& to_holders(const char* name);
  void outcome(p4::Block& lcf);
  void second_pass(p4::Block& second);
  p4::Action& unlock_with_score();
  void locked_or_not(p4::Block& request);
  p4::Action& undo_acquisition();

  // Migration (lcf_migration.cpp).
  /// A packet that takes locks, gives them back or moves a block.
  p4::Condition is_for_lcf();
  /// An unlock, which new metadata come with; not a CLEAR.
  p4::Condition is_unlock();
  /// The array's three actions, one a pass, chosen by type, pass and what earlier ways did.
  void find_or_change(p4::Block& lcf, unsigned n, p4::RegisterArray& tags);
  /// Whether a pass changes lock or metadata of the block that it has found.
  p4::Condition changes_block();
  void stamp(p4::Block& lcf);
  void migrated_first_pass(p4::Block& fresh, p4::Action& to_owner_home);
  void answer_remove(p4::Block& removes);
  void first_pass_of_add(p4::Block& adds);
  void answer_add(p4::Block& adds);
  void answer_release(p4::Block& rest, p4::Action& unlocked);
  void migrated_second_pass(p4::Block& second, p4::Action& unlocked, p4::Action& invalid);
  void address_shadow(p4::Block& flowcc);
  p4::Action& answer_to_home_and_shadow(const char* name, MessageType type);

  // The forward table (Table 3): where a valid request goes, by its type and the block's status.
  struct Forwarding {
    p4::Action &home_agent, &provider, &all_holders, &other_holders, &requester;

    p4::Action& to(Route route) const {
      switch (route) {
        case Route::home_agent:
          return home_agent;
        case Route::provider:
          return provider;
        case Route::all_holders:
          return all_holders;
        case Route::other_holders:
          return other_holders;
        case Route::requester:
          break;
      }
      return requester;
    }
  };
  Forwarding forward();

  p4::Table& check_forward(const char* name, bool member, const Forwarding& forwarding, p4::Action& undo);

  p4::Table& check_forward_sole(const Forwarding& forwarding, p4::Action& undo);

  void egress();

  const FlowCcOptions& options_;
  LcfShape shape_;
  MigrationRules rules_;
  ProviderOrders orders_{shape_.nodes};
  std::shared_ptr<p4::Program> program_;
  p4::Program& p_;
  LcfProgram out_;
  std::vector<p4::FieldRef> hits_;  // by way

  p4::FieldRef type_ = p_.header_field(&FlowCcHeader::type), receiver_ = p_.header_field(&FlowCcHeader::receiver),
               is_data_provider_ = p_.header_field(&FlowCcHeader::is_data_provider),
               is_in_switch_ = p_.header_field(&FlowCcHeader::is_in_switch),
               lost_race_ = p_.header_field(&FlowCcHeader::lost_race),
               retransmitted_ = p_.header_field(&FlowCcHeader::retransmitted),
               provider_ = p_.header_field(&FlowCcHeader::provider),
               global_status_ = p_.header_field(&FlowCcHeader::global_status),
               set_index_ = p_.header_field(&FlowCcHeader::set_index),
               node_id_ = p_.header_field(&FlowCcHeader::node_id),
               requester_ = p_.header_field(&FlowCcHeader::requester), seq_ = p_.header_field(&FlowCcHeader::seq),
               copyset_ = p_.header_field(&FlowCcHeader::copyset), resubmitted_ = p_.intrinsics().resubmit_flag;
  p4::FieldRef node_bit_ = p_.field("node_bit", 32), not_node_bit_ = p_.field("not_node_bit", 32),
               node_rid_ = p_.field("node_rid", 16), home_port_ = p_.field("home_port", 9),
               score_index_ = p_.field("score_index", 16), parity_ = p_.field("parity", 16),
               provider_hash_ = p_.field("provider_hash", orders_.kHashBits), fresh_ = p_.field("fresh", 1),
               newer_ = p_.field("newer", 1), hit_ = p_.field("hit", 1), acquired_ = p_.field("acquired", 1),
               status_ = p_.field("status", 8), sharers_ = p_.field("sharers", 32), score_ = p_.field("score", 16),
               member_ = p_.field("member", 32), others_ = p_.field("others", 32),
               low_group_ = p_.field("low_group", 16), high_group_ = p_.field("high_group", 16),
               provider_port_ = p_.field("provider_port", 9), provider_rid_ = p_.field("provider_rid", 8);
  // Where blocks migrate:
  p4::FieldRef home_ = p_.field("home", 16);
};

}  // namespace racksim::flowcc
