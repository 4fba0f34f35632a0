// The declaration of what an exploration explores. See explore_options.hpp.
#include "protocols/selcc/explored/explore_options.hpp"

#include <fmt/core.h>

#include "sim/options/option_error.hpp"

namespace racksim::selcc {

Options ExploreOptions::protocol_options() {
  Options options;
  options.gamma.reset();
  options.spin_waiting = options.priority_matching = false;
  options.priority_unit = 1'000'000;
  options.upgrade_attempts = options.try_attempts = 2;
  return options;
}

void ExploreOptions::declare(sim::Parameters& p) {
  p.text("programs", programs,
         "what nodes 0, 1, 2 and 57 do one after the other, such as \"w,ww,-,rr\": r reads, w writes, s and x take a "
         "shared and an exclusive try-lock, which may be refused, - is nothing");
  p.integer("evictions", evictions, 0, 8, "evictions by all nodes together, at any time");
  p.flag("uses", uses, "an access takes a while, in which the line is in local use; off: no time");
  p.choice("undo", selcc.undo, {{"overlapped", Undo::overlapped}, {"waited", Undo::waited}, {"off", Undo::off}},
           "how a reader that finds a writer in the word takes its bit away");
  p.flag("forwarding", selcc.forwarding, "a Modified line is given from cache to cache; off: by way of memory");
  p.flag("confirm", selcc.confirm, "who gets a line gives it up only after the giver's atomic (R1)");
  p.flag("giver_waits", selcc.giver_waits, "who shares a line keeps its share until its atomic (R2)");
  p.flag("answer_deferred", selcc.answer_deferred, "who loses a line answers what it has deferred (R8)");
  p.flag("drop_shared_deferral", selcc.drop_shared_deferral, "invalidations of Shared lines in use are dropped (R9)");
  p.flag("match_case", selcc.match_case, "an invalidation takes effect only in the state that it is meant for (R10)");
  p.flag("upgrade_fallback", selcc.upgrade_fallback, "an upgrade that fails too often releases its share first (R11)");
  p.integer("upgrade_attempts", selcc.upgrade_attempts, 1, 8, "upgrades that fail before the share is released");
  p.integer("try_attempts", selcc.try_attempts, 1, 8, "latch operations after which a try-lock gives up");
  p.flag("ordered_deferral", selcc.ordered_deferral,
         "who waits for answers lets only nodes after it wait for its own (R14)");
}

std::array<std::string, ExploreOptions::kNodes.size()> ExploreOptions::parsed_programs() const {
  std::array<std::string, kNodes.size()> parsed;
  std::size_t at = 0;
  bool right = true;
  for (const char c : programs) {
    if (c == ',') {
      right &= ++at < parsed.size();
    } else if (c == 'r' || c == 'w' || c == 's' || c == 'x') {
      if (right) parsed[at] += c;
    } else {
      right &= c == '-';
    }
  }
  if (!right || at + 1 != parsed.size()) {
    throw sim::OptionError("programs", fmt::format("\"{}\"", programs),
                           "four words of r, w, s and x, or - for nothing, with commas between them");
  }
  return parsed;
}

}  // namespace racksim::selcc
