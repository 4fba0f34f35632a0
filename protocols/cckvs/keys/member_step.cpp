// The transition table of a key at a node that is not its home, its guards and actions. See member_step.hpp.
#include "protocols/cckvs/keys/member_step.hpp"

#include <optional>
#include <vector>

#include "protocols/cckvs/keys/home_step.hpp"
#include "protocols/cckvs/keys/lin_step.hpp"
#include "protocols/cckvs/keys/sc_step.hpp"

namespace racksim::cckvs {

/// The table, apart from MemberStep because it names all of its members.
struct MemberStep::Life {
  using Table = models::TransitionTable<MemberState, MemberEvent, MemberStep>;
  using Step = MemberStep;

  static constexpr Table::Guard kAtInstall{"handover active-at-install or paper", &Step::active_at_install},
      kMustWait{"own puts under way", &Step::must_wait}, kOwnPuts{"own puts under way", &Step::has_own_puts};
  static constexpr Table::Action kInstall{"take the copy, send INSTALLED", &Step::install},
      kSendHome{"send who waits to the home", &Step::send_stalled_home}, kSealed{"send SEALED", &Step::tell_sealed},
      kRemove{"drop the copy", &Step::remove};

  static Table make_table();
  static const Table& table();
};

MemberStep::Life::Table MemberStep::Life::make_table() {
  using S = MemberState;
  using E = MemberEvent;
  return Table({
      .name = "cckvs member",
      .doc = "a key at a node that is not its home",
      .states = {"Absent", "Installed", "Active", "Sealing", "Sealed", "Leaving"},
      .events = {"INSTALL", "ACTIVATE", "SEAL", "own puts over", "DONE"},
      .initial = S::absent,
      .rows =
          {
              {"installed and used", {S::absent}, {E::install}, kAtInstall, {kInstall}, S::active, "as printed"},
              {"installed", {S::absent}, {E::install}, {}, {kInstall}, S::installed, "ours"},
              {"all have a copy", {S::installed}, {E::activate}, {}, {}, S::active, "ours"},
              {"sealing", {S::active}, {E::seal}, kMustWait, {kSendHome}, S::sealing, "ours"},
              {"sealed", {S::active}, {E::seal}, {}, {kSendHome, kSealed}, S::sealed, "ours"},
              {"own puts over", {S::sealing}, {E::puts_over}, {}, {kSealed}, S::sealed, "ours"},
              {"dropped under a put", {S::sealed}, {E::done}, kOwnPuts, {}, S::leaving, "fault"},
              {"dropped", {S::sealed}, {E::done}, {}, {kRemove}, S::absent, "ours"},
              {"not waited for", {S::sealing}, {E::done}, {}, {}, S::leaving, "as printed"},
              {"dropped late", {S::leaving}, {E::puts_over}, {}, {kRemove}, S::absent, "as printed"},
          },
      .ignored =
          {
              {{S::active}, {E::activate}, "it uses its copy already"},
          },
      .impossible =
          {
              {{S::installed, S::active, S::sealing, S::sealed, S::leaving}, {E::install}, "it comes behind DONE"},
              {{S::absent, S::sealing, S::sealed, S::leaving}, {E::activate}, "it comes before SEAL, in order"},
              {{S::absent, S::installed, S::sealing, S::sealed, S::leaving}, {E::seal}, "it comes behind ACTIVATE"},
              {{S::absent, S::installed, S::active, S::sealed}, {E::puts_over}, "nothing waits for them"},
              {{S::absent, S::installed, S::active, S::leaving}, {E::done}, "it comes once, behind SEAL"},
          },
  });
}

const MemberStep::Life::Table& MemberStep::Life::table() {
  static const Table table = make_table();
  return table;
}
const models::TableDescription& MemberStep::table() {
  return Life::table().description();
}
void MemberStep::execute(MemberState& state, MemberEvent event, MemberStep& step, const sim::CoverageProbe& coverage) {
  Life::table().on(state, event, step, coverage);
}

bool MemberStep::active_at_install() const {
  return at.rules_.hand_over == Rules::HandOver::active_at_install || at.rules_.hand_over == Rules::HandOver::paper;
}
bool MemberStep::has_own_puts() const {
  return at.has_own_puts(key);
}
bool MemberStep::must_wait() const {
  return at.rules_.hand_over != Rules::HandOver::sealed_early && has_own_puts();
}

void MemberStep::install() {
  at.cache_.install(key, copy->timestamp, copy->value);
  at.outbox_.tell_installed(home, key);
}
void MemberStep::send_stalled_home() {
  for (const Stalled& stalled : at.cache_.withdraw_stalled(key)) at.outbox_.send_home(home, key, stalled);
}
void MemberStep::tell_sealed() {
  at.outbox_.tell_sealed(home, key, at.valid_copy(key));
}
void MemberStep::remove() {
  at.cache_.remove(key);
}

}  // namespace racksim::cckvs
