// DIRTY, SNAPSHOT, SAVED and OLD. See write_back.hpp.
#include "protocols/starcache/write_back.hpp"

#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"
#include "protocols/starcache/star_roles.hpp"
#include "protocols/store/messages.hpp"

namespace racksim::starcache {

namespace {

using p4::AluOutput;
using p4::Block;
using p4::Comparison;
using p4::FieldRef;
using p4::kA;
using p4::kLo;
using p4::Width;
using store::Op;
using store::SafetyHeader;

class WriteBack {
 public:
  WriteBack(p4::Program& program, const StarShape& shape, const WriteBackFields& fields)
      : p_(program), shape_(shape), fields_(fields) {}

  void append(Block& cached) {
    cached.if_(fields_.role == number(Role::write)).then([&](Block& b) { write_request(b); }).else_([&](Block& other) {
      other.if_(fields_.role == number(Role::cache_packet)).then([&](Block& b) {
        b.if_(fields_.valid != 0)
            .then([&](Block& current) {
              current.if_(fields_.evicting == 1).then([&](Block& leaving) { write_out(leaving); });
            })
            .else_([&](Block& stale) { save(stale); });
      });
    });
  }

 private:
  p4::RegisterArray& per_key(const char* name, unsigned bits) {
    return p_.register_array(name, Width::single(bits), shape_.cache_entries);
  }

  void write_request(Block& write) {
    // The packet turns round: what goes to the client is cloned, and its clone circulates from now on.
    const FieldRef from = p_.header_field(&p4::Ipv4::src), to = p_.header_field(&p4::Ipv4::dst);
    const FieldRef from_port = p_.header_field(&p4::Udp::src_port), to_port = p_.header_field(&p4::Udp::dst_port);
    write.apply(p_.action("answer_write")
                    .set(from, to)
                    .set(to, from)
                    .set(from_port, to_port)
                    .set(to_port, from_port)
                    .set(p_.header_field(&store::StoreHeader::op), store::number(Op::write_reply))
                    .set(fields_.outcome, number(Outcome::clone)));
    write.apply(p_.action("mark_dirty").execute(dirty_.action("mark").set(kLo, 1), fields_.index));
    auto& snapshot = p_.register_array("SNAPSHOT", Width::single(1), 1);
    write.apply(
        p_.action("look_for_snapshot").execute(snapshot.action("read").output(AluOutput::old_lo), 0, in_snapshot_));
    write.if_(in_snapshot_ != 0).then([&](Block& b) {
      auto& first = per_key("SAVED", 1).action("set_once");
      first.set(kLo, 1).output(AluOutput::old_lo);
      b.apply(p_.action("saved_before").execute(first, fields_.index, saved_before_));
      b.apply(p_.action("version_before").sub(old_version_, p_.header_field(&SafetyHeader::version), 1));
      auto& note = old_.action("note");
      note.set(kLo, note.input(old_version_));
      b.if_(saved_before_ == 0).then([&](Block& c) { c.apply(p_.action("note_old").execute(note, fields_.index)); });
    });
  }

  // A cache packet whose key leaves the cache: to its server, which the lookup table's row tells.
  void write_out(Block& leaving) {
    leaving.apply(
        p_.action("look_for_dirty").execute(dirty_.action("read").output(AluOutput::old_lo), fields_.index, is_dirty_));
    auto& to_server = p_.action("to_server");
    to_server.set(p_.header_field(&p4::Ipv4::dst), to_server.data("ip", 32))
        .set(p_.header_field(&p4::Ethernet::dst), to_server.data("mac", 48))
        .set(p_.header_field(&store::StoreHeader::op), store::number(Op::write_request))
        .set(fields_.outcome, number(Outcome::forward));
    auto& servers = p_.table("server_of_row")
                        .key(fields_.index)
                        .action(to_server)
                        .size(static_cast<std::uint32_t>(shape_.cache_entries));
    leaving.if_(is_dirty_ != 0).then([&](Block& b) { b.apply(servers); });
  }

  // A cache packet that a write has made old: to the controller, if it is of the snapshot.
  void save(Block& stale) {
    auto& is_old = old_.action("is_it");
    is_old.compare_a(kLo, Comparison::equal, is_old.input(p_.header_field(&SafetyHeader::version)))
        .output(AluOutput::predicate, kA);
    stale.apply(p_.action("look_for_old").execute(is_old, fields_.index, is_old_));
    auto& to_controller = p_.action("to_controller");
    to_controller.set(p_.header_field(&p4::Ipv4::dst), to_controller.data("ip", 32))
        .set(p_.header_field(&p4::Ethernet::dst), to_controller.data("mac", 48))
        .set(p_.intrinsics().drop, 0)
        .set(fields_.outcome, number(Outcome::forward));
    auto& controller = p_.table("snapshot_controller").key(is_old_).action(to_controller).size(2);
    stale.apply(controller);
  }

  p4::Program& p_;
  const StarShape& shape_;
  WriteBackFields fields_;
  p4::RegisterArray& dirty_ = per_key("DIRTY", 1);
  p4::RegisterArray& old_ = per_key("OLD", 32);
  FieldRef in_snapshot_ = p_.field("in_snapshot", 1), saved_before_ = p_.field("saved_before", 1),
           old_version_ = p_.field("old_version", 32), is_dirty_ = p_.field("is_dirty", 1),
           is_old_ = p_.field("is_old", 1);
};

const sim::Registration<p4::ProgramEntry> write_back_program({
    .name = "starcache-write-back",
    .doc = "a sketch of StarCache with write-back caching and snapshots (StarCache §3.10), to be fitted only",
    .make =
        [] {
          StarShape shape;
          shape.versions = true;
          shape.write_back = true;
          return make_star_program(shape).program;
        },
});

}  // namespace

void append_write_back(p4::Program& program, p4::Block& cached, const StarShape& shape, const WriteBackFields& fields) {
  WriteBack(program, shape, fields).append(cached);
}

}  // namespace racksim::starcache
