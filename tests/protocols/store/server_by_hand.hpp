// A storage server that gets messages by hand; its answers are counted at the switch.
#pragma once

#include "models/packets/addressing.hpp"
#include "p4model/language/headers.hpp"
#include "tests/protocols/nocache/nocache_run.hpp"

namespace racksim::store::testing {

inline constexpr sim::Key kItem = 7;

struct ServerByHand {
  explicit ServerByHand(std::uint32_t value_bytes = 64, bool exactly_once = true)
      : run(setup(value_bytes), store_options(exactly_once)) {}
  static Setup setup(std::uint32_t value_bytes) {
    Setup setup;
    setup.script.items.small_value_bytes = value_bytes;
    return setup;
  }
  static nocache::NoCacheOptions store_options(bool exactly_once) {
    auto options = nocache::testing::small();
    options.exactly_once = exactly_once;
    return options;
  }
  Partition& partition() { return run.store->partition(0); }

  void get(Message message) {
    Shared& shared = run.store->shared();
    const KeyHash hash = shared.hash(message.key);
    message.store.hkey_high = hash.high;
    message.store.hkey_low = hash.low;
    message.brings_value = message.store.operation() == Op::write_request;
    auto packet = make_message(shared, message, kFirstPort, {shared.node_of(0), shared.port_of(0)}, 0);
    packet->get_at<p4::Ipv4>(1).src = models::ipv4_of(kAlice.node);
    partition().on_packet(std::move(packet));
    run.advance(10_us);
  }
  void write(std::uint32_t seq, std::uint64_t value, std::uint64_t version = 0, unsigned fragment = 0,
             std::uint64_t flag = 0) {
    get(message(Op::write_request, seq, value, version, fragment, flag));
  }
  static Message message(Op op, std::uint32_t seq = 1, std::uint64_t value = 0, std::uint64_t version = 0,
                         unsigned fragment = 0, std::uint64_t flag = 0) {
    Message m;
    m.store.set(op);
    m.store.seq = seq;
    m.store.flag = flag;
    m.safety = {version, oldest};
    m.key = kItem;
    m.fragment = fragment;
    m.value = sim::Value{value};
    return m;
  }
  std::uint64_t answers(Op op) const { return run.tap.of(op); }

  static inline std::uint32_t oldest = 1;
  nocache::testing::NoCacheRun run;
};

}  // namespace racksim::store::testing
