// StarCache's data plane, written from its stages (StarCache §3.3 to §3.5). See star_program.hpp.
#include "protocols/starcache/star_program.hpp"

#include <fmt/core.h>

#include <bit>

#include "p4model/language/headers.hpp"
#include "protocols/starcache/star_roles.hpp"
#include "protocols/store/messages.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::starcache {

namespace {

using p4::Action;
using p4::AluOperation;
using p4::AluOutput;
using p4::Block;
using p4::Comparison;
using p4::Condition;
using p4::FieldRef;
using p4::kA;
using p4::kB;
using p4::kHi;
using p4::kLo;
using p4::Width;
using store::MeasureHeader;
using store::number;
using store::Op;
using store::SafetyHeader;
using store::Served;
using store::StoreHeader;

constexpr std::uint64_t number(Served served) {
  return static_cast<std::uint64_t>(served);
}

class Builder {
 public:
  explicit Builder(const StarShape& shape)
      : shape_(shape), program_(std::make_shared<p4::Program>("starcache", kDoc)), p_(*program_) {}

  StarProgram build() {
    switch_cache::append_parser(p_, shape_.versions);
    p_.ingress().if_(p_.valid<StoreHeader>() == 1).then([&](Block& store) {
      append_roles(p_, store, shape_, role_, outcome_, out_);
      look_up(store);
    });
    p_.ingress()
        .if_(outcome_ == number(Outcome::forward))
        .then([&](Block& b) { out_.forwarding = p4::append_forwarding(p_, b); })
        .else_(
            [&](Block& b) { b.if_(outcome_ == number(Outcome::clone)).then([&](Block& cloned) { clone(cloned); }); });
    out_.program = program_;
    return std::move(out_);
  }

 private:
  static constexpr const char* kDoc = "StarCache's data plane: hot items circulate and serve the requests that wait";

  void look_up(Block& store) {
    store.apply(switch_cache::make_lookup(p_, index_, shape_.cache_entries, out_))
        .on_hit([&](Block& cached) {
          state(cached);
          cached.apply(p_.action("request_base").shift_left(base_, index_, queue_bits()));
          declare_request_table();
          cached.if_(role_ == number(Role::read)).then([&](Block& b) { read_request(b); }).else_([&](Block& other) {
            other.if_(role_ == number(Role::cache_packet))
                .then([&](Block& b) { cache_packet(b); })
                .else_([&](Block& b) {
                  b.if_(role_ == number(Role::reply) && valid_ != 0).then([&](Block& r) {
                    r.apply(p_.action("clone_reply").set(outcome_, number(Outcome::clone)));
                  });
                  if (shape_.versions) b.if_(begun_ == 1).then([&](Block& begun) { restart_item(begun); });
                });
          });
        })
        .on_miss([&](Block& uncached) {
          // The controller has evicted the key.
          uncached.if_(role_ == number(Role::cache_packet)).then([&](Block& b) { b.apply(drop("drop_evicted")); });
        });
  }

  Action& drop(const char* name) {
    return p_.action(name).set(outcome_, number(Outcome::decided)).set(p_.intrinsics().drop, 1);
  }

  // STATE: what a packet does to it depends on its role alone. Afterwards `valid_` says whether the read request may
  // wait, the cache packet serve, or the reply be cloned.
  void state(Block& cached) {
    if (shape_.versions) compare_with_flag(cached);
    auto& write = p_.action("state_write");
    if (shape_.set_flag) write.set(flag_, 1);
    auto& table = p_.table("state").key(role_).size(8).entry({number(Role::write)}, write);
    if (shape_.versions) {
      versions(table, write);
    } else {
      valid_bit(table, write);
    }
    cached.apply(table);
  }

