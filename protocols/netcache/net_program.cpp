// NetCache's data plane, written from its modules (NetCache §4.4). See net_program.hpp.
#include "protocols/netcache/net_program.hpp"

#include <fmt/core.h>

#include <bit>
#include <string>

#include "p4model/language/headers.hpp"
#include "p4model/language/program.hpp"
#include "protocols/netcache/messages.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "sim/options/option_error.hpp"

namespace racksim::netcache {

namespace {

using p4::Action;
using p4::AluOperation;
using p4::AluOutput;
using p4::Block;
using p4::Comparison;
using p4::CrcKind;
using p4::FieldRef;
using p4::kA;
using p4::kHi;
using p4::kLo;
using p4::Width;
using store::MeasureHeader;
using store::number;
using store::Op;
using store::SafetyHeader;
using store::Served;
using store::StoreHeader;
using store::ValueHeader;

/// What a packet is to the cache. `none` passes without cache logic: replies of servers, CRN-REQ, and F-REQ where
/// fetches have no version.
enum class Role : std::uint8_t { none, read, write, fetch, update };

constexpr std::uint64_t number(Role role) {
  return static_cast<std::uint64_t>(role);
}

/// A hash unit: which CRC, and over the halves of the key in which order.
struct Hashing {
  CrcKind kind;
  bool low_first;
};
constexpr Hashing kSketchHashes[kSketchRows] = {
    {CrcKind::crc32, false}, {CrcKind::crc32c, false}, {CrcKind::crc32d, false}, {CrcKind::crc32, true}};
constexpr Hashing kBloomHashes[kBloomArrays] = {
    {CrcKind::crc32c, true}, {CrcKind::crc32d, true}, {CrcKind::crc32, false}};

unsigned bits_of(std::uint64_t width) {
  return static_cast<unsigned>(std::bit_width(width) - 1);
}

class Builder {
 public:
  explicit Builder(const NetShape& shape)
      : shape_(shape), program_(std::make_shared<p4::Program>("netcache", kDoc)), p_(*program_) {}

  NetProgram build() {
    parser();
    p_.ingress().if_(p_.valid<StoreHeader>() == 1).then([&](Block& store) {
      find_role(store);
      look_up(store);
      store.if_(role_ == number(Role::update) || valid_ == 1).then([&](Block& b) { turn_round(b); });
    });
    p_.ingress().if_(turned_ == 0).then([&](Block& b) { out_.forwarding = p4::append_forwarding(p_, b); });
    out_.program = program_;
    return std::move(out_);
  }

 private:
  static constexpr const char* kDoc = "NetCache's data plane: values of hot items in switch memory";

  void parser() {
    switch_cache::append_parser(p_, shape_.versions).select(op_, {{number(kCacheUpdate), "value"}});
    p_.parser_state<ValueHeader>(p4::Gress::ingress, "value");
  }

  void find_role(Block& store) {
    auto& roles = p_.table("role").key(op_).size(8);
    const auto role_of = [&](const char* name, Role role) -> Action& {
      return p_.action(name).set(role_, number(role));
    };
    roles.entry({number(Op::read_request)}, role_of("read_request", Role::read))
        .entry({number(Op::write_request)}, role_of("write_request", Role::write))
        .entry({number(kCacheUpdate)}, role_of("cache_update", Role::update));
    if (shape_.versions) roles.entry({number(switch_cache::kFetchRequest)}, role_of("fetch_request", Role::fetch));
    store.apply(roles);
  }

  void look_up(Block& store) {
    store.apply(switch_cache::make_lookup(p_, index_, shape_.cache_entries, out_))
        .on_hit([&](Block& cached) {
          state(cached);
          cached.if_(valid_ == 1).then([&](Block& b) {
            count_read(b);
            values(b);
          });
        })
        .on_miss([&](Block& uncached) {
          if (!shape_.detect) return;
          uncached.if_(role_ == number(Role::read)).then([&](Block& b) { detect(b); });
        });
  }

  // STATE. Afterwards `valid_` says whether a read is answered here, or an update taken.
  void state(Block& cached) {
    auto& table = p_.table("state").key(role_).size(8);
    if (shape_.versions) {
      versions(table);
    } else {
      valid_bit(table);
    }
    cached.apply(table);
  }

  // The printed cache status (NetCache §4.4.2): a bit, valid or invalid.
  void valid_bit(p4::Table& table) {
    auto& array = p_.register_array("STATE", Width::single(1), shape_.cache_entries);
    out_.state = &array;
    auto& read = array.action("read").output(AluOutput::old_lo);
    auto& validate = array.action("validate").set(kLo, 1);
    table.entry({number(Role::read)}, p_.action("state_read").execute(read, index_, valid_))
        .entry({number(Role::update)}, p_.action("state_update").execute(validate, index_).set(valid_, 1));
    if (!shape_.invalidate) return;
    auto& invalidate = array.action("invalidate").set(kLo, 0);
    table.entry({number(Role::write)}, p_.action("state_write").execute(invalidate, index_));
  }

