// Events of hand-overs, each through its table. See hand_over.hpp.
#include "protocols/cckvs/keys/hand_over.hpp"

#include <utility>

#include "protocols/cckvs/keys/home_step.hpp"
#include "protocols/cckvs/keys/member_step.hpp"

namespace racksim::cckvs {

HandOver::HandOver(NodeId self, std::uint32_t nodes, const Rules& rules, Cache& cache, HandOverOutbox& outbox,
                   sim::CoverageProbe coverage)
    : self_(self), nodes_(nodes), rules_(rules), cache_(cache), outbox_(outbox), coverage_(coverage) {}

HandOver::Part HandOver::part_of(sim::Key key) const {
  const Part* part = parts_.find(key);
  return part == nullptr ? Part{} : *part;
}
void HandOver::set_part(sim::Key key, const Part& part) {
  if (part.home == HomeState::store && part.member == MemberState::absent) {
    parts_.erase(key);
  } else {
    parts_[key] = part;
  }
}

void HandOver::begin_cached(sim::Key key, NodeId home) {
  const bool is_home = home == self_;
  set_part(key, {is_home ? HomeState::cached : HomeState::store, is_home ? MemberState::absent : MemberState::active,
                 static_cast<std::uint8_t>(home)});
}

void HandOver::run_home(HomeStep& step, HomeEvent event) {
  Part part = part_of(step.key);
  const HomeState before = part.home;
  part.home_node = static_cast<std::uint8_t>(self_);
  HomeStep::execute(part.home, event, step, coverage_);
  if (part.home == before) return;
  set_part(step.key, part);
  release(step.key);
  settle(step.key);  // a home that seals may have nothing to wait for itself
}
void HandOver::run_member(MemberStep& step, MemberEvent event) {
  Part part = part_of(step.key);
  part.home_node = static_cast<std::uint8_t>(step.home);
  MemberStep::execute(part.member, event, step, coverage_);
  set_part(step.key, part);
}

void HandOver::order_install(sim::Key key) {
  HomeStep step{.at = *this, .key = key};
  run_home(step, HomeEvent::install);
}
void HandOver::order_evict(sim::Key key) {
  HomeStep step{.at = *this, .key = key};
  run_home(step, HomeEvent::evict);
}
void HandOver::request(sim::Key key, const Stalled& operation) {
  HomeStep step{.at = *this, .key = key, .request = &operation};
  run_home(step, operation.is_put ? HomeEvent::put : HomeEvent::get);
}
void HandOver::receive_installed(NodeId from, sim::Key key) {
  HomeStep step{.at = *this, .key = key, .from = from};
  run_home(step, HomeEvent::installed);
}
void HandOver::receive_sealed(NodeId from, sim::Key key, const std::optional<Stored>& copy) {
  HomeStep step{.at = *this, .key = key, .from = from, .copy = copy};
  run_home(step, HomeEvent::sealed);
}

// Those that have to wait again are held again, in their order.
void HandOver::release(sim::Key key) {
  const HomeState state = part_of(key).home;
  Change* change = changes_.find(key);
  if (change == nullptr || (state != HomeState::store && state != HomeState::cached)) return;
  const std::vector<Stalled> held = std::exchange(change->held, {});
  changes_.erase(key);
  for (const Stalled& operation : held) request(key, operation);
}

void HandOver::receive_install(NodeId home, sim::Key key, const Stored& copy) {
  MemberStep step{.at = *this, .key = key, .home = home, .copy = &copy};
  run_member(step, MemberEvent::install);
}
void HandOver::receive_activate(sim::Key key) {
  MemberStep step{.at = *this, .key = key, .home = part_of(key).home_node};
  run_member(step, MemberEvent::activate);
}
void HandOver::receive_seal(sim::Key key) {
  MemberStep step{.at = *this, .key = key, .home = part_of(key).home_node};
  run_member(step, MemberEvent::seal);
}
void HandOver::receive_done(sim::Key key) {
  MemberStep step{.at = *this, .key = key, .home = part_of(key).home_node};
  run_member(step, MemberEvent::done);
}
void HandOver::receive_answer(NodeId home, sim::Key key, const Stored& stored) {
  if (rules_.consistency != Consistency::sc || rules_.hand_over == Rules::HandOver::answers_ignored) return;
  cache_.receive_update(home, key, stored.timestamp, stored.value);
}

bool HandOver::has_own_puts(sim::Key key) const {
  const Work* work = cache_.work(key);
  return work != nullptr && !work->puts.empty();
}
std::optional<Stored> HandOver::valid_copy(sim::Key key) const {
  const Entry& entry = *cache_.find(key);
  if (entry.header.state != CacheState::valid) return std::nullopt;
  return Stored{entry.header.timestamp(), entry.value};
}

void HandOver::settle(sim::Key key) {
  const Part part = part_of(key);
  if (has_own_puts(key)) return;
  if (part.home == HomeState::sealing && !changes_[key].answered.test(self_)) {
    receive_sealed(self_, key, valid_copy(key));
  }
  if (part.member == MemberState::sealing || part.member == MemberState::leaving) {
    MemberStep step{.at = *this, .key = key, .home = part.home_node};
    run_member(step, MemberEvent::puts_over);
  }
}

void HandOver::restore(sim::Key key, const Part& part, const Change& change) {
  set_part(key, part);
  const bool changes = part.home == HomeState::installing || part.home == HomeState::sealing;
  if (changes) {
    changes_[key] = change;
  } else {
    changes_.erase(key);
  }
}

}  // namespace racksim::cckvs
