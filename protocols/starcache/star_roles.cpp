// Tables of roles, of own servers and of pipes. See star_roles.hpp.
#include "protocols/starcache/star_roles.hpp"

#include "p4model/language/headers.hpp"
#include "protocols/store/messages.hpp"
#include "protocols/switch_cache/messages.hpp"

namespace racksim::starcache {

namespace {

using p4::Action;
using p4::Block;
using p4::FieldRef;
using store::number;
using store::Op;

/// How many servers of its rack a switch can know.
constexpr std::uint32_t kServers = 256;

class RolesBuilder {
 public:
  RolesBuilder(p4::Program& program, const StarShape& shape, FieldRef role, FieldRef outcome, StarProgram& out)
      : p_(program), shape_(shape), role_(role), outcome_(outcome), out_(out) {}

  // The recirculation port tells cache packets from replies of servers (§3.3). The clone of a write or fetch reply
  // becomes a read reply when it first comes round.
  void find_role(Block& store) {
    auto& cache_packet = p_.action("cache_packet").set(role_, number(Role::cache_packet));
    auto& new_cache_packet =
        p_.action("new_cache_packet").set(role_, number(Role::cache_packet)).set(op_, number(Op::read_reply));
    auto& circulating = p_.table("circulating").key(op_).size(8);
    circulating.entry({number(Op::read_reply)}, cache_packet)
        .entry({number(Op::write_reply)}, new_cache_packet)
        .entry({number(switch_cache::kFetchReply)}, new_cache_packet);
    if (steers_fetches()) {
      // It has been sent here from the pipe of the control CPU's port.
      circulating.entry({number(switch_cache::kFetchRequest)},
                        p_.action("steered_fetch").set(role_, number(Role::fetch)));
    }

    auto& arriving = p_.table("arriving").key(op_).size(8);
    const auto role_of = [&](const char* name, Role role) -> Action& {
      return p_.action(name).set(role_, number(role));
    };
    arriving.entry({number(Op::read_request)}, role_of("read_request", Role::read))
        .entry({number(Op::write_request)}, role_of("write_request", Role::write));
    auto& reply = role_of("reply", Role::reply);
    arriving.entry({number(Op::write_reply)}, reply).entry({number(switch_cache::kFetchReply)}, reply);
    if (shape_.versions) arriving.entry({number(switch_cache::kFetchRequest)}, role_of("fetch_request", Role::fetch));

    store.if_(comes_round()).then([&](Block& b) { b.apply(circulating); }).else_([&](Block& b) {
      b.apply(arriving);
      if (steers_fetches()) steer_fetches(b);
    });
  }

  bool steers_fetches() const { return shape_.versions && shape_.pipes > 1; }

  /// Whether the packet has come by a recirculation port. (As a range it would need more bits than a gateway has.)
  p4::Condition comes_round() {
    const FieldRef port = p_.intrinsics().ingress_port;
    p4::Condition any = port == shape_.recirculation_port;
    for (unsigned pipe = 1; pipe < shape_.pipes; ++pipe) any = any || port == shape_.recirculation_port + pipe;
    return any;
  }

  // An F-REQ whose item is cached in another pipe than that of the control CPU's port: its version is given out there.
  void steer_fetches(Block& arrived) {
    auto& to_pipe = p_.action("to_pipe");
    to_pipe.set(outcome_, number(Outcome::decided))
        .set(p_.intrinsics().ucast_egress_port, to_pipe.data("recirculation_port", 9));
    auto& table = p_.table("fetch_pipe").key(p_.header_field(&p4::Ipv4::dst)).action(to_pipe).size(kServers);
    arrived.if_(role_ == number(Role::fetch)).then([&](Block& b) { b.apply(table); });
    out_.fetch_pipe = &table;
    out_.to_pipe = &to_pipe;
  }

  // Requests for servers of other racks, and replies of those, pass without cache logic (§3.9).
  void pass_others(Block& store) {
    auto& own_server = p_.action("own_server");
    const auto table = [&](const char* name, FieldRef address) -> p4::Table& {
      return p_.table(name).key(address).action(own_server).size(kServers);
    };
    auto& own_request = table("own_request", p_.header_field(&p4::Ipv4::dst));
    auto& own_reply = table("own_reply", p_.header_field(&p4::Ipv4::src));
    const auto apply = [&](Block& b, p4::Table& own) {
      b.apply(own).on_miss(
          [&](Block& other) { other.apply(p_.action("pass_" + own.name).set(role_, number(Role::none))); });
    };
    store.if_(role_ == number(Role::reply)).then([&](Block& b) { apply(b, own_reply); }).else_([&](Block& other) {
      other.if_(role_ != number(Role::cache_packet)).then([&](Block& b) { apply(b, own_request); });
    });
    out_.own_request = &own_request;
    out_.own_reply = &own_reply;
    out_.own_server = &own_server;
  }

 private:
  p4::Program& p_;
  const StarShape& shape_;
  FieldRef role_, outcome_;
  StarProgram& out_;
  FieldRef op_ = p_.header_field(&store::StoreHeader::op);
};

}  // namespace

void append_roles(p4::Program& program, p4::Block& block, const StarShape& shape, p4::FieldRef role,
                  p4::FieldRef outcome, StarProgram& out) {
  RolesBuilder builder(program, shape, role, outcome, out);
  builder.find_role(block);
  if (shape.own_servers_only) builder.pass_others(block);
}

}  // namespace racksim::starcache
