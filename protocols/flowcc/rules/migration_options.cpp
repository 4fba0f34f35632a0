// The declaration of migration's options. See migration_options.hpp. All are neutral at their defaults, where no block
// migrates.
#include "protocols/flowcc/rules/migration_options.hpp"

namespace racksim::flowcc {

namespace {
constexpr sim::Duration kMicrosecond = sim::Duration::from_ps(1'000'000);
constexpr sim::Duration kMost = sim::Duration::from_ps(10'000'000'000'000);  // 10 s
}  // namespace

void MigrationRules::declare(sim::Parameters& p) {
  p.flag("mark", mark, "a home refuses requests for blocks that it has given to the switch")
      .neutral(true)
      .guards("a home serves blocks that the switch has", "flowcc/migrating.json/without-mark");
  p.flag("stamp", stamp, "a home drops requests that passed the switch before the block came back")
      .neutral(true)
      .guards("a home executes what the switch has executed already", "flowcc/migrating.json/without-stamp");
  p.flag("unlock_by_holder", unlock_by_holder, "an unlock changes nothing where its event does not hold the lock")
      .neutral(true)
      .guards("an unlock gives back the lock of another event", "flowcc/migrating.json/without-unlock-by-holder");
  p.flag("keep_found", keep_found, "an ADD that finds its tag changes nothing")
      .neutral(true)
      .guards("an ADD that comes twice overwrites what the switch knows of the block",
              "flowcc/migrating.json/without-keep-found");
  p.flag("two_pass_add", two_pass_add, "ADD looks in all ways before it inserts, and is recorded by its number")
      .neutral(true)
      .guards("a block stands in two ways", "flowcc/migrating.json/without-two-pass-add");
  p.flag("home_serials", home_serials, "the switch drops old copies of home agents' packets")
      .neutral(true)
      .guards("an old copy of an ADD or a CLEAR is executed again", "flowcc/migrating.json/without-home-serials");
  p.flag("two_phase_remove", two_phase_remove, "REMOVE fetches the metadata, and only CLEAR gives the block up")
      .neutral(true)
      .guards("a block whose answer is lost has no owner any more", "flowcc/migrating.json/without-two-phase-remove");
}

void MigrationOptions::declare(sim::Parameters& p) {
  p.length("epoch", epoch, kMicrosecond, kMost, "after which home agents move their hottest blocks")
      .published("Concordia §5.2.2, as an example")
      .varied({kMicrosecond * 20, kMicrosecond * 100})
      .neutral(epoch);
  p.integer("top_k", top_k, 1, 1'000'000, "blocks that a home agent moves into the switch at an epoch's end, at most")
      .published("Concordia §5.2.2, as an example")
      .varied({1, 4, 1000})
      .neutral(top_k);
  p.integer("timeout_rtts", timeout_rtts, 1, 1000,
            "round-trip times until a home agent sends ADD, REMOVE or CLEAR again")
      .estimate("as of requests, Concordia §5.3.1")
      .varied({1, 2, 12})
      .timeout()
      .neutral(timeout_rtts);
  p.integer("skips", skips, 0, 1'000'000,
            "epochs at whose end a hot block is found locked before its home refuses new requests for it until it has "
            "moved")
      .estimate("our choice: the paper does not say what becomes of a block whose lock is always busy")
      .varied({0, 3})
      .neutral(skips);
  p.integer("listed", listed, 0, 1'000'000,
            "blocks in the switch of which a home agent tells the shadow node after each epoch, in turn, since the "
            "copy of ADD's answer may be lost; 0: none")
      .estimate("our choice: six packets; the paper has no such lists")
      .varied({0, 1, 512})
      .neutral(listed);
  p.choice("which", which, {{"safe", Rules::safe}, {"printed", Rules::printed}},
           "the rules below that are on, or none of them: Concordia §5.2.1 as printed")
      .neutral(which)
      .guards(Rules::printed, "a block has two owners", "flowcc/migrating.json/printed");
  p.object("rules", rules);
}

void ShadowOptions::declare(sim::Parameters& p) {
  p.flag("active", active,
         "it has cold blocks removed; off: the switch keeps what came first, and what comes when it is full stays at "
         "its home")
      .varied({true, false})
      .neutral(active);
  p.optional_integer("node", node, 0, 255,
                     "the memory node that the shadow node runs on; null: a server of its own, the rack's last")
      .neutral_null();
  p.flag("backup", backup,
         "another server takes the shadow node's place when its own fails, and reads in the switch which blocks that "
         "has; off: nobody does until the server is back")
      .varied({true, false})
      .neutral(backup);
  p.optional_integer("backup_node", backup_node, 0, 255,
                     "the memory node that does, on the core behind its agents'; null: the first one that is there")
      .neutral_null();
  p.length("scan_period", scan_period, kMicrosecond, kMost, "time between its scans for cold blocks")
      .estimate("the paper says \"periodically\"")
      .varied({kMicrosecond * 20, kMicrosecond * 100})
      .neutral(scan_period);
  p.ratio("free_share", free_share, "share of the switch's places that its scans keep free")
      .estimate("our choice: the paper does not say how many of the coldest go")
      .varied({0, 0.05, 0.5, 1})
      .neutral(free_share);
  p.integer("halvings", halvings, 0, 63, "how often a block's hotness is halved at the end of an epoch")
      .estimate("our choice: the paper does not say how hotness ages")
      .varied({0, 1})
      .neutral(halvings);
  p.length("work", work, sim::Duration{}, kMost, "core time of the shadow node for a packet")
      .estimate("as a home agent")
      .neutral(work);
}

}  // namespace racksim::flowcc
