// Whoever gets a lock that was freed since its holder had died is told so, by `MemoryService::holder_died`: what the
// lock protects may be half done. Those who get it while others hold it, or after somebody who was told, need not be.
// Nor need anybody be told if all that knew of it have died too, as the protocol says that they may
// (node/lock_log.hpp).
//
// Told of a death is only who comes after a dead thread that held the lock, was about to get it, or had it last; and
// nobody any more once one that had the lock alone has been told and has given it back, unless a recovery began since it
// had asked: that drops messages by which the others hear of it.
//
// All this is seen from outside: that a holder has died by its lock, which is given back by a session whose node is
// down, or has started again since; who knows of its locks by which nodes took part in the last recovery.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "models/service/oracle_entry.hpp"
#include "protocols/flowcc/flowcc.hpp"
#include "sim/options/option_error.hpp"
#include "sim/record/history.hpp"

namespace racksim::flowcc {

namespace {

class ToldOfDeath final : public sim::Oracle {
 public:
  ToldOfDeath(models::Rack& rack, const FlowCc& memory)
      : Oracle("told-of-death", "lock of a dead session"), rack_(rack), memory_(memory) {
    for (models::NodeId node = 0; node < memory.shape().nodes; ++node) lives_.push_back(life_of(node));
  }

  void observe(const sim::Observation& observation) override {
    if (memory_.recovery() != nullptr && memory_.recovery()->ended() != recoveries_) recovered();
    const bool begins = observation.what == sim::Observed::operation_begun;
    if (!begins && observation.what != sim::Observed::operation_ended) return;
    const auto operation = sim::OperationView::of(observation);
    const models::Session session = session_of(observation.operation);
    if (operation.kind == sim::OperationKind::unlock) {
      if (begins) {
        freed(observation, session.node, operation.key);
      } else {
        given_back(observation.source, operation.key);
      }
    } else if (sim::requests_lock(operation.kind)) {
      if (begins) {
        asked(observation, session.node, operation.key);
      } else if (operation.value != 0) {
        granted(observation, session, operation.key, !sim::is_shared(operation.kind));
      }
    }
  }

 private:
  /// Of a node: a number for each time that it has started, another while it is down, and these instead of them.
  using Life = std::uint64_t;
  static constexpr Life kAbsent = 0;       ///< it did not take part in the last recovery
  static constexpr Life kDied = ~Life{0};  ///< it did, and was dead when that had ended

  /// A session that has to do with a lock: it asks for it, has it, or was the last one that had.
  struct Party {
    sim::Source session;
    models::NodeId node = 0;
    Life life = 0;
    enum class Part : std::uint8_t { asks, has, had } part = Part::asks;
    bool alone = false;  ///< it has it exclusively
    bool told = false;
    sim::Time asked{};
    std::uint32_t asked_in = 0;  ///< incarnation
  };
  /// A dead session's lock, free since a recovery, and the two nodes that can know of it.
  struct Orphan {
    models::NodeId witness = 0;
    Life of_witness = kDied;  ///< when the holder died
    Life of_home = kDied;     ///< when it heard of it
    bool alone = false;       ///< the holder had it exclusively
    sim::Time freed{};
  };
  struct Block {
    std::vector<Party> parties;
    std::vector<Orphan> orphans;   ///< of which nobody was told yet
    bool marked = false;           ///< somebody has died with it
    std::uint32_t settled_in = 0;  ///< incarnation, if somebody was told since
  };

  models::Session session_of(sim::OperationId operation) const {
    const std::uint64_t index = (operation.number() >> sim::kNumberBits) - 1;
    const unsigned threads = memory_.shape().threads_per_node;
    return {static_cast<models::NodeId>(index / threads), static_cast<std::uint16_t>(index % threads)};
  }
  Life life_of(models::NodeId node) const {
    const models::Server& server = rack_.server(node);
    return (std::uint64_t{server.incarnation()} + 1) * 2 + (server.is_on() ? 1 : 0);
  }
  /// Counted from 1, while no recovery is under way.
  std::uint32_t incarnation() const {
    const Recovery* recovery = memory_.recovery();
    return recovery == nullptr || recovery->busy() ? 0 : recovery->begun() + 1;
  }
  bool is_dead(const Party& party) const { return party.life != life_of(party.node); }
  models::NodeId home_of(sim::Key block) const { return memory_.home_of(block); }

  // A holder's log is with the next node that took part in the recovery before its death.
  Orphan orphan_of(models::NodeId holder) const {
    for (std::size_t step = 1; step < lives_.size(); ++step) {
      const auto next = static_cast<models::NodeId>((holder + step) % lives_.size());
      if (lives_[next] != kAbsent) return {.witness = next, .of_witness = lives_[next]};
    }
    return {};
  }
  bool is_known(const Orphan& orphan, sim::Key block) const {
    return orphan.of_witness == life_of(orphan.witness) || orphan.of_home == life_of(home_of(block));
  }

