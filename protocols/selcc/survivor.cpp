// What a compute node does when another is dead, step by step (recovery.hpp), and how it comes back itself.
#include <algorithm>
#include <utility>

#include "protocols/selcc/compute_node.hpp"
#include "protocols/selcc/recovery.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::selcc {

namespace {

bool owned_by(LatchWord word, NodeId node) {
  return word.names_owner() && word.owner() == node;
}

}  // namespace

bool ComputeNode::serves() const {
  return shared_.recovery == nullptr || shared_.recovery->holds_lease(id_);
}

sim::Task<void> ComputeNode::lease() {
  return shared_.recovery->lease(id_);
}

// It asks for nothing any more, and is given nothing.
void ComputeNode::cut_off(NodeId lost) {
  cut_off_ |= LatchWord::shared(lost);
  std::vector<sim::Key> lines;
  for (auto& [line, work] : works_) {
    if (std::erase_if(work->deferred, [&](const Invalidation& m) { return m.sender == lost; }) > 0) {
      lines.push_back(sim::Key{line});
    }
  }
  for (const sim::Key line : lines) tidy(*works_.find(line)->frame);
}

bool ComputeNode::awaits_answer_of(const LineWork& work, NodeId lost) const {
  return std::any_of(work.asks.begin(), work.asks.end(),
                     [&](const Ask& ask) { return ask.whom == lost && !ask.answered; });
}

bool ComputeNode::has_unconfirmed_from(const LineWork& work, NodeId lost) const {
  return work.giver == lost && work.confirmation != 0 && work.confirmed != work.confirmation;
}

// An answer that is here, and that its thread has not looked at yet.
bool ComputeNode::has_arrived(sim::Key line, const LineWork& work) const {
  return answers_.any([&](const Arrived& arrived) {
    return arrived.answer.line == line && std::any_of(work.asks.begin(), work.asks.end(), [&](const Ask& ask) {
             return ask.number == arrived.answer.number && !ask.answered;
           });
  });
}

// Until it neither waits for the dead node, nor has anything from it that is not confirmed, nor gives it anything.
sim::Task<void> ComputeNode::settle(NodeId lost) {
  for (;;) {
    bool settled = verbs_.giving_to(lost) == 0;
    std::vector<sim::Key> lines;
    for (const auto& [line, work] : works_) lines.push_back(sim::Key{line});
    for (const sim::Key line : lines) {
      const LineWork* work = works_.find(line);
      if (work == nullptr) continue;
      if (has_unconfirmed_from(*work, lost)) {
        co_await claim(line, lost);
      } else if (awaits_answer_of(*work, lost)) {
        settled = false;
        if (!has_arrived(line, *work)) co_await recheck(line, lost);
      }
    }
    if (settled) co_return;
    co_await sim::sleep_for(clock(), rtt());
  }
}

// Readers' bits come and go while they find an owner that is dead, and each change makes a compare-and-swap fail. Nodes
// that tried again at once, or all after the same time, could do so for ever.
sim::Duration ComputeNode::back_off(std::uint32_t attempts) const {
  return rtt() * ((std::int64_t{id_} + 1) * std::min<std::int64_t>(attempts, 8));
}

// By an addition, which cannot fail however often readers change the word meanwhile: until all have settled nobody else
// touches the dead node's part of it.
sim::Task<void> ComputeNode::claim(sim::Key line, NodeId lost) {
  models::ReliableConnection& queue_pair = connections_.of_handler(line);
  const models::WorkRequest look = verbs_.read_word(line);
  const LatchWord word(co_await verbs_.call(queue_pair, line, look));
  const LineWork* work = works_.find(line);
  if (work == nullptr || !has_unconfirmed_from(*work, lost)) co_return;  // its confirmation was there before the cut
  const std::uint64_t number = work->confirmation;
  if (options().claim && owned_by(word, lost)) {
    const Frame& frame = *cache_.find(line);
    const bool modified = permission_of(frame.state) == sim::Permission::write;
    if (!modified) {
      verbs_.post(queue_pair, verbs_.write_back(frame, shared_.lines.whole(), 0));
    }
    models::WorkRequest add = look;
    add.opcode = models::Opcode::fetch_add;
    add.bytes.reset();
    add.swap_or_add = (modified ? LatchWord::modified(id_) : LatchWord::shared(id_)) - LatchWord::modified(lost);
    const LatchWord found(co_await verbs_.call(queue_pair, line, add));
    RACKSIM_INVARIANT(owned_by(found, lost), "only who has the line from a dead node takes its place");
    ++counters().claimed.value;
    shared_.coverage.race(modified ? races.claimed : races.claimed_shared);
  }
  lines_.confirmed(line, number);
}

