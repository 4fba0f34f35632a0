// The rules by which a node's cache keeps its keys consistent: those of ccKVS §5.2, what makes them hold where the
// paper is silent, and a switch for each mechanism, so that what it prevents can be seen.
//
// The printed Lin is not linearizable and leaves clients blocked, in three places:
//   * a put that lost, an invalidation with a greater timestamp having come while it was under way, is never
//     acknowledged by the winner, and its client waits for ever. Here it returns when its key is next Valid
//     (`losers: "wait"`), or losers are acknowledged too (`"acked"`);
//   * acknowledgements are counted without a look at their timestamp, so that a late one counts for a later put;
//   * they are counted, so that one that comes twice counts twice. Here they are a set of nodes.
#pragma once

#include <cstdint>

#include "sim/options/parameters.hpp"

namespace racksim::cckvs {

enum class Consistency : std::uint8_t {
  sc,  ///< per-key sequential consistency, for sessions that keep to a node
  lin  ///< per-key linearizability
};

struct Rules {
  enum class Source : std::uint8_t { safe, paper };
  enum class Losers : std::uint8_t {
    wait,     ///< return when the key is next Valid
    acked,    ///< or when all have acknowledged, which all do
    at_once,  ///< when they lose, which is wrong: a third node may still be Valid with the old value
    blocked   ///< never, as printed; by `rules: "paper"` alone
  };
  /// What operations that wait for a key do when it is Valid. The paper is silent; all of them are concurrent.
  enum class Stalled : std::uint8_t {
    together,  ///< all gets have the value that has come, then all puts begin, each on top of the one before
    in_order   ///< they go on in their order up to the next put, for whose round trip all behind it wait again
  };
  enum class GetInWrite : std::uint8_t { stall, old_value, new_value };
  /// How a key is handed over between its home's store and all caches (hand_over.hpp), each but the first with a fault.
  enum class HandOver : std::uint8_t {
    safe,
    paper,                  ///< nodes switch when they are told, and the home writes its own copy back
    active_at_install,      ///< a node uses its new copy before all have one
    puts_while_installing,  ///< the home's store takes puts while copies of it are made
    store_while_cached,     ///< the home's store serves requests while the key is cached
    sealed_early,           ///< a node answers SEAL while puts of its own are under way
    home_alone,             ///< the home does not wait for the others, and writes its own copy back
    answers_ignored         ///< SC: a node's copy does not take what its home has answered
  };

  Consistency consistency = Consistency::lin;
  Source source = Source::safe;
  Losers losers = Losers::wait;
  std::uint64_t version_bits = 32;
  bool retransmit = false;
  bool start_at_once = false;
  Stalled stalled = Stalled::together;
  GetInWrite get_in_write = GetInWrite::stall;
  HandOver hand_over = HandOver::safe;
  // Safety mechanisms.
  bool tie_break = true, update_timestamps = true, ack_timestamps = true, all_acks = true, invalid_state = true;
  bool ack_set = true, equal_ignored = true, bounded_puts = true, outdated_dropped = true;
  bool resend_invalidations = true, ask_for_updates = true, copies_wait_once = true;

  void declare(sim::Parameters& p);
  /// All but consistency and version_bits.
  void declare_mechanisms(sim::Parameters& p);
  /// What they come to: of the printed rules what those switch off.
  Rules in_effect() const;
  /// Whether a packet that a fault holds back may come after half as many puts of its key as versions tell apart: nothing
  /// bounds how many overtake it.
  bool wraps_soon() const { return version_bits < 16; }
  /// Whether what waits for a credit is dropped when its key has another timestamp, since the wait has no bound either.
  bool drops_outdated() const { return wraps_soon() && outdated_dropped; }
  /// Puts of a key that a node may have under way at once: such that their versions can be told apart from those of the
  /// puts before them, which may be alive too.
  std::uint64_t puts_at_once(std::uint64_t nodes) const;
  /// Of those that have waited at a node, how many may begin together.
  std::uint64_t puts_together(std::uint64_t nodes) const {
    return stalled == Stalled::in_order ? 1 : puts_at_once(nodes);
  }
  /// Throws sim::OptionError if they are rules that hold alone and not together.
  void check_together() const;
  /// Throws sim::OptionError unless so many nodes, and puts of one key that can be alive at once, can be told apart.
  /// `nodes_option` is the option that says how many nodes there are.
  void check(std::uint64_t nodes, std::uint64_t puts_alive, const char* nodes_option) const;
};

}  // namespace racksim::cckvs
