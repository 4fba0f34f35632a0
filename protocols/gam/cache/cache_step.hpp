// The life of a line in the cache of a remote node, as a table: GAM's cache with the rules that make it safe. `racksim
// table gam` prints it.
#pragma once

#include <cstdint>

#include "models/service/transition_table.hpp"
#include "protocols/gam/cache/frame.hpp"
#include "protocols/gam/rules/messages.hpp"

namespace racksim::gam {

class Cache;
struct Request;

enum class CacheEvent : std::uint8_t {
  read,
  write,  ///< or an atomic operation
  read_lock,
  write_lock,
  evict,
  invalidate,  ///< INVALIDATE, INVALIDATE_FORWARD
  drop,        ///< of the copy that was acknowledged to be gone (`invalidate_order: "ack-first"` alone)
  share_out,   ///< FETCH_AND_SHARED, READ_FORWARD
  hand_over,   ///< FETCH_AND_INVALIDATE, WRITE_FORWARD
  data,        ///< of a READ
  grant,       ///< by the home, with data or without
  owner_data,  ///< by the former owner
  grant_ack,   ///< by the home, of that
  denied,
  write_back_ack,
  // With failures and recovery (recovery.hpp):
  home_lost,  ///< the line's home is taken for dead
  restore,    ///< by the log this node owns it
  home_back,
  count
};

/// One event of one line at one node: the guards and actions of the table.
struct CacheStep {
  Cache& cache;
  sim::Key line;
  Frame* frame;            ///< null: the line is not there
  Request* request;        ///< of accesses and locks
  const Message* message;  ///< of other nodes' control messages
  LineData* data;          ///< that have come; null without
  std::uint32_t counter;   ///< of the ownership that has

  sim::KeyAndOperations key_and_operations() const;

  // Guards.
  bool behind_own() const;
  bool is_read_locked() const;
  bool reads_dying() const;
  bool may_lock() const;
  bool tries() const;
  bool is_locked() const;
  bool is_locked_to_try() const;
  bool is_written() const;
  bool is_written_to_try() const;
  bool acknowledges_first() const;
  bool waits_for_copy() const;
  bool does_not_back_off() const;
  bool is_same_copy() const;
  bool has_owner_data() const;
  bool has_grant_ack() const;
  bool needs_no_other_message() const;
  bool was_denied() const;
  bool lacks_other_message() const;
  bool has_copy() const;

  // Actions.
  void perform();
  void lock();
  void refuse();
  void queue();
  void ask_to_read();
  void ask_to_write();
  void ask_for_permission();
  void take_data();
  void take_grant();
  void remember_owner_data();
  void remember_grant_ack();
  void remember_denied();
  void refuse_initiator();
  void acknowledge();
  void drop_copy();
  void drop_later();
  void deny();
  void send_data();
  void tell_evicted();
  void write_back();
  void end_write_back();
  void withdraw();
  void ask_again();
  void take_restored();

  static const models::TableDescription& table();
  static void execute(CacheState& state, CacheEvent event, CacheStep& step, const sim::CoverageProbe& coverage);

 private:
  struct Life;
  void ask(MessageKind kind);
  void send_request(MessageKind kind);
};

}  // namespace racksim::gam
