// The transition table of a key at its home, its guards and actions. See home_step.hpp.
#include "protocols/cckvs/keys/home_step.hpp"

#include <optional>
#include <vector>

#include "protocols/cckvs/keys/lin_step.hpp"
#include "protocols/cckvs/keys/sc_step.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::cckvs {

/// The table, apart from HomeStep because it names all of its members.
struct HomeStep::Life {
  using Table = models::TransitionTable<HomeState, HomeEvent, HomeStep>;
  using Step = HomeStep;

  static constexpr Table::Guard kPutsInstalling{"handover puts-while-installing", &Step::puts_while_installing},
      kServesCached{"handover store-while-cached", &Step::serves_cached},
      kAtOnce{"handover paper", &Step::activates_at_once}, kLast{"the last one", &Step::is_last},
      kAlone{"handover paper or home-alone, its own", &Step::decides_alone};
  static constexpr Table::Action kServe{"serve from the store", &Step::serve}, kHold{"hold", &Step::hold},
      kRunOnCopy{"run on the own copy", &Step::run_on_copy},
      kInstall{"copy from the store, send INSTALL", &Step::install}, kNote{"note the answer", &Step::note},
      kActivate{"send ACTIVATE", &Step::activate}, kSeal{"hold who waits for the copy, send SEAL", &Step::seal},
      kWriteBack{"store the greatest Valid copy, drop the own one, send DONE", &Step::write_back},
      kWriteOwnBack{"store the own copy, drop it, send DONE", &Step::write_own_back};

  static Table make_table();
  static const Table& table();
};

HomeStep::Life::Table HomeStep::Life::make_table() {
  constexpr auto kStays = std::nullopt;
  using S = HomeState;
  using E = HomeEvent;
  return Table({
      .name = "cckvs home",
      .doc = "a key at its home, in the store or cached by all",
      .states = {"Store", "Installing", "Cached", "Sealing"},
      .events = {"get", "put", "install", "evict", "INSTALLED", "SEALED"},
      .initial = S::store,
      .rows =
          {
              {"served by the store", {S::store}, {E::get, E::put}, {}, {kServe}, kStays, "§6.1"},
              {"get while installing", {S::installing}, {E::get}, {}, {kServe}, kStays, "ours"},
              {"put into what is being copied", {S::installing}, {E::put}, kPutsInstalling, {kServe}, kStays, "fault"},
              {"put while installing", {S::installing}, {E::put}, {}, {kHold}, kStays, "ours"},
              {"served beside the copies", {S::cached}, {E::get, E::put}, kServesCached, {kServe}, kStays, "fault"},
              {"run on the copy", {S::cached}, {E::get, E::put}, {}, {kRunOnCopy}, kStays, "ours"},
              {"request while sealing", {S::sealing}, {E::get, E::put}, {}, {kHold}, kStays, "ours"},

              {"install and use", {S::store}, {E::install}, kAtOnce, {kInstall}, S::cached, "as printed"},
              {"install", {S::store}, {E::install}, {}, {kInstall}, S::installing, "ours"},
              {"all have a copy", {S::installing}, {E::installed}, kLast, {kNote, kActivate}, S::cached, "ours"},
              {"one has a copy", {S::installing}, {E::installed}, {}, {kNote}, kStays, "ours"},
              {"evict", {S::cached}, {E::evict}, {}, {kSeal}, S::sealing, "ours"},
              {"decided alone", {S::sealing}, {E::sealed}, kAlone, {kNote, kWriteOwnBack}, S::store, "as printed"},
              {"all have sealed", {S::sealing}, {E::sealed}, kLast, {kNote, kWriteBack}, S::store, "ours"},
              {"one has sealed", {S::sealing}, {E::sealed}, {}, {kNote}, kStays, "ours"},
          },
      .ignored =
          {
              {{S::store, S::cached, S::sealing}, {E::installed}, "the home has not waited for this copy"},
              {{S::store, S::installing, S::cached}, {E::sealed}, "the home has not waited for this answer"},
          },
      .impossible =
          {
              {{S::installing, S::cached, S::sealing},
               {E::install},
               "one change at a time, and only of what is in the store"},
              {{S::store, S::installing, S::sealing}, {E::evict}, "one change at a time, and only of what is cached"},
          },
  });
}