  // Whether a cache packet is the item's last: a gateway does not compare two fields in order, so it sees the sign of
  // their difference.
  void compare_with_flag(Block& cached) {
    cached.apply(p_.action("from_last").sub(from_last_, p_.header_field(&SafetyHeader::oldest_or_number), flag_));
  }
  Condition is_last() const { return from_last_ < 0x8000'0000; }

  // The printed state table (§3.3): one bit, valid or invalid.
  void valid_bit(p4::Table& table, Action& write) {
    auto& array = p_.register_array("STATE", Width::single(1), shape_.cache_entries);
    out_.state = &array;
    auto& read = array.action("read").output(AluOutput::old_lo);
    auto& look = p_.action("state_read").execute(read, index_, valid_);
    table.entry({number(Role::read)}, look);
    if (shape_.drop_stale) table.entry({number(Role::cache_packet)}, look);
    if (shape_.invalidate) write.execute(array.action("invalidate").set(kLo, 0), index_);
    auto& validate = array.action("validate").set(kLo, 1);
    table.entry({number(Role::reply)}, p_.action("state_reply").execute(validate, index_).set(valid_, 1));
  }

  // The repaired one: lo is the version, hi tells whether a value of it circulates.
  void versions(p4::Table& table, Action& write) {
    const FieldRef version = p_.header_field(&SafetyHeader::version);
    auto& array = p_.register_array("STATE", Width::pair_of(32), shape_.cache_entries);
    out_.state = &array;

    // A read request gets the version if it is valid, which is then never 0.
    auto& read = array.action("read").compare_a(kHi, Comparison::equal, 1);
    if (shape_.invalidate) {
      read.output(AluOutput::old_lo, kA);
    } else {
      // A write that does not invalidate carries the version that it finds. A stateful ALU has four actions, so this
      // one serves both.
      read.compare_b(read.input(op_), Comparison::equal, number(Op::write_request)).output(AluOutput::old_lo, kA | kB);
    }
    table.entry({number(Role::read)}, p_.action("state_read").execute(read, index_, valid_));

    auto& begin = array.action("begin");
    switch_cache::count_up(begin, shape_.largest_version).output(AluOutput::new_lo).set(kHi, 0);
    write.execute(shape_.invalidate ? begin : read, index_, version);
    if (shape_.invalidate) write.set(begun_, 1);
    // A fetch takes a version too, so that its reply is known for old when a write has overtaken it.
    table.entry({number(Role::fetch)}, p_.action("state_fetch").execute(begin, index_, version).set(begun_, 1));

    // Version 0 says that the write passed while its key was not cached.
    auto& install = array.action("install");
    const auto replied = install.input(version);
    install.compare_a(kLo, Comparison::equal, replied).compare_b(replied, Comparison::not_equal, 0);
    install.set(kHi, 1, kA & kB).output(AluOutput::predicate, kA & kB);
    table.entry({number(Role::reply)}, p_.action("state_reply").execute(install, index_, valid_));

    if (!shape_.drop_stale) return;
    auto& current = array.action("current");
    current.compare_a(kLo, Comparison::equal, current.input(version)).compare_b(kHi, Comparison::equal, 1);
    current.output(AluOutput::predicate, kA & kB);
    table.entry({number(Role::cache_packet)}, p_.action("state_cache_packet").execute(current, index_, valid_));
  }

  unsigned queue_bits() const { return static_cast<unsigned>(std::bit_width(shape_.queue_size) - 1); }

  // Six arrays (§3.4); the ACKed-packet counter of §3.9 is the other half of the length, so that both change at once.
  void declare_request_table() {
    const std::uint64_t keys = shape_.cache_entries, requests = keys * shape_.queue_size;
    queue_ = &p_.register_array("QUEUE", Width::pair_of(32), keys);
    front_ = &p_.register_array("FRONT", Width::single(32), keys);
    rear_ = &p_.register_array("REAR", Width::single(32), keys);
    client_ip_ = &p_.register_array("CLIENT_IP", Width::single(32), requests);
    client_port_ = &p_.register_array("CLIENT_PORT", Width::single(16), requests);
    client_seq_ = &p_.register_array("CLIENT_SEQ", Width::single(32), requests);
    out_.queue = queue_;
    out_.front = front_;
    out_.rear = rear_;
    out_.client_ip = client_ip_;
    out_.client_port = client_port_;
    out_.client_seq = client_seq_;
  }

  /// Takes a pointer's offset and moves the pointer to the next slot of its circle (Figure 5).
  p4::RegisterAction& advance(p4::RegisterArray& pointer) {
    return pointer.action("advance")
        .compare_a(kLo, Comparison::equal, shape_.queue_size - 1)
        .set(kLo, 0, kA)
        .update(kLo, AluOperation::add, kLo, 1, ~kA)
        .output(AluOutput::old_lo);
  }

  // A read request for a cached key (§3.3): counted whatever becomes of it, then put into the queue of its key, whence
  // a cache packet will fetch it. With an invalid value or a full queue it goes on to the server.
  void read_request(Block& read) {
    auto& count_hit = switch_cache::make_read_counter(p_, "count_hit", index_, shape_.cache_entries, out_);
    auto& overflow = p_.register_array("OVERFLOW", Width::single(32), 1);
    out_.overflow = &overflow;
    read.apply(count_hit);

    auto& enter = queue_->action("enter");
    enter.compare_a(kLo, Comparison::less, shape_.queue_size)
        .update(kLo, AluOperation::add, kLo, 1, kA)
        .output(AluOutput::predicate, kA);
    auto& overflowed = p_.action("count_overflow")
                           .execute(switch_cache::count_one(overflow), 0)
                           .set(p_.header_field(&MeasureHeader::cached), number(Served::overflow));
    read.if_(valid_ != 0).then([&](Block& valid) {
      valid.apply(p_.action("queue_enter").execute(enter, index_, entered_));
      valid.if_(entered_ == 0).then([&](Block& full) { full.apply(overflowed); }).else_([&](Block& b) {
        b.apply(p_.action("rear_advance").execute(advance(*rear_), index_, offset_));
        b.apply(drop("drop_waiting"));
        b.apply(p_.action("rear_index").add(request_index_, base_, offset_));
        const auto put = [&](const char* name, p4::RegisterArray& array, FieldRef from) {
          auto& store = array.action("put");
          store.set(kLo, store.input(from));
          b.apply(p_.action(name).execute(store, request_index_));
        };
        put("put_client_ip", *client_ip_, p_.header_field(&p4::Ipv4::src));
        put("put_client_port", *client_port_, p_.header_field(&p4::Udp::src_port));
        put("put_client_seq", *client_seq_, p_.header_field(&StoreHeader::seq));
      });
    });
  }

  // A cache packet (§3.3): dropped when stale, else it serves the front request of its key's queue or goes round again.
  void cache_packet(Block& packet) {
    if (!shape_.drop_stale) return serve(packet);
    packet.if_(valid_ != 0).then([&](Block& b) { serve(b); }).else_([&](Block& b) { b.apply(drop("drop_stale")); });
  }

  // A write or fetch begins: none of the packets that circulate will be served any more, so the request at the front
  // gets all packets of the next value. As printed it would get the rest of them alone, and its client wait for ever.
  void restart_item(Block& begun) {
    begun.apply(p_.action("queue_restart").execute(queue_->action("restart").set(kHi, 1), index_));
  }

  // FLAG is the number of packets of the item (§3.9). The request at the front leaves with the last of them. Printed,
  // that is when the counter of ACKed packets equals FLAG, whichever packets they were.
  void take(Block& packet) {
    auto& take = queue_->action("take");
    take.compare_a(kLo, Comparison::greater, 0).compare_b(kHi, Comparison::equal, take.input(flag_));
    take.update(kLo, AluOperation::sub, kLo, 1, kA & kB)
        .set(kHi, 1, kA & kB)
        .update(kHi, AluOperation::add, kHi, 1, kA & ~kB)
        .output(AluOutput::old_hi, kA);  // counts from 1, so 0 says that nobody waits
    packet.apply(p_.action("queue_take").execute(take, index_, acked_));
  }

  // Repaired, a packet is served in its turn alone: the first packet of a new value may come round again before the
  // next has arrived, packets may circulate twice or have changed places, and the request must get each of them.
  void take_in_turn(Block& packet) {
    const FieldRef number = p_.header_field(&SafetyHeader::oldest_or_number);
    const auto in_turn = [&](const char* name) -> p4::RegisterAction& {
      auto& take = queue_->action(name);
      take.compare_a(kLo, Comparison::greater, 0).compare_b(kHi, Comparison::equal, take.input(number));
      return take.output(AluOutput::old_hi, kA & kB);
    };
    auto& next = in_turn("take_next").update(kHi, AluOperation::add, kHi, 1, kA & kB);
    auto& last = in_turn("take_last").update(kLo, AluOperation::sub, kLo, 1, kA & kB).set(kHi, 1, kA & kB);
    packet.if_(is_last())
        .then([&](Block& b) { b.apply(p_.action("queue_take_last").execute(last, index_, acked_)); })
        .else_([&](Block& b) { b.apply(p_.action("queue_take_next").execute(next, index_, acked_)); });
  }

  void serve(Block& packet) {
    shape_.versions ? take_in_turn(packet) : take(packet);
    auto& go_round = p_.action("go_round").set(outcome_, number(Outcome::decided));
    if (shape_.pipes == 1) {
      go_round.set(p_.intrinsics().ucast_egress_port, shape_.recirculation_port);
    } else {
      go_round.set(p_.intrinsics().ucast_egress_port, p_.intrinsics().ingress_port);
    }
    // A counter that stands above the FLAG of a newer, shorter value never meets it as printed, and the queue stands
    // still. Repaired, who was served in turn has its number acknowledged.
    const Condition last = shape_.versions ? is_last() : acked_ == flag_;
    packet.if_(acked_ == 0).then([&](Block& b) { b.apply(go_round); }).else_([&](Block& b) {
      auto& peek = front_->action("peek").output(AluOutput::old_lo);
      b.if_(last)
          .then([&](Block& done) { done.apply(p_.action("front_advance").execute(advance(*front_), index_, offset_)); })
          .else_([&](Block& more) { more.apply(p_.action("front_peek").execute(peek, index_, offset_)); });
      b.apply(p_.action("served")
                  .set(outcome_, number(Outcome::clone))
                  .set(p_.header_field(&MeasureHeader::cached), number(Served::by_switch)));
      b.apply(p_.action("front_index").add(request_index_, base_, offset_));
      const auto get = [&](const char* name, p4::RegisterArray& array, FieldRef to) {
        b.apply(p_.action(name).execute(array.action("get").output(AluOutput::old_lo), request_index_, to));
      };
      get("get_client_ip", *client_ip_, p_.header_field(&p4::Ipv4::dst));
      get("get_client_port", *client_port_, p_.header_field(&p4::Udp::dst_port));
      get("get_client_seq", *client_seq_, p_.header_field(&StoreHeader::seq));
    });
  }

  // The cloning module (§3.5): the destination's group has its port and the recirculation port.
  void clone(Block& cloned) {
    auto& clone_to = p_.action("clone_to");
    clone_to.set(p_.intrinsics().mcast_grp_a, clone_to.data("group", 16))
        .set(p_.header_field(&p4::Ethernet::dst), clone_to.data("mac", 48));
    auto& table = p_.table("clone").key(p_.header_field(&p4::Ipv4::dst)).action(clone_to).size(p4::kForwardingEntries);
    cloned.apply(table);
    out_.clone = &table;
    out_.clone_to = &clone_to;
  }

  StarShape shape_;
  std::shared_ptr<p4::Program> program_;
  p4::Program& p_;
  StarProgram out_;
  p4::RegisterArray *queue_ = nullptr, *front_ = nullptr, *rear_ = nullptr, *client_ip_ = nullptr,
                    *client_port_ = nullptr, *client_seq_ = nullptr;

  FieldRef op_ = p_.header_field(&StoreHeader::op), flag_ = p_.header_field(&StoreHeader::flag);
  FieldRef role_ = p_.field("role", 3), outcome_ = p_.field("outcome", 2), index_ = p_.field("index", 16),
           base_ = p_.field("request_base", 32), valid_ = p_.field("valid", 32), entered_ = p_.field("entered", 1),
           begun_ = p_.field("begun", 1), acked_ = p_.field("acked", 32), offset_ = p_.field("offset", 32),
           from_last_ = p_.field("from_last", 32), request_index_ = p_.field("request_index", 32);
};

void check(const StarShape& shape) {
  if (shape.cache_entries == 0 || shape.cache_entries > kMostEntries) {
    throw sim::OptionError("cache_entries", fmt::format("a cache of {} keys", shape.cache_entries),
                           fmt::format("1 to {}, which the lookup table's index of 16 bits tells apart", kMostEntries));
  }
  if (!std::has_single_bit(shape.queue_size)) {
    throw sim::OptionError("queue_size", fmt::format("a queue of {} requests per key", shape.queue_size),
                           "a power of two, since the switch multiplies by shifting");
  }
  if (shape.queue_size > kMostRequests / shape.cache_entries) {
    throw sim::OptionError(
        "cache_entries", fmt::format("{} keys with {} requests each", shape.cache_entries, shape.queue_size),
        fmt::format("at most {} keys with this queue size: a register array holds {} words of 32 bits",
                    kMostRequests / shape.queue_size, kMostRequests));
  }
}

}  // namespace

StarProgram make_star_program(const StarShape& shape) {
  check(shape);
  return Builder(shape).build();
}

}  // namespace racksim::starcache