  // With versions: lo counts the writes and fetches, hi tells whether the value of the latest is here.
  void versions(p4::Table& table) {
    const FieldRef version = p_.header_field(&SafetyHeader::version);
    auto& array = p_.register_array("STATE", Width::pair_of(32), shape_.cache_entries);
    out_.state = &array;

    auto& read = array.action("read").compare_a(kHi, Comparison::equal, 1).output(AluOutput::predicate, kA);
    table.entry({number(Role::read)}, p_.action("state_read").execute(read, index_, valid_));

    auto& begin = array.action("begin");
    switch_cache::count_up(begin, shape_.largest_version).output(AluOutput::new_lo);
    if (shape_.invalidate) begin.set(kHi, 0);
    table.entry({number(Role::write)}, p_.action("state_write").execute(begin, index_, version));
    // A fetch takes a version too, so that its update is known for old when a write has overtaken it.
    table.entry({number(Role::fetch)}, p_.action("state_fetch").execute(begin, index_, version));

    auto& install = array.action("install");
    if (shape_.ordered_updates) {
      install.compare_a(kLo, Comparison::equal, install.input(version))
          .set(kHi, 1, kA)
          .output(AluOutput::predicate, kA);
    } else {
      install.set(kHi, 1).output(AluOutput::predicate);
    }
    table.entry({number(Role::update)}, p_.action("state_update").execute(install, index_, valid_));
  }

  // The counters of the cached keys (NetCache §4.4.3).
  void count_read(Block& valid) {
    auto& count = switch_cache::make_read_counter(p_, "count_read", index_, shape_.cache_entries, out_);
    valid.if_(role_ == number(Role::read)).then([&](Block& b) { b.apply(count); });
  }

  // Eight bytes a stage (StarCache §5.1). An update puts them there, a read takes them along.
  void values(Block& valid) {
    for (unsigned stage = 0; stage < kValueStages; ++stage) {
      auto& get = p_.action(fmt::format("get_value_{}", stage));
      auto& put = p_.action(fmt::format("put_value_{}", stage));
      for (unsigned i = stage * kArraysPerStage; i < (stage + 1) * kArraysPerStage; ++i) {
        const FieldRef word = p_.header_field<ValueHeader>(ValueHeader::kLayout.fields[i].name);
        auto& array = p_.register_array(fmt::format("VALUE{}", i), Width::single(32), shape_.cache_entries)
                          .stage(static_cast<int>(kFirstValueStage + stage));
        out_.values[i] = &array;
        get.execute(array.action("get").output(AluOutput::old_lo), index_, word);
        auto& store = array.action("put");
        store.set(kLo, store.input(word));
        put.execute(store, index_);
      }
      auto& table = p_.table(fmt::format("value_{}", stage)).key(role_).size(4);
      table.entry({number(Role::read)}, get).entry({number(Role::update)}, put);
      valid.apply(table);
    }
  }

  p4::HashRef hash(const std::string& name, const Hashing& hashing, unsigned bits) {
    std::vector<FieldRef> fields{key_high_, key_low_};
    if (hashing.low_first) std::swap(fields[0], fields[1]);
    return p_.hash(name, std::move(fields), bits, hashing.kind);
  }

  // Heavy hitters among uncached keys (NetCache §4.4.3): a count-min sketch says that a key is hot when all its
  // counters have reached the threshold, a Bloom filter that it has been reported already.
  void detect(Block& read) {
    const std::uint64_t slots = shape_.sketch_width, bits = slots * kBloomPerSketch;
    FieldRef hot[kSketchRows], seen[kBloomArrays];
    for (unsigned i = 0; i < kSketchRows; ++i) {
      auto& row = p_.register_array(fmt::format("SKETCH{}", i), Width::single(16), slots);
      out_.sketch[i] = &row;
      hot[i] = p_.field(fmt::format("hot_{}", i), 1);
      auto& count = row.action("count")
                        .compare_a(kLo, Comparison::greater_equal, shape_.threshold - 1)
                        .update(kLo, AluOperation::add_saturating, kLo, 1)
                        .output(AluOutput::predicate, kA);
      const auto slot = hash(fmt::format("sketch_slot_{}", i), kSketchHashes[i], bits_of(slots));
      read.apply(p_.action(fmt::format("sketch_{}", i)).execute(count, slot, hot[i]));
    }
    const p4::Condition is_hot = hot[0] == 1 && hot[1] == 1 && hot[2] == 1 && hot[3] == 1;
    read.if_(is_hot).then([&](Block& b) {
      for (unsigned i = 0; i < kBloomArrays; ++i) {
        auto& array = p_.register_array(fmt::format("BLOOM{}", i), Width::single(1), bits);
        out_.bloom[i] = &array;
        seen[i] = p_.field(fmt::format("seen_{}", i), 1);
        auto& mark = array.action("mark").set(kLo, 1).output(AluOutput::old_lo);
        const auto slot = hash(fmt::format("bloom_slot_{}", i), kBloomHashes[i], bits_of(bits));
        b.apply(p_.action(fmt::format("bloom_{}", i)).execute(mark, slot, seen[i]));
      }
      auto& report = p_.action("report_hot_key").set(p_.intrinsics().mcast_grp_a, kReportGroup);
      b.if_(seen[0] == 0 || seen[1] == 0 || seen[2] == 0).then([&](Block& fresh) { fresh.apply(report); });
    });
  }