const HomeStep::Life::Table& HomeStep::Life::table() {
  static const Table table = make_table();
  return table;
}
const models::TableDescription& HomeStep::table() {
  return Life::table().description();
}
void HomeStep::execute(HomeState& state, HomeEvent event, HomeStep& step, const sim::CoverageProbe& coverage) {
  Life::table().on(state, event, step, coverage);
}

sim::KeyAndOperations HomeStep::key_and_operations() const {
  sim::KeyAndOperations about{key, {}};
  if (request != nullptr) about.operations.push_back(request->operation);
  return about;
}

bool HomeStep::puts_while_installing() const {
  return at.rules_.hand_over == Rules::HandOver::puts_while_installing;
}
bool HomeStep::serves_cached() const {
  return at.rules_.hand_over == Rules::HandOver::store_while_cached;
}
bool HomeStep::activates_at_once() const {
  return at.rules_.hand_over == Rules::HandOver::paper;
}
// Of INSTALLED those of all others, of SEALED its own too.
bool HomeStep::is_last() const {
  NodeSet answered = at.changes_.find(key)->answered;
  answered.set(from);
  const bool own = at.part_of(key).home == HomeState::sealing;
  return answered.count() == at.nodes_ - (own ? 0 : 1);
}
bool HomeStep::decides_alone() const {
  const bool alone =
      at.rules_.hand_over == Rules::HandOver::paper || at.rules_.hand_over == Rules::HandOver::home_alone;
  return alone && from == at.self_;
}

void HomeStep::serve() {
  Stored stored = at.outbox_.load(key);
  if (request->is_put) {
    stored = {at.cache_.order().next(stored.timestamp, at.self_), request->value};
    at.outbox_.store(key, stored);
  }
  at.outbox_.served(*request, key, stored);
}
void HomeStep::hold() {
  at.changes_[key].held.push_back(*request);
}
void HomeStep::run_on_copy() {
  if (request->is_put) {
    at.cache_.put(key, request->operation, request->value);
  } else {
    at.cache_.get(key, request->operation);
  }
}
void HomeStep::install() {
  const Stored stored = at.outbox_.load(key);
  at.cache_.install(key, stored.timestamp, stored.value);
  at.changes_[key].answered.reset();
  at.outbox_.install_all(key, stored);
}

void HomeStep::note() {
  HandOver::Change& change = at.changes_[key];
  change.answered.set(from);
  if (!copy) return;
  if (!change.greatest || at.cache_.order().after(copy->timestamp, change.greatest->timestamp)) change.greatest = copy;
}
void HomeStep::activate() {
  at.outbox_.activate_all(key);
}
void HomeStep::seal() {
  HandOver::Change& change = at.changes_[key];
  change.answered.reset();
  change.greatest.reset();
  for (const Stalled& stalled : at.cache_.withdraw_stalled(key)) change.held.push_back(stalled);
  at.outbox_.seal_all(key);
}

// Somebody has a Valid copy of the greatest timestamp that was committed: the node that committed it, which has
// answered after that.
void HomeStep::write_back() {
  const std::optional<Stored> greatest = at.changes_[key].greatest;
  RACKSIM_INVARIANT(greatest || at.rules_.hand_over == Rules::HandOver::sealed_early,
                    "some node has a Valid copy when all have sealed");
  if (greatest) at.outbox_.store(key, *greatest);
  leave_caches();
}
void HomeStep::write_own_back() {
  const Entry& entry = *at.cache_.find(key);
  at.outbox_.store(key, {entry.header.timestamp(), entry.value});
  leave_caches();
}
void HomeStep::leave_caches() {
  at.cache_.remove(key);
  at.outbox_.done_all(key);
}

}  // namespace racksim::cckvs
