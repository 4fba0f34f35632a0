// See migration_watch.hpp.
#include "protocols/flowcc/control/migration_watch.hpp"

#include <fmt/core.h>

#include <utility>

#include "protocols/flowcc/node/memory_node.hpp"
#include "protocols/flowcc/switch/switch_owner.hpp"

namespace racksim::flowcc {

namespace {
constexpr std::size_t kKept = 20;
}

void MigrationWatch::report(const char* kind, Tag tag, std::string what) {
  if (seen_.size() < kKept) {
    seen_.push_back({kind, fmt::format("{}, at {}", what, sim::printed(shared_.calendar.now())), {tag, {}}});
  }
}

MigrationWatch::MigrationWatch(Shared& shared, const SwitchOwner& owner, std::vector<const MemoryNode*> nodes)
    : shared_(shared), owner_(owner), nodes_(std::move(nodes)) {
  way_of_ = owner.ways_of_arrays(kNoWay);
  shared.rack.chassis().pipeline(owner.pipe()).registers().add_observer(*this);
}

void MigrationWatch::after_ingress(const p4::Packet& packet, const p4::IngressMetadata&, const p4::Verdict&) {
  in_pass_ = false;
  for (const Place& place : written_) look_at(place);
  written_.clear();
  if (shared_.recovering) return;
  const FlowCcHeader* h = packet.find<FlowCcHeader>();
  if (h == nullptr || h->message_type() > MessageType::clear || h->tag() + 1 == 0) return;
  // Nobody is granted anything by an unlock, or by the answer to a request that has been looked at.
  const bool moves = shared_.is_home(static_cast<unsigned>(h->requester));  // a home agent asked for it
  if (moves || is_request(h->message_type())) look_for_two_owners(h->tag());
}

void MigrationWatch::look_at(const Place& place) {
  if (shared_.recovering) return;  // who owns which block is being found out
  const auto tag = owner_.block_at(place.way, place.index);
  std::string wrong = owner_.wrong_place(place.way, place.index);
  if (!wrong.empty()) report("wrong-place", tag.value_or(Tag{0}), std::move(wrong));
  if (tag) look_for_two_owners(*tag);
}

void MigrationWatch::look_for_two_owners(Tag tag) {
  const NodeId home = shared_.home_of(tag);
  if (nodes_[home]->crashed()) return;  // it grants nothing
  if (nodes_[home]->home_agent().migration().would_grant(tag) && owner_.metadata(tag)) {
    report("two-owners", tag,
           fmt::format("block {} is in the switch, and its home node {} would grant requests for it",
                       sim::printed_key(tag), home));
  }
}

std::vector<models::Leak> MigrationWatch::at_rest() const {
  std::vector<models::Leak> wrong = owner_.left_scores();
  const auto home_of = [this](Tag tag) -> const HomeMigration& {
    return nodes_[shared_.home_of(tag)]->home_agent().migration();
  };
  owner_.visit_blocks([&](Tag tag) {
    if (home_of(tag).is_away(tag) || shared_.is_homeless(tag)) return;
    wrong.push_back({"two-owners",
                     fmt::format("block {} is in the switch, which its home does not know", sim::printed_key(tag)),
                     {tag, {}}});
  });
  for (const MemoryNode* node : nodes_) {
    node->home_agent().migration().visit_away([&](Tag tag) {
      if (owner_.metadata(tag)) return;
      wrong.push_back(
          {"no-owner",
           fmt::format("the home of block {} takes it to be in the switch, where it is not", sim::printed_key(tag)),
           {tag, {}}});
    });
  }
  for (std::uint64_t index = 0; index < shared_.options.entries_per_way; ++index) {
    for (std::size_t way = 0; way < owner_.ways(); ++way) {
      if (std::string place = owner_.wrong_place(way, index); !place.empty()) wrong.push_back({"wrong-place", place});
    }
  }
  return wrong;
}

}  // namespace racksim::flowcc
