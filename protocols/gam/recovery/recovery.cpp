// Who waits for whom in recovery, and what becomes of each line. See recovery.hpp.
#include "protocols/gam/recovery/recovery.hpp"

#include <algorithm>
#include <utility>

#include "models/host/core_wait.hpp"
#include "protocols/gam/home/home_data.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::gam {

namespace {
constexpr int kTrials = 2;  // of a line: its second to last undone entry is always valid (§5)
}

Recovery::Recovery(Shared& shared, const Nodes& nodes, const models::Roles& roles, Bury bury)
    : shared_(shared),
      nodes_(nodes),
      bury_(std::move(bury)),
      lives_(shared.rack.nodes(), shared.rack.server(0).incarnation()),
      returning_(shared.rack.nodes(), false),
      clock_(shared.rack.calendar(), "gam/recovery"),
      back_(shared.rack.calendar()),
      tasks_(shared.rack.calendar()),
      membership_(shared.rack, roles, shared.options.membership, *this) {
  shared.membership = &membership_;
  for (const auto& node : nodes_) node->directory().recovered_by(*this);
}

// If it lives all the same its locks and copies are gone with the first who hears of it: its lease is over, and others
// may have them from then on.
void Recovery::node_cut_off(NodeId member, NodeId lost) {
  const models::Server& server = shared_.rack.server(lost);
  if (server.is_on() && server.incarnation() == lives_[lost]) {
    if (!membership_.holds_lease(lost)) nodes_[lost]->cache().record_no_permission();
    bury_(lost);
  }
  // One that is taken for dead itself, and lives, starts over.
  if (membership_.is_member(member)) nodes_[member]->cut_off(lost);
}

sim::Task<bool> Recovery::recover(NodeId) {
  co_return true;
}

bool Recovery::at_rest() const {
  return membership_.at_rest() && !at_work_ && std::all_of(nodes_.begin(), nodes_.end(), [&](const auto& node) {
           return membership_.is_member(node->id()) || !shared_.rack.server(node->id()).is_on();
         });
}

void Recovery::node_crashed(NodeId node) {
  returning_[node] = false;
}

// Dies with the node, which is a member when this ends.
sim::Task<void> Recovery::admit(NodeId node) {
  returning_[node] = true;
  if (!std::exchange(at_work_, true)) tasks_.spawn(bring_back());
  while (returning_[node]) co_await back_.wait();
}

bool Recovery::all_are_back() const {
  if (!membership_.at_rest()) return false;
  for (const auto& node : nodes_) {
    if (!shared_.rack.server(node->id()).is_on()) return false;
    if (!membership_.is_member(node->id()) && !returning_[node->id()]) return false;
  }
  return true;
}

// Again as long as another node fails meanwhile: nothing has been changed.
sim::Task<void> Recovery::bring_back() {
  for (;;) {
    while (!all_are_back()) co_await sim::sleep_for(clock_, membership_.interval());
    std::vector<NodeId> failed, everybody;
    for (const auto& node : nodes_) {
      everybody.push_back(node->id());
      if (returning_[node->id()]) failed.push_back(node->id());
    }
    const models::Membership::Work scanned = [this](NodeId node) { return scan(node); };
    const models::Membership::Work validated = [this](NodeId node) { return validate(node); };
    if (!co_await membership_.round(failed, scanned)) continue;
    if (!co_await membership_.round(everybody, validated)) continue;
    const bool same = std::all_of(failed.begin(), failed.end(), [&](NodeId node) { return returning_[node]; });
    if (!same || !all_are_back()) continue;
    commit();
    at_work_ = false;
    back_.notify_all();
    co_return;
  }
}

sim::Task<void> Recovery::scan(NodeId node) {
  co_await sim::sleep_for(shared_.rack.server(node).clock(), nodes_[node]->log()->scan_time());
}

// A message out and one back for each line that its home has to ask about.
sim::Task<void> Recovery::validate(NodeId node) {
  Node& home = *nodes_[node];
  std::int64_t asked = 0;
  if (returning_[node]) {
    for (const sim::Key line : home.log()->lines()) {
      asked += shared_.home_of(line) == node && home.log()->newest(line)->type == LogEntry::Type::olog;
    }
  } else {
    asked = static_cast<std::int64_t>(home.directory().lines_to_recover().size());
  }
  co_await models::occupy(home.output().core(), shared_.options.message * (2 * asked));
}

