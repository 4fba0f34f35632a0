// The state of the exploration, and what its steps do. See explored_block.hpp.
#include "protocols/flowcc/explored/explored_block.hpp"

#include <algorithm>
#include <stdexcept>

#include "protocols/flowcc/explored/explored_parts.hpp"
#include "sim/kernel/invariant.hpp"

namespace racksim::flowcc {

namespace {

const sim::Registration<sim::ExplorationEntry> entry({
    .name = "flowcc-migration",
    .doc = "FlowCC: one block that moves between its home and a switch of two ways, and two requesters",
    .make_options = [] { return std::make_unique<ExploreOptions>(); },
});

}  // namespace

std::string ExploredFlight::encoded() const {
  sim::StateWriter writer;
  ExploredFlight(*this).archive(writer);
  return writer.bytes();
}

ExploredFlight ExploredFlight::decoded(const std::string& bytes) {
  ExploredFlight flight;
  sim::StateReader reader(bytes);
  flight.archive(reader);
  return flight;
}

ExploredBlock::ExploredBlock(const ExploreOptions& options)
    : options_(options),
      providers_(options.nodes()),
      switch_(options_.flowcc, {.nodes = options.nodes(), .threads = kThreads, .migrates = true, .locks = 0}) {
  for (NodeId node = 0; node < kThreads; ++node) {
    requesters_.push_back(std::make_unique<Requester>(*this, node));
  }
  home_ = std::make_unique<Home>(*this);
  initial_ = saved();
  if (!options_.in_switch_at_first) return;
  home_->migration().addressed(tag(), 1);
  home_->migration().end_epoch();
  while (!is_still()) run({.action = flights_.empty() ? Step::Action::again : Step::Action::deliver});
  initial_ = saved();
}

ExploredBlock::~ExploredBlock() = default;

std::string ExploredBlock::initial() {
  return initial_;
}

template <class Archive>
void ExploredBlock::archive(Archive& archive) {
  switch_.archive(archive);
  for (auto& requester : requesters_) requester->archive(archive);
  home_->directory.archive(archive);
  archive(memory_, memory_version_, last_);
  archive(counts_.adds, counts_.removes, counts_.foreign, counts_.losses, counts_.duplicates, counts_.timeouts);
  const auto flight = [&](std::string& one) { archive.text(one); };
  archive.list(flights_, flight);
  archive.list(again_, flight);
}

// What loads and saves stands in the header.
template void ExploredBlock::archive(sim::StateReader& archive);
template void ExploredBlock::archive(sim::StateWriter& archive);

void ExploredBlock::run(const Step& step) {
  wrong_.clear();
  const sim::InvariantChecks checked(true);
  try {
    act(step);
    for (auto& requester : requesters_) go_on(*requester);
  } catch (const std::logic_error& broken) {
    wrong_ = broken.what();
  }
}

void ExploredBlock::act(const Step& step) {
  const auto taken_from = [&](std::vector<std::string>& list) {
    ExploredFlight flight = ExploredFlight::decoded(list[step.index]);
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(step.index));
    return flight;
  };
  switch (step.action) {
    case Step::Action::begin:
      return begin(*requesters_[step.index], step.type);
    case Step::Action::send:
      return requesters_[step.index]->events.send_request();
    case Step::Action::deliver:
      return deliver(taken_from(flights_));
    case Step::Action::again:
      return pass(taken_from(again_), true);
    case Step::Action::lose:
      ++counts_.losses;
      taken_from(flights_);
      return;
    case Step::Action::duplicate: {
      ++counts_.duplicates;
      const std::string copy = flights_[step.index];
      flights_.insert(flights_.begin() + static_cast<std::ptrdiff_t>(step.index), copy);
      return;
    }
    case Step::Action::request_timeout:
      note_timeout();
      return requesters_[step.index]->events.send_request_again();
    case Step::Action::unlock_timeout:
      note_timeout();
      return requesters_[step.index]->events.transmit_unlock(step.slot);
    case Step::Action::move_timeout:
      note_timeout();
      return home_->migration().timed_out();
    case Step::Action::add:
      ++counts_.adds;
      home_->migration().addressed(tag(), 1);
      return home_->migration().end_epoch();
    case Step::Action::remove:
      ++counts_.removes;
      return home_->migration().remove(tag());
    case Step::Action::foreign:
      ++counts_.foreign;
      return change_way(step.index);
  }
}