  void recovered() {
    recoveries_ = memory_.recovery()->ended();
    for (models::NodeId node = 0; node < lives_.size(); ++node) {
      const bool took_part = !memory_.is_absent(node), on = rack_.server(node).is_on();
      lives_[node] = !took_part ? kAbsent : on ? life_of(node) : kDied;
    }
    for (auto& [key, block] : blocks_) {
      const models::NodeId home = home_of(key);
      for (Orphan& orphan : block.orphans) {
        if (orphan.of_witness == life_of(orphan.witness) && lives_[home] != kAbsent) orphan.of_home = lives_[home];
      }
    }
  }

  void asked(const sim::Observation& observation, models::NodeId node, sim::Key key) {
    const sim::Source session = observation.source;
    std::vector<Party>& parties = blocks_[key].parties;
    std::erase_if(parties,
                  [&](const Party& p) { return p.session == session && p.part != Party::Part::has && !is_dead(p); });
    parties.push_back(
        {.session = session, .node = node, .life = life_of(node), .asked = observation.at, .asked_in = incarnation()});
  }

  // An unlock has begun: of a dead session's lock the record says so when a recovery has freed it.
  void freed(const sim::Observation& observation, models::NodeId node, sim::Key key) {
    Block& block = blocks_[key];
    const auto dead = std::ranges::find_if(block.parties, [&](const Party& p) {
      return p.session == observation.source && p.part == Party::Part::has && is_dead(p);
    });
    if (dead == block.parties.end()) return;
    Orphan orphan = orphan_of(node);
    orphan.alone = dead->alone;
    orphan.freed = observation.at;
    block.parties.erase(dead);
    block.orphans.push_back(orphan);
    block.marked = true;
    block.settled_in = 0;
  }

  void given_back(sim::Source session, sim::Key key) {
    Block& block = blocks_[key];
    const auto own = std::ranges::find_if(block.parties, [&](const Party& p) {
      return p.session == session && p.part == Party::Part::has && !is_dead(p);
    });
    if (own == block.parties.end()) return;
    own->part = Party::Part::had;
    if (own->told && own->alone && own->asked_in == incarnation()) block.settled_in = own->asked_in;
  }

  void granted(const sim::Observation& observation, models::Session session, sim::Key key, bool alone) {
    Block& block = blocks_[key];
    const bool told = memory_.holder_died(session, {key.number() * memory_.shape().block_bytes});
    const auto complain = [&](const char* what) {
      violated(observation.at,
               fmt::format("n{}.t{} has the lock of block {}, {}", session.node, session.thread, sim::printed_key(key),
                           what),
               {key, {observation.operation}});
    };
    const bool held = std::ranges::any_of(block.parties, [](const Party& p) { return p.part == Party::Part::has; });
    const auto own = std::ranges::find_if(
        block.parties, [&](const Party& p) { return p.session == observation.source && !is_dead(p); });
    Party holder{.session = observation.source, .node = session.node, .life = life_of(session.node)};
    if (own != block.parties.end()) {
      holder = *own;
      block.parties.erase(own);
    }
    if (told) {
      const bool any_dead = std::ranges::any_of(block.parties, [this](const Party& p) { return is_dead(p); });
      const bool settled = block.settled_in != 0 && block.settled_in == incarnation();
      if (!any_dead && !block.marked) complain("and is told of a dead holder, which there was none");
      if (!any_dead && block.marked && settled) complain("and is told of a dead holder, as the one before it was");
      if (!block.orphans.empty()) count_judged();
      block.orphans.clear();
      block.marked = true;
    } else if (!held && !block.orphans.empty()) {
      // It may have been granted before the other died, beside it.
      const auto beside = [&](const Orphan& orphan) { return !alone && !orphan.alone && holder.asked < orphan.freed; };
      if (std::ranges::any_of(block.orphans, [&](const Orphan& o) { return !beside(o) && is_known(o, key); })) {
        count_judged();
        complain("whose last holder has died, and is not told so");
      }
      std::erase_if(block.orphans, [&](const Orphan& orphan) { return !beside(orphan); });
    }
    if (alone) {
      std::erase_if(block.parties, [&](const Party& p) { return p.part == Party::Part::had || is_dead(p); });
    }
    holder.part = Party::Part::has;
    holder.alone = alone;
    holder.told = told;
    block.parties.push_back(holder);
  }

  models::Rack& rack_;
  const FlowCc& memory_;
  std::vector<Life> lives_;  // by node: who took part in the last recovery
  std::uint32_t recoveries_ = 0;
  std::map<sim::Key, Block> blocks_;
};

const sim::Registration<models::OracleEntry> told_of_death({
    .name = "told-of-death",
    .doc = "whoever gets a lock next that was freed since its holder had died is told so",
    .attach = models::OracleEntry::AttachWhen::if_promised,
    .make = [](models::OracleContext& context) -> std::shared_ptr<sim::Oracle> {
      const auto* memory = dynamic_cast<const FlowCc*>(&context.protocol());
      if (memory == nullptr) {
        throw sim::OptionError("told-of-death", "a protocol that tells nobody of dead holders", "flowcc");
      }
      return std::make_shared<ToldOfDeath>(context.rack(), *memory);
    },
});

}  // namespace

}  // namespace racksim::flowcc