sim::Task<void> ComputeNode::recheck(sim::Key line, NodeId lost) {
  // Sharers that are asked to let go give nothing.
  const bool may_be_given = options().recheck && LatchWord(works_.find(line)->word).names_owner();
  models::Content content;
  LatchWord word;
  if (may_be_given) {
    const models::WorkRequest look = verbs_.read_line(line, 0);
    word = LatchWord(co_await verbs_.call(connections_.of_handler(line), line, look, &content));
  }
  LineWork* work = works_.find(line);
  if (work == nullptr || !awaits_answer_of(*work, lost)) co_return;
  const auto ask = std::find_if(work->asks.begin(), work->asks.end(), [&](const Ask& a) { return a.whom == lost; });
  const bool wants_modified = work->frame->state == FrameState::asking_modified;
  const bool given =
      may_be_given && (wants_modified ? owned_by(word, id_) : (word.readers() & LatchWord::shared(id_)) != 0);
  if (!given) {
    work->turned_away = true;
    lines_.answered_without(*work, *ask);
    co_return;
  }
  ++counters().rechecked.value;
  shared_.coverage.race(races.given_without_the_line);
  if (wants_modified) shared_.recovery->lose(line);
  const std::uint64_t number = ask->number;
  work->fetched.load(content.bytes().subspan(latched_memory::LineLayout::kWordBytes));
  lines_.take_given(*work, *ask, {});
  lines_.confirmed(line, number);
}

sim::Task<void> ComputeNode::bury(NodeId lost) {
  departed_ |= LatchWord::shared(lost);
  co_return;
}

sim::Task<void> ComputeNode::leave_alone(NodeId lost) {
  departed_ &= ~LatchWord::shared(lost);
  while (verbs_.taking_out() > 0) co_await sim::sleep_for(clock(), rtt());
}

sim::Task<void> ComputeNode::sweep(std::uint64_t lost, std::vector<Region> regions) {
  constexpr std::uint64_t kBatch = 16;
  for (const Region& region : regions) {
    for (std::uint64_t begin = 0; begin < region.lines; begin += kBatch) {
      std::vector<sim::Task<void>> batch;
      for (std::uint64_t i = begin; i < std::min(region.lines, begin + kBatch); ++i) {
        batch.push_back(take_out(sim::Key{region.first + i}, lost));
      }
      co_await sim::gather(std::move(batch));
    }
  }
}

sim::Task<void> ComputeNode::take_out(sim::Key line, std::uint64_t lost) {
  models::ReliableConnection& queue_pair = connections_.of_evictor(line);
  const models::WorkRequest look = verbs_.read_word(line);
  LatchWord word(co_await verbs_.call(queue_pair, line, look));
  for (std::uint32_t attempts = 1; word.without(lost) != word; ++attempts) {
    const LatchWord without = word.without(lost);
    const models::WorkRequest swap{.opcode = models::Opcode::compare_swap,
                                   .remote = shared_.lines.remote(line),
                                   .compare = word.bits(),
                                   .swap_or_add = without.bits()};
    const LatchWord found(co_await verbs_.call(queue_pair, line, swap));
    if (found == word) {
      ++counters().taken_out.value;
      co_return;
    }
    co_await sim::sleep_for(clock(), back_off(attempts));
    word = LatchWord(co_await verbs_.call(queue_pair, line, look));
  }
}

std::vector<ComputeNode::LeftBehind> ComputeNode::latches_left_behind() {
  std::vector<LeftBehind> all = std::exchange(left_behind_, {});
  held_.for_each([&](unsigned thread, sim::Key line) {
    all.push_back({.holder = {id_, static_cast<std::uint16_t>(thread)}, .line = line});
  });
  latches_are_told_ = true;
  return all;
}

void ComputeNode::come_back(std::uint64_t absent, std::uint64_t departed) {
  cut_off_ = absent;
  departed_ = departed;
  latches_are_told_ = false;
  begin();
}

void ComputeNode::welcome(ComputeNode& node) {
  line_cache::Connections::connect(node.connections_, connections_);
  cut_off_ &= ~LatchWord::shared(node.id_);
}

}  // namespace racksim::selcc