// What the newest write of a line has left, by an entry of its home; null if the entry is not valid.
const LogEntry* Recovery::valid_content(sim::Key line, const LogEntry& entry) const {
  if (entry.type == LogEntry::Type::dlog) return &entry;
  const Log& log = *nodes_[entry.owner]->log();
  return log.has_written(line, entry.counter) ? log.newest(line) : nullptr;
}

// A survivor answers when what it has logged is durable: that it has the line says as much.
bool Recovery::owns(NodeId node, sim::Key line, std::uint32_t counter) const {
  const Frame* frame = nodes_[node]->cache().frames().find(line);
  return frame != nullptr && frame->state == CacheState::dirty && frame->counter == counter;
}

// `content` is null for who has the line.
void Recovery::promote(Node& home, sim::Key line, const LogEntry& entry, const LogEntry* content) {
  ++shared_.counters.promoted.value;
  Cache& cache = nodes_[entry.owner]->cache();
  const std::uint32_t number = content == nullptr ? cache.frames().find(line)->request : cache.next_number();
  home.directory().promote(line, {entry.owner, number});
  if (content != nullptr) cache.restore(line, *content, number);
}

bool Recovery::keeps_whole_logs() const {
  const Options& options = shared_.options;
  return options.dlog && options.olog && options.dlog_first && options.two_messages;
}

// Who shares a line that has no list: of a home that comes back all that have kept a copy, for they have it locked; of
// a survivor's line who has it by the read that was under way, for the others are on its list, or gone from it.
std::vector<Sharer> Recovery::sharers_of(NodeId home, sim::Key line) const {
  const Entry* entry = nodes_[home]->directory().find(line);
  const Transaction* read = entry != nullptr ? entry->transaction.get() : nullptr;
  std::vector<Sharer> sharers;
  for (const auto& node : nodes_) {
    const Frame* frame = node->cache().frames().find(line);
    if (frame == nullptr || frame->state != CacheState::shared) continue;
    const bool has_read = read != nullptr && !read->for_nobody && read->request.sender == node->id();
    if (returning_[home] || has_read) sharers.push_back({node->id(), frame->request});
  }
  return sharers;
}

void Recovery::recover_line(NodeId home_id, sim::Key line) {
  Node& home = *nodes_[home_id];
  const Entry* known = home.directory().find(line);
  const bool in_transition = known != nullptr && known->transaction != nullptr;
  const std::vector<Sharer> sharers = sharers_of(home_id, line);
  shared_.counters.announced.value += sharers.size();
  const LogEntry* content = nullptr;
  for (int trial = 0; content == nullptr; ++trial) {
    const LogEntry* entry = home.log()->newest(line);
    if (entry == nullptr || trial == kTrials) break;  // nobody has written it, or a log lacks what it should have
    const bool is_transfer = entry->type == LogEntry::Type::olog;
    if (is_transfer && owns(entry->owner, line, entry->counter)) return promote(home, line, *entry, nullptr);
    content = valid_content(line, *entry);
    if (content == nullptr) {
      home.log()->undo(line);
      ++shared_.counters.undone.value;
    } else if (is_transfer && !in_transition && sharers.empty() && returning_[entry->owner]) {
      return promote(home, line, *entry, content);
    }
  }
  RACKSIM_INVARIANT(content != nullptr || home.log()->newest(line) == nullptr || !keeps_whole_logs(),
                    "of a line's two newest entries one is valid");
  ++shared_.counters.restored.value;
  // The log says so already: it takes no entry of its own.
  if (content != nullptr) HomeData(shared_, line).replace(content->data);
  const Transaction* asked = in_transition ? known->transaction.get() : nullptr;
  const bool awaited = asked != nullptr && asked->local == nullptr && !asked->is_void &&
                       nodes_[asked->request.sender]->cache().awaits(asked->request);
  home.directory().restore(line, sharers, awaited);
}

