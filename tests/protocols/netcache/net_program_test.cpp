// What NetCache's program does with each message (NetCache §4.2 to §4.4), with the printed valid bit and with versions.
#include "protocols/netcache/net_program.hpp"

#include <catch2/catch.hpp>

#include "protocols/netcache/messages.hpp"
#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/netcache/net_switch.hpp"

namespace net_program_test {

using namespace racksim;
using namespace racksim::netcache;
using namespace racksim::netcache::testing;

namespace {

constexpr Key kHot = key(1), kOther = key(2);
constexpr sim::Value kValue{0x1234'5678'9abc'def0}, kNewer{0x0fed'cba9'8765'4321};
constexpr std::uint64_t kByServer = 0, kBySwitch = 1;

/// Each test runs on both programs.
NetShape either() {
  return small(GENERATE(false, true));
}

}  // namespace

TEST_CASE("a NetCache read of an uncached key goes to the server as it is") {
  NetSwitch s(either());
  s.install(kOther, 3, kValue);
  const Passed request = s.read(kHot);
  CHECK(request.went_to(kServer));
  CHECK(request.op() == Op::read_request);
  CHECK(request.from_to(kAliceHost, kServer));
  CHECK(request.cached() == kByServer);
  CHECK_FALSE(request.has_value());
  CHECK(s.value("HITS") == 0);
}

TEST_CASE("NetCache's lookup table matches the key by both halves") {
  NetSwitch s(either());
  s.install(key(2), 3, kValue);
  CHECK(s.read(key(2)).went_to(kAliceHost));
  CHECK(s.read(key(3)).went_to(kServer));  // the other low half
  CHECK(s.read(key(4)).went_to(kServer));  // the other high half
}

TEST_CASE("a read of a valid key becomes the reply and goes back where it came from, with all 64 bytes") {
  NetSwitch s(either());
  s.install(kHot, 3, kValue);
  const Passed reply = s.read(kHot, kBobHost, 77);
  CHECK(reply.went_to(kBobHost));
  CHECK(reply.from_to(kServer, kBobHost));
  CHECK(reply.op() == Op::read_reply);
  CHECK(reply.store().seq == 77);
  CHECK(reply.store().flag == 1);
  CHECK(reply.cached() == kBySwitch);
  REQUIRE(reply.has_value());
  CHECK((reply.word(0) | reply.word(1) << 32) == kValue);
  for (unsigned i = 0; i < ValueHeader::kWords; ++i) CHECK(reply.word(i) == ValueHeader::word(kValue, i));
  // The value is behind all other headers.
  CHECK(&reply.packet->layout(reply.packet->header_count() - 1) == &ValueHeader::kLayout);
  CHECK(&reply.packet->layout(0) == &p4::Ethernet::kLayout);
}

TEST_CASE("a read of an invalid key goes to the server and is not counted") {
  NetSwitch s(either());
  s.insert(kHot, 3);
  const Passed request = s.read(kHot);
  CHECK(request.went_to(kServer));
  CHECK_FALSE(request.has_value());
  CHECK(s.value("HITS") == 0);
  CHECK(s.value("POPULARITY", 3) == 0);
}

TEST_CASE("each key that NetCache answers has a counter, all together one of hits") {
  NetSwitch s(either());
  s.install(kHot, 3, kValue);
  s.install(kOther, 7, kValue);
  for (int i = 0; i < 3; ++i) s.read(kHot);
  s.read(kOther);
  CHECK(s.value("POPULARITY", 3) == 3);
  CHECK(s.value("POPULARITY", 7) == 1);
  CHECK(s.value("HITS") == 4);
}

TEST_CASE("a write request invalidates its key and goes on to the server") {
  NetSwitch s(either());
  s.install(kHot, 3, kValue);
  s.install(kOther, 4, kValue);
  const Passed write = s.write_request(kHot);
  CHECK(write.went_to(kServer));
  CHECK(write.op() == Op::write_request);
  CHECK(write.store().flag == 0);  // the reply brings no value: the update does
  CHECK_FALSE(s.valid(3));
  CHECK(s.valid(4));
  CHECK(s.read(kHot).went_to(kServer));
}

TEST_CASE("an update puts its value into all arrays, makes the key valid and is acknowledged to the server") {
  NetSwitch s(either());
  s.install(kHot, 3, kValue);
  const Passed answer = s.update(kHot, kNewer, s.write_request(kHot));
  CHECK(answer.went_to(kServer));
  CHECK(answer.from_to(kController, kServer));
  CHECK(answer.op() == netcache::kCacheUpdateReply);
  CHECK(answer.store().seq == 7);
  CHECK(answer.store().flag == 1);
  CHECK_FALSE(answer.has_value());
  for (unsigned i = 0; i < kValueArrays; ++i) {
    CHECK(s.value("VALUE" + std::to_string(i), 3) == ValueHeader::word(kNewer, i));
    CHECK(s.value("VALUE" + std::to_string(i), 4) == 0);
  }
  CHECK(s.read(kHot).went_to(kAliceHost));
}

TEST_CASE("an update of a key that is not cached is acknowledged as not taken, and changes nothing") {
  NetSwitch s(either());
  s.install(kOther, 3, kValue);
  const Passed answer = s.update(kHot, kNewer, 1);
  CHECK(answer.went_to(kServer));
  CHECK(answer.op() == netcache::kCacheUpdateReply);
  CHECK(answer.store().flag == 0);
  CHECK(s.value("VALUE0", 0) == 0);
  CHECK(s.value("VALUE0", 3) == ValueHeader::word(kValue, 0));
}

TEST_CASE("replies of servers and correction requests pass NetCache's switch without cache logic") {
  NetSwitch s(either());
  s.install(kHot, 3, kValue);
  for (const Op op : {Op::correction_request, Op::read_reply, Op::write_reply, switch_cache::kFetchReply}) {
    const Passed passed = s.request(op, kHot, kAliceHost);
    CHECK(passed.went_to(kServer));
    CHECK(passed.op() == op);
    CHECK_FALSE(passed.has_value());
  }
  CHECK(s.valid(3));
  CHECK(s.value("HITS") == 0);
}

TEST_CASE("packets outside the reserved ports do not reach NetCache's cache") {
  NetSwitch s(either());
  s.install(kHot, 3, kValue);
  for (const std::uint16_t port : {store::kFirstPort - 1, store::kFirstPort + store::kPorts}) {
    auto packet = s.message(Op::read_request, kHot, kAliceHost, kServer);
    packet->get<p4::Udp>().dst_port = port;
    CHECK(s.pass(std::move(packet), kAliceHost.port).went_to(kServer));
  }
}

TEST_CASE("with NetCache's printed valid bit, an update makes valid what a later write has invalidated") {
  NetSwitch s(small(false));
  s.install(kHot, 3, kValue);
  s.write_request(kHot);
  s.write_request(kHot);
  s.update(kHot, kNewer);  // of the first: the second may have been executed already
  CHECK(s.valid(3));
}

TEST_CASE("with versions, writes and fetches of a cached key are numbered, others have 0") {
  NetSwitch s(small(true));
  s.insert(kHot, 3);
  CHECK(s.write_request(kHot).version() == 1);
  CHECK(s.fetch_request(kHot).version() == 2);
  CHECK(s.write_request(kHot).version() == 3);
  CHECK(s.write_request(kOther).version() == 0);
  CHECK(s.fetch_request(kOther).version() == 0);
}

TEST_CASE("after the largest version of a key comes 1, and the update of that write is taken") {
  NetShape shape = small(true);
  shape.largest_version = 15;
  NetSwitch s(shape);
  s.insert(kHot, 3);
  for (std::uint64_t n = 0; n < 30; ++n) CHECK(s.write_request(kHot).version() == n % 15 + 1);
  CHECK(s.update(kHot, kNewer, s.write_request(kHot)).store().flag == 1);
  CHECK(s.valid(3));
}

TEST_CASE("with versions, an update that a later write has overtaken is not taken") {
  NetSwitch s(small(true));
  s.install(kHot, 3, kValue);
  const Passed first = s.write_request(kHot), second = s.write_request(kHot);
  const Passed stale = s.update(kHot, kNewer, first);
  CHECK(stale.op() == netcache::kCacheUpdateReply);
  CHECK(stale.store().flag == 0);
  CHECK_FALSE(s.valid(3));
  CHECK(s.value("VALUE0", 3) == ValueHeader::word(kValue, 0));
  CHECK(s.update(kHot, kNewer + 1, second).store().flag == 1);
  CHECK(s.update(kHot, kNewer, first).store().flag == 0);  // a copy that comes late
  CHECK(s.value("VALUE0", 3) == ValueHeader::word(sim::Value{kNewer + 1}, 0));
  CHECK(s.valid(3));
}

TEST_CASE("with versions, an update from before an eviction is not taken by the key's next row") {
  NetSwitch s(small(true));
  s.install(kHot, 3, kValue);
  const Passed write = s.write_request(kHot);
  s.evict(kHot);
  CHECK(s.update(kHot, kNewer, write).store().flag == 0);
  const std::uint64_t above = s.value("STATE", 3) + 1;
  s.pipeline.registers().write(s.net.state->id, 5, above);
  s.insert(kHot, 5);
  CHECK(s.update(kHot, kNewer, write).store().flag == 0);
  CHECK(s.update(kHot, kNewer, s.fetch_request(kHot)).store().flag == 1);
}

TEST_CASE("NetCache's safety switches turn off what they name") {
  NetShape shape = small(true);
  SECTION("invalidate") {
    shape.invalidate = false;
    NetSwitch s(shape);
    s.install(kHot, 3, kValue);
    const auto write = s.write_request(kHot);
    CHECK(s.read(kHot).went_to(kAliceHost));
    CHECK(s.update(kHot, kNewer, write).store().flag == 1);
  }
  SECTION("ordered_updates") {
    shape.ordered_updates = false;
    NetSwitch s(shape);
    s.install(kHot, 3, kValue);
    const auto first = s.write_request(kHot);
    s.write_request(kHot);
    CHECK(s.update(kHot, kNewer, first).store().flag == 1);
  }
}

TEST_CASE("a hot uncached key is reported once, at the threshold, until the counts are cleared") {
  NetShape shape = either();
  shape.detect = true;
  shape.sketch_width = 64;
  shape.threshold = 3;
  NetSwitch s(shape);
  s.install(kOther, 3, kValue);
  for (int round = 0; round < 2; ++round) {
    CHECK(s.read(kHot).went_to(kServer));
    CHECK(s.read(kHot).went_to(kServer));
    CHECK(s.read(kHot).reported());
    for (int i = 0; i < 5; ++i) CHECK(s.read(kHot).went_to(kServer));
    for (int i = 0; i < 5; ++i) CHECK(s.read(kOther).went_to(kAliceHost));  // cached keys are not detected
    for (int i = 0; i < 5; ++i) CHECK(s.write_request(key(9)).went_to(kServer));
    for (unsigned row = 0; row < kSketchRows; ++row) {
      CHECK(s.value("SKETCH" + std::to_string(row), sketch_slot(row, kHot.high, kHot.low, 64)) == 8);
    }
    for (const auto& arrays :
         {std::vector(s.net.sketch.begin(), s.net.sketch.end()), std::vector(s.net.bloom.begin(), s.net.bloom.end())}) {
      for (const auto* array : arrays) {
        for (std::uint64_t i = 0; i < array->size; ++i) s.pipeline.registers().write(array->id, i, 0);
      }
    }
  }
}

TEST_CASE("the words of a value tell values apart in every stage") {
  for (unsigned i = 0; i < kValueArrays; ++i) {
    CHECK(ValueHeader::word(kValue, i) != ValueHeader::word(kNewer, i));
    for (unsigned j = 0; j < i; ++j) CHECK(ValueHeader::word(kValue, i) != ValueHeader::word(kValue, j));
  }
}

}  // namespace net_program_test
