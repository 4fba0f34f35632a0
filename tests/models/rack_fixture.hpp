// A whole rack whose hosts note the packets they get, and switch programs that exercise its parts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/packets/addressing.hpp"
#include "models/rack/rack.hpp"
#include "models/switch/switch_chassis.hpp"
#include "p4model/execute/forwarding.hpp"
#include "p4model/language/headers.hpp"
#include "tests/models/hardware_fixture.hpp"

namespace racksim::models::test {

/// What the tests' packets say; 0 of a packet of other parts.
inline std::uint64_t number_in(const p4::Packet& packet) {
  return packet.content.empty() ? 0 : packet.content.as<std::uint64_t>();
}

struct TestRack {
  struct Host : PacketHandler {
    Host(TestRack& owner, NodeId number) : rack(owner), node(number) {
      qpn = rack.rack.server(node).nic().create_raw_qp(rack.rack.server(node).core(0), *this);
    }
    struct Seen {
      std::uint64_t what, identification;
      sim::Time when;
    };
    void on_packet(p4::PacketRef packet) override {
      seen.push_back({number_in(*packet), packet->get<p4::Ipv4>().identification, rack.calendar.now()});
    }
    TestRack& rack;
    NodeId node;
    std::uint32_t qpn;
    std::vector<Seen> seen;
  };

  /// `services`: see EventLog.
  explicit TestRack(const RackOptions& options = small(), std::uint64_t seed = 1, std::string services = {})
      : event_log(std::move(services)), rack(calendar, event_log, metrics, options, seed) {
    for (std::uint64_t i = 0; i < options.nodes; ++i) {
      hosts.push_back(std::make_unique<Host>(*this, static_cast<NodeId>(i)));
    }
  }

  static RackOptions small() {
    RackOptions options;
    options.cores = 1;
    return options;
  }

  /// Sends a 64-byte frame; `kind` is its UDP source port, which the programs below look at.
  void send(NodeId from, NodeId to, std::uint64_t what, std::uint16_t kind = 9, std::uint32_t frame = 64) {
    auto packet = rack.make_packet(to, kind, static_cast<std::uint16_t>(hosts[to]->qpn));
    packet->payload_bytes = frame - p4::kFcsBytes - packet->header_bytes();
    packet->content = p4::Content::of(std::uint64_t{what});
    rack.server(from).nic().send_raw(models::Qpn{hosts[from]->qpn}, std::move(packet));
  }
  std::uint64_t counter(std::string_view name) const { return std::get<sim::Counter>(metrics.find(name)->value).value; }

  sim::Calendar calendar;
  sim::EventLog event_log;
  sim::Metrics metrics;
  Rack rack;
  std::vector<std::unique_ptr<Host>> hosts;
};

/// Handles of what the switch's program calls so; null if it has no such thing.
inline const p4::RegisterArray* array_of(Rack& rack, std::string_view name) {
  for (const auto& array : rack.chassis().pipeline(0).program().arrays()) {
    if (array.name == name) return &array;
  }
  return nullptr;
}
inline const p4::Table* table_of(Rack& rack, std::string_view name) {
  for (const auto& table : rack.chassis().pipeline(0).program().tables()) {
    if (table.name == name) return &table;
  }
  return nullptr;
}
inline const p4::Action* action_of(Rack& rack, std::string_view name) {
  for (const auto& action : rack.chassis().pipeline(0).program().actions()) {
    if (action.name == name) return &action;
  }
  return nullptr;
}

inline constexpr std::uint16_t kCounted = 10, kResubmitted = 11, kMulticast = 12, kRecirculated = 13;

/// Forwards plainly, and by UDP source port: counts in ingress and stamps the count; resubmits once and stamps the
/// resubmitted value; multicasts to group 1, each copy addressed to the node of its port (in a rack of 8 nodes) and
/// stamped with its rid; recirculates once, then forwards. With `egress_counts`, egress counts all packets per port in
/// a register and stamps multicast copies with the count.
inline std::shared_ptr<const p4::Program> exercise_program(bool egress_counts, std::uint16_t recirculation_port) {
  using namespace p4;
  auto program = std::make_shared<Program>("exercise", "exercises the chassis");
  auto& p = *program;
  append_forwarding_parser(p, Gress::ingress);
  append_forwarding_parser(p, Gress::egress);
  const auto& in = p.intrinsics();
  const auto kind = p.header_field(&Udp::src_port);
  const auto stamp = p.header_field(&Ipv4::identification);
  const auto counted = p.field("counted", 32);
  const auto is_udp = p.valid<Udp>() == 1;

  auto& count = p.register_array("COUNT", Width::single(32), 4);
  auto& increment = count.action("increment");
  increment.update(kLo, AluOperation::add, kLo, 1).output(AluOutput::new_lo);
  auto& do_count = p.action("do_count").execute(increment, 1, counted);
  auto& do_stamp = p.action("do_stamp").set(stamp, counted);
  auto& do_resubmit = p.action("do_resubmit").set(in.resubmit, 1).set(in.resubmit_value, 77);
  auto& second_pass = p.action("second_pass").set(stamp, in.resubmit_data);
  auto& do_multicast = p.action("do_multicast").set(in.mcast_grp_a, 1);
  auto& do_recirculate = p.action("do_recirculate").set(in.ucast_egress_port, recirculation_port);

  auto& ingress = p.ingress();
  ingress.if_(is_udp && kind == kCounted).then([&](Block& b) {
    b.apply(do_count);
    b.apply(do_stamp);
  });
  ingress.if_(is_udp && kind == kResubmitted).then([&](Block& b) {
    b.if_(in.resubmit_flag == 0).then([&](Block& c) { c.apply(do_resubmit); }).else_([&](Block& c) {
      c.apply(second_pass);
    });
  });
  ingress.if_(is_udp && kind == kMulticast).then([&](Block& b) { b.apply(do_multicast); }).else_([&](Block& b) {
    b.if_(is_udp && kind == kRecirculated && in.ingress_port != recirculation_port)
        .then([&](Block& c) { c.apply(do_recirculate); })
        .else_([&](Block& c) { append_forwarding(p, c); });
  });

  auto& address = p.table("address").key(in.egress_port).size(8);
  for (NodeId node = 0; node < 8; ++node) {
    address.entry({node}, p.action("to_node" + std::to_string(node))
                              .set(p.header_field(&Ethernet::dst), mac_of(node))
                              .set(p.header_field(&Ipv4::dst), ipv4_of(node)));
  }
  if (egress_counts) {
    const auto egress_counted = p.field("egress_counted", 32);
    auto& egress_count = p.register_array("EGRESS_COUNT", Width::single(32), 64);
    auto& add = egress_count.action("add");
    add.update(kLo, AluOperation::add, kLo, 1).output(AluOutput::new_lo);
    auto& act = p.action("egress_add").execute(add, in.egress_port, egress_counted);
    auto& write = p.action("egress_stamp").set(stamp, egress_counted);
    p.egress().apply(act);
    p.egress().if_(is_udp && kind == kMulticast).then([&](Block& b) {
      b.apply(write);
      b.apply(address);
    });
  } else {
    auto& write = p.action("rid_stamp").set(stamp, in.egress_rid);
    p.egress().if_(is_udp && kind == kMulticast).then([&](Block& b) {
      b.apply(write);
      b.apply(address);
    });
  }
  return program;
}

}  // namespace racksim::models::test
