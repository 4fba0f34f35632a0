// See shadow_node.hpp.
#include "protocols/flowcc/control/shadow_node.hpp"

#include <cmath>

namespace racksim::flowcc {

ShadowNode::ShadowNode(Shared& shared, NodeId server, models::Core& core)
    : shared_(shared),
      core_(core),
      endpoint_(shared, server, core, *this, *this, shared.options.shadow.work),
      lane_(shared.calendar.add_lane("flowcc/shadow")) {}

void ShadowNode::add_actor(sim::Engine& engine, sim::HostId host) {
  engine.add_actor(
      "shadow", host,
      [this](sim::Engine::Actor& actor) {
        for (;;) {
          actor.sleep(shared_.options.shadow.scan_period);
          actor.post<&ShadowNode::scan>(lane_, *this);
        }
      },
      sim::Engine::Restart::with_host);
}

void ShadowNode::on_packet(p4::PacketRef packet) {
  if (!serves() || shared_.is_stale(*packet, server())) return;
  const FlowCcHeader& h = packet->get<FlowCcHeader>();
  switch (h.message_type()) {
    case MessageType::ack:
      tags_->note(h.tag(), set_of(h.tag()), epoch());
      break;
    case MessageType::failed_ack:
      if (const auto coldest = tags_->take_coldest_of(set_of(h.tag()), epoch())) notify_home(*coldest);
      break;
    case MessageType::heat_report:
    case MessageType::listing: {
      const bool heat = h.message_type() == MessageType::heat_report;
      ++(heat ? shared_.migration.reports : shared_.migration.listings).value;
      const auto report = packet->content.as<HeatReport>();
      core_.charge(ShadowOptions::kWorkPerEntry * static_cast<std::int64_t>(report.size));
      for (std::uint32_t i = 0; i < report.size; ++i) {
        const Heat& block = report.blocks[i];
        tags_->heat(block.tag, set_of(block.tag), block.count, epoch());
      }
      break;
    }
    default:
      break;
  }
}

void ShadowNode::remove_cold() {
  ++shared_.migration.scans.value;
  const auto places = static_cast<double>(tags_->places());
  const auto may_be_taken = static_cast<std::uint64_t>(std::floor(places * (1 - shared_.options.shadow.free_share)));
  if (tags_->used() <= may_be_taken) return;
  for (const Tag tag : tags_->take_coldest(tags_->used() - may_be_taken, epoch())) notify_home(tag);
}

void ShadowNode::notify_home(Tag tag) {
  if (!shared_.options.shadow.active) return;
  FlowCcHeader h;
  h.set_type(MessageType::removal_notice);
  h.receiver = static_cast<std::uint64_t>(Receiver::home_agent);
  h.set_tag(tag);
  ++shared_.migration.notices.value;
  endpoint_.send(h, shared_.home_of(tag), 0);
}

}  // namespace racksim::flowcc
