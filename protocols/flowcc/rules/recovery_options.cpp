// The declaration of recovery's options. See recovery_options.hpp. They are neutral at their defaults, where no block
// migrates and nothing recovers.
#include "protocols/flowcc/rules/recovery_options.hpp"

namespace racksim::flowcc {

void RecoveryOptions::declare(sim::Parameters& p) {
  membership.declare(p);
  p.choice("of_nodes", of_nodes, {{"rebuild", OfNodes::rebuild}, {"printed", OfNodes::printed}},
           "what is done about a node that has failed: all stop and homes rebuild metadata as after a failure of the "
           "switch, or, as printed, requests are drained and locks released, which cannot end while one waits for it")
      .neutral(OfNodes::rebuild)
      .guards(OfNodes::printed, "the others wait for ever for requests that wait for the dead node",
              "flowcc/migrating.json/crash-printed");
  p.flag("newest_copies", newest_copies,
         "a home whose memory is older than a copy, for a write-back has died with its node, or itself has, gets the "
         "copy's value")
      .neutral(true)
      .guards("acknowledged writes are lost, and nobody tells of them", "flowcc/migrating.json/without-newest-copies");
  p.flag("write_backs", write_backs, "blocks whose write-back is under way when all stop are written again")
      .neutral(true)
      .guards("a write whose write-back was under way is lost", "flowcc/migrating.json/without-write-backs");
  p.flag("given_away", given_away,
         "a cache agent keeps what it gave away dirty, or downgraded, and tells homes of it when all stop")
      .neutral(true)
      .guards("a write that was given away for an event that ended nowhere is lost",
              "flowcc/migrating.json/without-given-away");
  p.flag("locks", locks,
         "homes are told of the locks of blocks that applications of living nodes hold; else these are free, and "
         "critical "
         "sections overlap")
      .neutral(true)
      .guards("critical sections overlap", "flowcc/applications.json/locks-without-telling");
  p.flag("incarnations", incarnations, "packets from before a recovery are dropped by switch and agents")
      .neutral(true)
      .guards("packets from before a recovery change what was rebuilt", "flowcc/migrating.json/without-incarnations");
  p.length(
       "rest", rest, {}, sim::Duration::from_ps(100'000'000'000'000),
       "time that a recovery takes beside what is modelled, such as for processes to start and for a driver to set the "
       "switch up: a paper's figure tells the sum")
      .published("none beside what is modelled")
      .neutral(rest);
}

}  // namespace racksim::flowcc