  // The reply to a read, or the acknowledgement of an update, leaves by the port by which the request came (NetCache
  // §4.2: the switch "swaps the source and destination addresses and ports").
  void turn_round(Block& b) {
    const auto swap = [&](Action& action, FieldRef x, FieldRef y) { action.set(x, y).set(y, x); };
    const auto answer = [&](const char* name, Op op) -> Action& {
      auto& action = p_.action(name).set(op_, number(op)).set(turned_, 1);
      swap(action, p_.header_field(&p4::Ethernet::src), p_.header_field(&p4::Ethernet::dst));
      swap(action, p_.header_field(&p4::Ipv4::src), p_.header_field(&p4::Ipv4::dst));
      swap(action, p_.header_field(&p4::Udp::src_port), p_.header_field(&p4::Udp::dst_port));
      return action.set(p_.intrinsics().ucast_egress_port, p_.intrinsics().ingress_port);
    };
    auto& reply = answer("answer_read", Op::read_reply)
                      .set(flag_, 1)  // packets of the item
                      .set(p_.header_field(&MeasureHeader::cached), static_cast<std::uint64_t>(Served::by_switch))
                      .set(value_present_, 1);
    // FLAG tells the server whether its value is in the switch now.
    auto& acknowledge = answer("acknowledge_update", kCacheUpdateReply).set(flag_, valid_).set(value_present_, 0);
    auto& table = p_.table("turn_round").key(role_).size(4);
    table.entry({number(Role::read)}, reply).entry({number(Role::update)}, acknowledge);
    b.apply(table);
  }

  // Headers leave the switch in the order in which the program first names them.
  FieldRef name_headers_in_order() {
    p_.valid<p4::Ethernet>();
    p_.valid<p4::Ipv4>();
    p_.valid<p4::Udp>();
    p_.valid<StoreHeader>();
    p_.valid<MeasureHeader>();
    if (shape_.versions) p_.valid<SafetyHeader>();
    return p_.valid<ValueHeader>();
  }

  NetShape shape_;
  std::shared_ptr<p4::Program> program_;
  p4::Program& p_;
  NetProgram out_;

  FieldRef value_present_ = name_headers_in_order();
  FieldRef op_ = p_.header_field(&StoreHeader::op), flag_ = p_.header_field(&StoreHeader::flag),
           key_high_ = p_.header_field(&StoreHeader::hkey_high), key_low_ = p_.header_field(&StoreHeader::hkey_low);
  FieldRef role_ = p_.field("role", 3), index_ = p_.field("index", 16), valid_ = p_.field("valid", 1),
           turned_ = p_.field("turned", 1);
};

void check(const NetShape& shape) {
  if (shape.cache_entries == 0 || shape.cache_entries > kMostEntries) {
    throw sim::OptionError(
        "cache_entries", fmt::format("a cache of {} keys", shape.cache_entries),
        fmt::format("1 to {}: a stage has SRAM for a lookup table of so many keys of 16 bytes", kMostEntries));
  }
  if (!std::has_single_bit(shape.sketch_width)) {
    throw sim::OptionError("sketch_width", fmt::format("a sketch of {} counters a row", shape.sketch_width),
                           "a power of two, since the switch's hashes are cut to bits");
  }
  if (shape.threshold == 0 || shape.threshold > 0xffff) {
    throw sim::OptionError("threshold", fmt::format("a key hot at {} requests", shape.threshold),
                           "1 to 65535, which a counter of 16 bits tells");
  }
}

}  // namespace

NetProgram make_net_program(const NetShape& shape) {
  check(shape);
  return Builder(shape).build();
}

std::uint64_t sketch_slot(unsigned row, std::uint64_t hkey_high, std::uint64_t hkey_low, std::uint64_t sketch_width) {
  const Hashing& hashing = kSketchHashes[row];
  if (hashing.low_first) std::swap(hkey_high, hkey_low);
  std::array<std::uint8_t, 16> bytes;
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<std::uint8_t>(hkey_high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<std::uint8_t>(hkey_low >> (56 - 8 * i));
  }
  return p4::crc_of(hashing.kind, bytes) & (sketch_width - 1);
}

}  // namespace racksim::netcache
