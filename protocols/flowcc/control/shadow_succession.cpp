// See shadow_succession.hpp.
#include "protocols/flowcc/control/shadow_succession.hpp"

#include <algorithm>

namespace racksim::flowcc {

ShadowSuccession::ShadowSuccession(Shared& shared, SwitchOwner& owner)
    : shared_(shared), owner_(owner), shadows_(shared.rack.nodes()), clock_(shared.calendar, "flowcc/succession") {
  const ShadowOptions& options = shared.options.shadow;
  const unsigned nodes = shared.shape.nodes;
  candidates_.push_back(static_cast<NodeId>(options.node.value_or(nodes)));
  if (options.backup && options.backup_node) {
    candidates_.push_back(static_cast<NodeId>(*options.backup_node));
  } else if (options.backup) {
    for (NodeId node = 0; node < nodes; ++node) candidates_.push_back(node);
  }
  for (const NodeId server : candidates_) {
    if (shadows_[server]) continue;
    const unsigned core = server < nodes ? shared.shape.threads_per_node + 2 : 0;
    shadows_[server] = std::make_unique<ShadowNode>(shared, server, shared.rack.server(server).core(core, "shadow"));
  }
  designate(candidates_.front());
  shared_.shadow_of.assign(nodes, *present_);
  begin_anew(0);
}

void ShadowSuccession::designate(std::optional<NodeId> server) {
  present_ = server;
  ++term_;
  if (!server) return owner_.set_shadow({});
  owner_.set_shadow(SwitchOwner::ShadowAddress{*server, shadows_[*server]->endpoint().raw_qpn()});
}

bool ShadowSuccession::lost(NodeId server, const models::Membership& membership) {
  if (present_ != server) return false;
  const auto next = std::find_if(candidates_.begin(), candidates_.end(),
                                 [&](NodeId candidate) { return membership.is_member(candidate); });
  designate(next != candidates_.end() ? std::optional(*next) : std::nullopt);
  return present_.has_value();
}

bool ShadowSuccession::came_back(NodeId server, const models::Membership& membership) {
  const bool anybody = present_ && *present_ != server && membership.belongs(*present_);
  if (anybody || !shadows_[server]) return false;
  designate(server);
  return true;
}

sim::Task<void> ShadowSuccession::take_over(models::Membership& membership, std::uint32_t incarnation) {
  if (!present_) co_return;
  ShadowNode& shadow = *shadows_[*present_];
  const std::uint64_t term = term_;
  const auto overtaken = [&] { return term != term_ || shared_.recovering || shadow.serves(); };
  if (overtaken()) co_return;
  ++shared_.migration.takeovers.value;
  co_await address();
  if (overtaken()) co_return;
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < shared_.shape.nodes; ++node) {
    if (membership.is_member(node)) nodes.push_back(node);
  }
  co_await membership.round(std::move(nodes), [this](NodeId node) -> sim::Task<void> {
    tell(node);
    co_return;
  });
  if (overtaken()) co_return;
  ShadowNode* const begins = &shadow;
  const bool begun = co_await membership.ask(
      *present_, [this, begins, term, incarnation](NodeId) { return begin(*begins, term, incarnation); });
  if (begun) co_await read(shadow, term, incarnation);
}

sim::Task<void> ShadowSuccession::address() {
  ControlOperations operations(shared_.calendar);
  owner_.address_shadow(operations);
  co_await operations.ended();
}

sim::Task<void> ShadowSuccession::begin(ShadowNode& shadow, std::uint64_t term, std::uint32_t incarnation) {
  if (term == term_ && !shared_.recovering && !shadow.serves()) shadow.begin(incarnation);
  co_return;
}

// What it is told is as old as the way takes. Blocks that have gone meanwhile it asks for once, in vain.
sim::Task<void> ShadowSuccession::read(ShadowNode& shadow, std::uint64_t term, std::uint32_t incarnation) {
  const auto goes_on = [&] {
    return term == term_ && !shared_.recovering && shadow.serves() && shadow.is_of(incarnation);
  };
  const std::uint64_t places = shared_.options.ways * shared_.options.entries_per_way;
  const sim::Duration latency = shared_.options.recovery.membership.latency;
  for (std::uint64_t first = 0; first < places && goes_on(); first += kBatch) {
    const std::uint64_t end = std::min(places, first + kBatch);
    const auto tags = std::make_shared<std::vector<Tag>>();
    ControlOperations operations(shared_.calendar);
    co_await sim::sleep_for(clock_, latency);
    owner_.read_tags(
        first, end, [tags](Tag tag) { tags->push_back(tag); }, operations);
    shared_.migration.tags_read.value += end - first;
    co_await operations.ended();
    co_await sim::sleep_for(clock_, latency);
    if (!goes_on()) co_return;
    for (const Tag tag : *tags) shadow.learn(tag);
  }
}

}  // namespace racksim::flowcc
