// The declaration of the rules. See rules.hpp.
#include "protocols/cckvs/keys/rules.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sim/options/option_error.hpp"

namespace racksim::cckvs {

void Rules::declare(sim::Parameters& p) {
  p.choice("consistency", consistency, {{"sc", Consistency::sc}, {"lin", Consistency::lin}},
           "per-key sequential consistency or linearizability (§5.1)")
      .varied({Consistency::sc, Consistency::lin});
  p.integer("version_bits", version_bits, 3, 32,
            "bits of the Lamport clock, compared as serial numbers: no packet may arrive after half as many puts of "
            "its key as they tell")
      .published("§6.2: 4 bytes")
      .varied({16, 32});
  declare_mechanisms(p);
}

void Rules::declare_mechanisms(sim::Parameters& p) {
  p.choice("rules", source, {{"safe", Source::safe}, {"paper", Source::paper}},
           "Lin as it holds, or as printed: acknowledgements counted, whichever put they are of, and losers blocked")
      .guards(Source::paper, "a put waits for an acknowledgement that counted for another: stuck",
              "cckvs/mechanisms.json/lin-printed");
  p.choice("losers", losers, {{"wait", Losers::wait}, {"acked", Losers::acked}, {"at-once", Losers::at_once}},
           "when a put returns that a greater invalidation met: the key is next Valid, or all have acknowledged it "
           "too, or at once, which is wrong")
      .varied({Losers::wait, Losers::acked})
      .guards(Losers::at_once, "a put returns while others can still read what was before",
              "cckvs/mechanisms.json/lin-losers-at-once");
  p.flag("retransmit", retransmit, "what is lost is sent again (the paper: nothing is)");
  p.flag("start_at_once", start_at_once, "a put of a key in Invalid or Write begins at once (code), and does not wait")
      .varied({false, true});
  p.choice("stalled", stalled, {{"together", Stalled::together}, {"in-order", Stalled::in_order}},
           "what waits for a key goes on when it is Valid: all gets and then all puts, each on top of the one before "
           "(together), or in order, up to the next put")
      .varied({Stalled::together, Stalled::in_order})
      .neutral(Stalled::in_order);
  p.choice(
       "get_in_write", get_in_write,
       {{"stall", GetInWrite::stall}, {"old", GetInWrite::old_value}, {"new", GetInWrite::new_value}},
       "a get of a key in Write: it waits, or returns the value before, or the one to come, of which the last is wrong")
      .guards(GetInWrite::new_value, "a get returns the new value, and a later one elsewhere the old one",
              "cckvs/mechanisms.json/lin-new-value-in-write");
  p.choice("handover", hand_over,
           {{"safe", HandOver::safe},
            {"paper", HandOver::paper},
            {"active-at-install", HandOver::active_at_install},
            {"puts-while-installing", HandOver::puts_while_installing},
            {"store-while-cached", HandOver::store_while_cached},
            {"sealed-early", HandOver::sealed_early},
            {"home-alone", HandOver::home_alone},
            {"answers-ignored", HandOver::answers_ignored}},
           "how a key is handed over between its home and all caches: safe, as the paper has it (each node switches "
           "when it is told, the home writes its own copy back), or with one fault")
      .guards(HandOver::paper, "acknowledged puts are lost, stale values served", "cckvs/learning.json/printed")
      .guards(HandOver::active_at_install, "a node serves a key before all have it: it misses puts",
              "cckvs/learning.json/active-at-install")
      .guards(HandOver::puts_while_installing, "the home takes puts that the copies under way lack",
              "cckvs/learning.json/puts-while-installing")
      .guards(HandOver::store_while_cached, "the home serves a key that caches write",
              "cckvs/learning.json/store-while-cached")
      .guards(HandOver::sealed_early, "a node gives its copy up while puts are under way",
              "cckvs/learning.json/sealed-early")
      .guards(HandOver::home_alone, "the home writes its own copy back, though others are newer",
              "cckvs/learning.json/home-alone")
      .guards(HandOver::answers_ignored, "the home writes back before it knows the newest copy",
              "cckvs/learning.json/sc-answers-ignored");
  p.flag("tie_break", tie_break, "of two timestamps with one version that of the greater node is the greater (§5.2)")
      .guards("copies end with different values", "cckvs/mechanisms.json/sc-without-tie-break");
  p.flag("update_timestamps", update_timestamps, "an update is applied only if its timestamp says so (§5.2)")
      .guards("an old update overwrites a newer one", "cckvs/mechanisms.json/sc-without-update-timestamps");
  p.flag("ack_timestamps", ack_timestamps, "an acknowledgement counts for the put whose timestamp it has")
      .guards("a put counts an earlier put's acknowledgement", "cckvs/mechanisms.json/lin-without-ack-timestamps");
  p.flag("all_acks", all_acks, "off: a put waits for one acknowledgement too few")
      .guards("a put returns though a node still has the old value Valid",
              "cckvs/mechanisms.json/lin-without-all-acks");
  p.flag("invalid_state", invalid_state, "off: gets of a key in Invalid return what is there")
      .guards("gets return values that are known to be old", "cckvs/mechanisms.json/lin-without-invalid-state");
  p.flag("ack_set", ack_set, "acknowledgements are a set of nodes, not a number")
      .guards("an acknowledgement that comes twice stands for a node that has not answered",
              "cckvs/mechanisms.json/lossy-without-ack-set");
  p.flag("equal_ignored", equal_ignored, "an invalidation that is known already does not invalidate a Valid copy");
  p.flag("bounded_puts", bounded_puts,
         "with start_at_once: a node has no more puts of a key under way than its versions tell apart")
      .neutral(true)
      .guards("a put whose version has wrapped is taken for an older one: its client waits for ever",
              "cckvs/mechanisms.json/lin-without-bounded-puts");
  p.flag("outdated_dropped", outdated_dropped,
         "with fewer than 16 version bits: a message that waits for a credit is dropped once its key has another "
         "timestamp")
      .neutral(true)
      .guards("versions wrap while it waits, and it is taken for a newer one",
              "cckvs/mechanisms.json/lin-without-dropping");
  p.flag("resend_invalidations", resend_invalidations,
         "with retransmit: invalidations that are not acknowledged are sent again")
      .guards("a put whose invalidation is lost never ends", "cckvs/mechanisms.json/lossy-without-resend");
  p.flag("ask_for_updates", ask_for_updates,
         "with retransmit: who waits for an update acknowledges the invalidation again, which has it sent again")
      .guards("a copy whose update is lost stays Invalid", "cckvs/mechanisms.json/lossy-without-asking");
  p.flag("copies_wait_once", copies_wait_once,
         "with retransmit: what still waits for a credit is not sent again, and waits once")
      .neutral(true)
      .guards("copies wait behind copies, and what is new behind all of them: nothing goes on",
              "cckvs/mechanisms.json/lossy-without-waiting-once");
}

Rules Rules::in_effect() const {
  Rules rules = *this;
  if (source == Source::paper) {
    rules.losers = Losers::blocked;
    rules.ack_timestamps = rules.ack_set = false;
    rules.stalled = Stalled::in_order;  // or a node's own puts would be losers, which block
  }
  return rules;
}

std::uint64_t Rules::puts_at_once(std::uint64_t nodes) const {
  // Of each node those that begin, and as many before them whose messages may be under way.
  const std::uint64_t told_apart = (std::uint64_t{1} << (version_bits - 1)) - 1;
  return std::max<std::uint64_t>(1, told_apart / (2 * nodes));
}

// A get in Write may return the value before if no put has ended since that was written: so the key was Valid when its
// put began, and no loser ends before it does.
void Rules::check_together() const {
  if (consistency == Consistency::sc || get_in_write != GetInWrite::old_value) return;
  const char* other = losers != Losers::wait ? "losers that do not wait" : start_at_once ? "start_at_once" : nullptr;
  if (other == nullptr) return;
  throw sim::OptionError("get_in_write", fmt::format("old with {}", other), "stall: a newer put may have ended");
}

void Rules::check(std::uint64_t nodes, std::uint64_t puts_alive, const char* nodes_option) const {
  if (nodes < 2) {
    throw sim::OptionError(nodes_option, fmt::format("{} node", nodes), "at least 2: a cache has others to agree with");
  }
  if (nodes > 255) {
    throw sim::OptionError(nodes_option, fmt::format("{} nodes", nodes),
                           "at most 255: a timestamp has one byte for its node");
  }
  if (puts_alive >= std::uint64_t{1} << (version_bits - 1)) {
    throw sim::OptionError(
        "version_bits", fmt::format("{}", version_bits),
        fmt::format("more than {} versions that compare: so many puts of a key can be alive at once", puts_alive));
  }
}

}  // namespace racksim::cckvs
