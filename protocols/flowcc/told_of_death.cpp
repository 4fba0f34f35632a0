// Whoever gets a lock that was freed since its holder had died is told so, by `MemoryService::holder_died`: what the lock
// protects may be half done. Those who get it while others hold it, or after somebody who was told, need not be.
//
// That a holder has died is seen from outside: its lock is given back by a session whose node is down, or has started
// again since the lock was granted.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
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
      : Oracle("told-of-death", "lock of a dead session"), rack_(rack), memory_(memory) {}

  void observe(const sim::Observation& observation) override {
    const bool begins = observation.what == sim::Observed::operation_begun;
    if (!begins && observation.what != sim::Observed::operation_ended) return;
    const auto operation = sim::OperationView::of(observation);
    if (begins && operation.kind == sim::OperationKind::unlock) given_back(observation, operation.key);
    if (!begins && sim::requests_lock(operation.kind) && operation.value != 0) granted(observation, operation.key);
  }

 private:
  struct Hold {
    sim::Source session;
    std::uint32_t life;  // of its node
  };

  models::Session session_of(sim::OperationId operation) const {
    const std::uint64_t index = (operation.number() >> sim::kNumberBits) - 1;
    const unsigned threads = memory_.shape().threads_per_node;
    return {static_cast<models::NodeId>(index / threads), static_cast<std::uint16_t>(index % threads)};
  }
  const models::Server& server_of(const sim::Observation& observation) const {
    return rack_.server(session_of(observation.operation).node);
  }

  void given_back(const sim::Observation& observation, sim::Key block) {
    const models::Server& server = server_of(observation);
    std::vector<Hold>& holds = holds_[block];
    const auto own =
        std::find_if(holds.begin(), holds.end(), [&](const Hold& hold) { return hold.session == observation.source; });
    if (own == holds.end() || own->life != server.incarnation() || !server.is_on()) freed_.insert(block);
    if (own != holds.end()) holds.erase(own);
  }

  void granted(const sim::Observation& observation, sim::Key block) {
    const models::Session session = session_of(observation.operation);
    std::vector<Hold>& holds = holds_[block];
    const bool told = memory_.holder_died(session, {block.number() * memory_.shape().block_bytes});
    if (freed_.contains(block) && (told || holds.empty())) {
      count_judged();
      freed_.erase(block);
      ever_.insert(block);
      if (!told) {
        violated(observation.at,
                 fmt::format("n{}.t{} has the lock of block {}, whose last holder has died, and is not told so",
                             session.node, session.thread, sim::printed_key(block)),
                 {block, {observation.operation}});
      }
    } else if (told && !ever_.contains(block)) {
      violated(observation.at,
               fmt::format("n{}.t{} has the lock of block {}, and is told of a dead holder, which there was none",
                           session.node, session.thread, sim::printed_key(block)),
               {block, {observation.operation}});
    }
    holds.push_back({observation.source, server_of(observation).incarnation()});
  }

  models::Rack& rack_;
  const FlowCc& memory_;
  std::map<sim::Key, std::vector<Hold>> holds_;  // by block
  std::set<sim::Key> freed_, ever_;  // blocks whose locks were freed for dead holders: nobody was told yet, and all
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