// Its home says that it has what it waits for: it is on its way, or was lost with who has sent it. Twice does no harm.
void Recovery::send_again(NodeId survivor) {
  Node& node = *nodes_[survivor];
  node.cache().frames().for_each([&](const Frame& frame) {
    const NodeId home_id = shared_.home_of(frame.line);
    if (is_stable(frame.state) || frame.work->number == 0 || returning_[home_id]) return;
    Node& home = *nodes_[home_id];
    const Entry* entry = home.directory().find(frame.line);
    if (entry == nullptr) return;
    const std::uint32_t number = frame.work->number;
    const models::RemoteAddress at = shared_.frame_at(survivor, node.cache().frames().number_of(frame));
    const sim::OperationId operation =
        frame.work->initiator != nullptr ? frame.work->initiator->operation : sim::OperationId{0u};
    if (frame.state == CacheState::to_shared) {
      const Sharer* sharer = entry->sharer(survivor);
      if (sharer == nullptr || sharer->request != number) return;
      ++shared_.counters.sent_again.value;
      return home.output().send_line(survivor, at, shared_.content_of(frame.line), {ImmediateKind::data, number},
                                     operation);
    }
    const bool owns = entry->owner.node == survivor && entry->owner.request == number;
    if (frame.state != CacheState::to_dirty || !owns) return;
    // Before the entry that gave it the line, which need not be durable yet.
    const LogEntry* before = home.log()->before(frame.line);
    if (frame.work->owner_data || before == nullptr || before->type == LogEntry::Type::dlog ||
        !returning_[before->owner])
      return;
    const LogEntry* content = valid_content(frame.line, *before);
    if (content == nullptr) return;
    ++shared_.counters.sent_again.value;
    Node& giver = *nodes_[before->owner];
    giver.output().send_line(survivor, at, shared_.bytes_of(content->data), {ImmediateKind::owner_data, number},
                             operation, before->counter + 1);
  });
}

// Of a home that comes back all lines that its log or a survivor's cache knows.
std::vector<sim::Key> Recovery::lines_of(Node& home) const {
  if (!returning_[home.id()]) return home.directory().lines_to_recover();
  std::vector<sim::Key> lines = home.log()->lines();
  std::erase_if(lines, [&](sim::Key line) { return shared_.home_of(line) != home.id(); });
  for (const auto& node : nodes_) {
    node->cache().frames().for_each([&](const Frame& frame) {
      if (shared_.home_of(frame.line) == home.id() && frame.state == CacheState::shared) lines.push_back(frame.line);
    });
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

void Recovery::commit() {
  std::vector<Node*> failed;
  for (const auto& node : nodes_) {
    if (returning_[node->id()]) failed.push_back(node.get());
  }
  for (Node* node : failed) {
    lives_[node->id()] = node->server().incarnation();
    node->come_back();
  }
  // Both phases. Lists are made first: they tell who has failed by channels that are cut.
  std::vector<std::pair<Node*, std::vector<sim::Key>>> homes;
  for (const auto& node : nodes_) homes.emplace_back(node.get(), lines_of(*node));
  for (const auto& [home, lines] : homes) {
    for (const sim::Key line : lines) recover_line(home->id(), line);
  }
  for (Node* node : failed) {
    for (const auto& other : nodes_) {
      const bool pair_is_done = returning_[other->id()] && other->id() < node->id();
      if (other.get() != node && !pair_is_done) Output::reconnect(node->output(), other->output());
    }
  }
  for (const auto& node : nodes_) {
    if (!returning_[node->id()]) send_again(node->id());
  }
  for (const auto& [home, lines] : homes) {
    for (const sim::Key line : lines) home->directory().go_on(line);
  }
  for (const auto& node : nodes_) {
    for (const Node* home : failed) {
      if (home == node.get()) continue;
      node->cache().ask_again(home->id());
      node->allocation().ask_again(home->id());
    }
    node->cache().trim();  // lines of homes that were away may be evicted again
    node->output().run_ready();
  }
  std::fill(returning_.begin(), returning_.end(), false);
}

}  // namespace racksim::gam
