// What the exploration judges of a state. See explored_block.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "protocols/flowcc/explored/explored_parts.hpp"

namespace racksim::flowcc {

void ExploredBlock::expand(std::string_view state, sim::Steps& steps) {
  const std::size_t count = look(state, steps);
  for (std::size_t step = 0; step < count; ++step) take(state, step, steps);
}

// The steps that `look` has listed stand until another state is looked at.
std::size_t ExploredBlock::look(std::string_view state, sim::Steps& said) {
  load(state);
  looked_at_ = state;
  list_steps();
  std::string wrong = wrong_here();
  if (!wrong.empty()) {
    said.set_wrong(std::move(wrong));
    return 0;
  }
  if (at_rest()) said.set_end();
  return steps_.size();
}

void ExploredBlock::take(std::string_view state, std::size_t step, sim::Steps& steps) {
  load(state);
  if (looked_at_ != state) {
    looked_at_ = state;
    list_steps();
  }
  run(steps_.at(step));
  if (wrong_.empty()) {
    steps.add(saved());
  } else {
    steps.add_wrong(wrong_);
  }
}

std::string ExploredBlock::wrong_here() const {
  std::string wrong = wrong_with_copies();
  if (wrong.empty()) wrong = wrong_with_places();
  if (wrong.empty() && at_rest()) wrong = wrong_at_rest();
  return wrong;
}

std::string ExploredBlock::wrong_with_copies() const {
  unsigned copies = 0, dirty = 0;
  std::string old;
  for (std::size_t i = 0; i < requesters_.size(); ++i) {
    const CacheEntry* copy = requesters_[i]->copy();
    if (copy == nullptr) continue;
    ++copies;
    if (copy->state == CacheEntry::State::dirty) ++dirty;
    if (copy->value != last_) {
      old = fmt::format("data value: requester {} reads write {}, the last is {}", i, copy->value, last_);
    }
  }
  return dirty > 0 && copies > 1 ? "single writer: there is another copy beside a dirty one" : old;
}

std::uint64_t ExploredBlock::in_way(const char* array, std::size_t way) const {
  return switch_.read(array + std::to_string(way + 1), 0);
}

bool ExploredBlock::is_in(std::size_t way) const {
  return in_way("TAG", way) == tag() + 1;
}

std::optional<std::size_t> ExploredBlock::way() const {
  for (std::size_t way = 0; way < options_.flowcc.ways; ++way) {
    if (is_in(way)) return way;
  }
  return std::nullopt;
}

std::string ExploredBlock::wrong_with_places() const {
  unsigned ways = 0;
  for (std::size_t way = 0; way < options_.flowcc.ways; ++way) {
    ways += is_in(way) ? 1 : 0;
    if (!is_in(way) && in_way("LOCK", way) != 0) {
      return fmt::format("place: LOCK{} is {:#x}, and the block is not there", way + 1, in_way("LOCK", way));
    }
  }
  if (ways > 1) return "place: the block is in two ways";
  return ways == 1 && home_->migration().would_grant(tag())
             ? "two owners: the switch has the block, and its home grants"
             : "";
}

bool ExploredBlock::at_rest() const {
  const auto quiescent = [](const auto& requester) { return requester->events.quiescent(); };
  return is_still() && home_->migration().idle() && std::all_of(requesters_.begin(), requesters_.end(), quiescent);
}

GlobalMetadata ExploredBlock::metadata_of_copies() const {
  GlobalMetadata metadata;
  for (NodeId node = 0; node < requesters_.size(); ++node) {
    const CacheEntry* copy = requesters_[node]->copy();
    if (copy == nullptr) continue;
    metadata.copyset |= node_bit(node);
    metadata.status = copy->state == CacheEntry::State::dirty ? GlobalStatus::modified : GlobalStatus::shared;
  }
  return metadata;
}

std::string ExploredBlock::wrong_at_rest() const {
  const std::optional<std::size_t> in = way();
  if (in.has_value() != home_->migration().is_away(tag())) {
    return in ? "at rest: the switch has the block, and its home does not know"
              : "at rest: nobody has the block, which its home takes to be in the switch";
  }
  if (!home_->directory.holders().empty()) return "at rest: the home's lock is held";
  if (in && in_way("LOCK", *in) != 0) return fmt::format("at rest: LOCK{} is {:#x}", *in + 1, in_way("LOCK", *in));
  const std::uint64_t scores = options_.flowcc.scoreboard ? 2 * requester_numbers() : 0;
  for (std::uint64_t slot = 0; slot < scores; ++slot) {
    if (switch_.read("SCOREBOARD", slot) != 0)
      return fmt::format("at rest: a score is left, of requester {}", slot / 2);
  }
  GlobalMetadata owner = home_->directory.metadata(tag());
  if (in) {
    owner = {static_cast<GlobalStatus>(in_way("G_STATUS", *in)), static_cast<Copyset>(in_way("COPYSET", *in))};
  }
  const GlobalMetadata copies = metadata_of_copies();
  if (!(owner == copies)) {
    return fmt::format("at rest: the owner has {} {}, and the copies are {} {}", to_string(owner.status),
                       to_text(owner.copyset), to_string(copies.status), to_text(copies.copyset));
  }
  if (copies.status != GlobalStatus::modified && memory_ != last_) {
    return fmt::format("at rest: memory has write {}, the last is {}", memory_, last_);
  }
  return "";
}

}  // namespace racksim::flowcc