// As a thread that looks into its cache does.
void ExploredBlock::begin(Requester& requester, MessageType type) {
  ++requester.begun;
  LocalCache& cache = requester.cache();
  CacheEntry* entry = cache.find(tag());
  if (entry == nullptr) {
    entry = cache.free_entry(tag());
    cache.assign(*entry, tag());
    entry->state = CacheEntry::State::filling;
  }
  entry->busy = true;
  requester.events.claim(type, tag(), sim::OperationId{}, sim::Time{});
  if (requester.events.may_send()) requester.events.send_request();
}

// Its thread sees at once that an event has its result. No other event can have changed the copy meanwhile, since the
// lock is held. As printed the event is over when its unlock has been sent.
void ExploredBlock::go_on(Requester& requester) {
  EventRunner& events = requester.events;
  if (!events.event().active()) return;
  if (!requester.completed) {
    if (!events.event().settled()) return;
    if (events.event().failed()) return events.give_back();
    complete(requester);
  }
  if (options_.flowcc.idempotence == FlowCcOptions::Idempotence::paper && !events.unlock_is_out(events.event().seq())) {
    return;
  }
  requester.completed = false;
  events.end();
}

// And writes, if that is what it has got the right to.
void ExploredBlock::complete(Requester& requester) {
  EventRunner& events = requester.events;
  const MessageType type = events.event().type();
  events.complete();
  requester.completed = true;
  if (type != MessageType::write_miss && type != MessageType::write_shared) return;
  CacheEntry* entry = requester.cache().find(tag());
  if (entry != nullptr && entry->state == CacheEntry::State::dirty) entry->value = last_ = sim::Value{last_ + 1};
}

void ExploredBlock::deliver(const ExploredFlight& flight) {
  const FlowCcHeader& h = flight.header;
  switch (flight.type) {
    case ExploredFlight::Type::to_switch:
      return pass(flight, false);
    case ExploredFlight::Type::data:
      return requesters_[h.requester]->events.data_landed(static_cast<std::uint32_t>(h.seq), flight.data);
    case ExploredFlight::Type::write_back:
      memory_ = flight.data.value;
      memory_version_ = flight.data.version;
      return requesters_[h.requester]->events.written_back(h.seq);
    case ExploredFlight::Type::to_node:
      break;
  }
  const auto receiver = static_cast<Receiver>(h.receiver);
  if (receiver == Receiver::cache_agent) return requesters_[flight.to]->responder.handle(h, {});
  if (receiver == Receiver::home_agent || h.requester >= kThreads) return home_->directory.handle(h, {});
  requesters_[h.requester]->events.received(h);
}

void ExploredBlock::pass(const ExploredFlight& flight, bool again) {
  left_.clear();
  const auto data = again ? std::optional(flight.again) : std::nullopt;
  if (const auto more = switch_.pass(flight.header, options_.home(), data, left_)) {
    ExploredFlight next = flight;
    next.from = static_cast<NodeId>(flight.header.node_id);  // the port
    next.again = *more;
    insert(again_, next, !options_.ordered_resubmits);
  }
  for (const LeftPacket& left : left_) {
    send({.type = ExploredFlight::Type::to_node,
          .from = ExploredFlight::kSwitch,
          .to = static_cast<NodeId>(left.port),
          .header = left.header});
  }
}

void ExploredBlock::send_data(NodeId from, const FlowCcHeader& request, const BlockData& block) {
  ExploredFlight flight{.type = ExploredFlight::Type::data, .from = from, .to = static_cast<NodeId>(request.node_id)};
  flight.header.requester = request.requester;
  flight.header.seq = request.seq;
  flight.data = block;
  send(flight);
}

// What keeps an order keeps that of its path alone.
void ExploredBlock::insert(std::vector<std::string>& list, const ExploredFlight& flight, bool unordered) {
  ExploredFlight as = flight;
  as.header.provider = 0;
  if (unordered) as.from = 0;
  const std::string bytes = as.encoded();
  if (unordered) {
    list.insert(std::lower_bound(list.begin(), list.end(), bytes), bytes);
    return;
  }
  const auto by_path = [](const std::string& a, const std::string& b) {
    return a.compare(0, ExploredFlight::kPathBytes, b, 0, ExploredFlight::kPathBytes) < 0;
  };
  list.insert(std::upper_bound(list.begin(), list.end(), bytes, by_path), bytes);
}

std::vector<sim::ExplorationOptions::Part> ExploreOptions::build() const {
  std::vector<Part> parts;
  parts.push_back({"block", std::make_unique<ExploredBlock>(*this)});
  return parts;
}

}  // namespace racksim::flowcc
