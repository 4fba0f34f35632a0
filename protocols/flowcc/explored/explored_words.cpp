// Steps and states of the exploration in words. See explored_block.hpp.
#include <fmt/format.h>

#include "protocols/flowcc/explored/explored_parts.hpp"

namespace racksim::flowcc {

std::string ExploredFlight::in_words() const {
  constexpr const char* kReceivers[] = {"the home agent", "the cache agent", "requester", "the shadow node"};
  const FlowCcHeader& h = header;
  const auto requester = [&] { return h.requester < 2 ? fmt::format("requester {}", h.requester) : "the home"; };
  if (type == Type::data) return fmt::format("the data (write {}) for event {} of {}", data.value, h.seq, requester());
  if (type == Type::write_back) {
    return fmt::format("the write-back (write {}) of event {} of {}", data.value, h.seq, requester());
  }
  std::string text =
      fmt::format("{} of {} (seq {}, serial {})", to_string(h.message_type()), requester(), h.seq, h.serial);
  if (type == Type::to_switch) return text + " to the switch";
  if (h.is_in_switch != 0) text += " under the switch's lock";
  if (h.message_type() == MessageType::ack || h.receiver == 1) {
    text += fmt::format(", {} {}", to_string(h.metadata().status), to_text(h.metadata().copyset));
  }
  if (h.is_data_provider != 0) text += ", provider";
  if (h.receiver == static_cast<std::uint64_t>(Receiver::requester)) return text + " to " + requester();
  return text + fmt::format(" to {} of node {}", kReceivers[h.receiver], to);
}

std::string ExploredBlock::in_words(const Step& step) const {
  const auto flight = [&] { return ExploredFlight::decoded(flights_[step.index]).in_words(); };
  switch (step.action) {
    case Step::Action::begin:
      return fmt::format("requester {} begins a {}", step.index, to_string(step.type));
    case Step::Action::send:
      return fmt::format("requester {} sends the request that waited for an unlock", step.index);
    case Step::Action::deliver:
      return fmt::format("{} arrives", flight());
    case Step::Action::again:
      return fmt::format("{}: its second pass", ExploredFlight::decoded(again_[step.index]).in_words());
    case Step::Action::lose:
      return fmt::format("{} is lost", flight());
    case Step::Action::duplicate:
      return fmt::format("{} is doubled", flight());
    case Step::Action::request_timeout:
      return fmt::format("requester {} sends its request again{}", step.index, is_still() ? "" : " (too early)");
    case Step::Action::unlock_timeout:
      return fmt::format("requester {} sends its unlock again{}", step.index, is_still() ? "" : " (too early)");
    case Step::Action::move_timeout:
      return fmt::format("the home sends its packet again{}", is_still() ? "" : " (too early)");
    case Step::Action::add:
      return "an epoch ends, and the block is hot";
    case Step::Action::remove:
      return "a hint: the block is cold";
    case Step::Action::foreign:
      return in_way("TAG", step.index) == 0 ? fmt::format("another block takes way {}", step.index + 1)
                                            : fmt::format("way {} becomes free", step.index + 1);
  }
  return "";
}

std::string ExploredBlock::step_in_words(std::string_view state, std::size_t step) {
  load(state);
  looked_at_ = state;
  list_steps();
  return in_words(steps_.at(step));
}

std::string ExploredBlock::state_in_words(std::string_view state) {
  load(state);
  std::string text;
  for (std::size_t i = 0; i < requesters_.size(); ++i) {
    const CacheEntry* copy = requesters_[i]->copy();
    text += fmt::format("requester {} has {}", i,
                        copy == nullptr
                            ? "no copy"
                            : fmt::format("a {} copy of write {}",
                                          copy->state == CacheEntry::State::dirty ? "dirty" : "clean", copy->value));
    const CoherenceEvent& event = requesters_[i]->events.event();
    if (event.active()) text += fmt::format(" and a {} under way", to_string(event.type()));
    text += "; ";
  }
  const GlobalMetadata at_home = home_->directory.metadata(tag());
  text += fmt::format("home: {} {}, memory has write {}", to_string(at_home.status), to_text(at_home.copyset), memory_);
  for (const HomeDirectory::Holder& holder : home_->directory.holders()) {
    text += fmt::format(", locked by {} (seq {})", holder.requester, holder.seq);
  }
  if (const std::string move = home_->migration().describe(); !move.empty()) text += ", " + move;
  for (std::size_t way = 0; way < options_.flowcc.ways; ++way) {
    const std::uint64_t in = in_way("TAG", way);
    text += fmt::format("; way {}: ", way + 1);
    if (!is_in(way)) text += in == 0 ? "free" : "another block";
    if (!is_in(way) && in_way("LOCK", way) == 0) continue;
    text += fmt::format("{} {}, lock {:#x}", to_string(static_cast<GlobalStatus>(in_way("G_STATUS", way))),
                        to_text(static_cast<Copyset>(in_way("COPYSET", way))), in_way("LOCK", way));
  }
  for (const std::string& one : flights_) text += "; under way: " + ExploredFlight::decoded(one).in_words();
  for (const std::string& one : again_) text += "; coming again: " + ExploredFlight::decoded(one).in_words();
  return text;
}

}  // namespace racksim::flowcc
