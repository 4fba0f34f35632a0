// What a home does about nodes that fail, and what recovery does to its lines (GAM §5). See directory.hpp,
// recovery.hpp.
#include <algorithm>
#include <utility>

#include "protocols/gam/home/directory.hpp"
#include "protocols/gam/rules/races.hpp"

namespace racksim::gam {

namespace {

/// Whether its owner has been asked for the line, and has not answered.
bool is_owner_awaited(const Entry& entry) {
  return entry.transaction != nullptr && entry.transaction->awaited == 0 && entry.sharers.empty();
}

}  // namespace

// An acknowledgement that is awaited from it counts as given: its copy is gone with it. What its owner awaits of it,
// and what was on its way to it, recovery has to find.
void Directory::cut_off(NodeId lost) {
  std::fill(home_.write_backs[lost].begin(), home_.write_backs[lost].end(), models::Content{});
  for (const sim::Key line : all_lines()) {
    with_entry(line, [&](Entry& entry) {
      entry.pending.drop_messages_of(lost);
      const Sharer* sharer = entry.sharer(lost);
      Transaction* transaction = entry.transaction.get();
      if (transaction != nullptr && transaction->local == nullptr && transaction->request.sender == lost) {
        transaction->for_nobody = true;
        entry.strike_off(lost);
      } else if (transaction != nullptr && transaction->awaited > 0 && sharer != nullptr && !sharer->has_denied) {
        raise(DirectoryEvent::invalidate_ack, {.home = home_, .entry = entry, .line = line, .from = lost});
      } else if (transaction != nullptr && sharer != nullptr) {  // it has denied a lock, which is gone with it
        entry.strike_off(lost);
        transaction->denied =
            std::any_of(entry.sharers.begin(), entry.sharers.end(), [](const Sharer& s) { return s.has_denied; });
      } else if (sharer != nullptr) {
        raise(DirectoryEvent::sharer_lost, {.home = home_, .entry = entry, .line = line, .from = lost});
      }
      settle(entry, line);
      if (is_owner_awaited(entry) && entry.owner.node == lost) shared_.coverage.race(races.awaited_owner_dies);
    });
  }
}

std::vector<sim::Key> Directory::lines_to_recover() const {
  return lines_where([&](const Entry& entry) {
    const bool owned = entry.state == DirectoryState::dirty || is_owner_awaited(entry);
    const bool is_void = entry.transaction != nullptr && entry.transaction->is_void;
    return is_void || (owned && output_.is_cut_off(entry.owner.node));
  });
}

void Directory::promote(sim::Key line, const Sharer& owner) {
  with_entry(line, [&](Entry& entry) {
    raise(DirectoryEvent::promoted, {.home = home_, .entry = entry, .line = line});
    entry.owner = owner;
    output_.record(line, 0, sim::Permission::none);
  });
}

void Directory::restore(sim::Key line, const std::vector<Sharer>& sharers, bool awaited) {
  with_entry(line, [&](Entry& entry) {
    raise(sharers.empty() ? DirectoryEvent::restored : DirectoryEvent::announced,
          {.home = home_, .entry = entry, .line = line});
    entry.owner = {};
    if (const std::unique_ptr<Transaction> ended = std::move(entry.transaction)) {
      home_.transactions.end(ended->number);
      if (ended->local != nullptr) {
        entry.pending.add_first({ended->local, {}});
      } else if (awaited) {
        entry.pending.add_first({nullptr, ended->request});
      }
    }
    entry.sharers = sharers;
    output_.record(line, 0, sharers.empty() ? sim::Permission::write : sim::Permission::read);
  });
}

// If the owner lives: its log has the content. Otherwise recovery does when the owner is back.
void Directory::recover_void(std::uint64_t number) {
  const sim::Key line{number};
  const Entry* entry = find(line);
  if (entry == nullptr || entry->transaction == nullptr || !entry->transaction->is_void) return;
  if (!shared_.rack.server(entry->owner.node).is_on() || output_.is_cut_off(entry->owner.node)) return;
  recovery_->recover_line(output_.self(), line);
  go_on(line);
  output_.run_ready();
}

void Directory::go_on(sim::Key line) {
  with_entry(line, [&](Entry& entry) { settle(entry, line); });
}

}  // namespace racksim::gam
