// Coherence of StarCache's program (StarCache §3.7): what the printed state table lets through, how the repaired one
// stops it, and what each switched-off mechanism costs.
#include <catch2/catch.hpp>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/star_switch.hpp"

namespace star_coherence_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

constexpr Key kHot = key(1);
constexpr std::uint64_t kIndex = 3;

}  // namespace

TEST_CASE("a key that is invalid for less than a loop: printed, the old value serves again",
          "[off:starcache-s37-no-stale]") {
  StarSwitch s(small(false));
  const Passed old = s.install(kHot, kIndex);
  // Between two passes of the old cache packet the write goes to the server and its reply comes back.
  const Passed value = s.reply(s.write_request(kHot, kBobHost), Op::write_reply);
  s.read(kHot, kAliceHost, 5);
  const Passed served = s.recirculate(old);
  CHECK(served.cloned_to(kAliceHost));  // a stale read, and the old value goes on circulating
  CHECK(s.recirculate(value).goes_round());
}

TEST_CASE("a key that is invalid for less than a loop: repaired, the old value is dropped and the new one serves",
          "[claim:starcache-s37-no-stale]") {
  StarSwitch s(small(true));
  const Passed old = s.install(kHot, kIndex);
  const Passed value = s.reply(s.write_request(kHot, kBobHost), Op::write_reply);
  s.read(kHot, kAliceHost, 5);
  CHECK(s.recirculate(old).dropped());
  CHECK(s.waiting(kIndex) == 1);
  CHECK(s.recirculate(value).cloned_to(kAliceHost));
}

TEST_CASE("two writes that overlap: printed, the first reply validates a value that the second overwrites") {
  StarSwitch s(small(false));
  s.install(kHot, kIndex);
  const Passed first = s.write_request(kHot, kAliceHost);
  s.write_request(kHot, kBobHost);
  CHECK(s.reply(first, Op::write_reply).cloned_to(kAliceHost));
  CHECK(s.valid(kIndex));
}

TEST_CASE("two writes that overlap: repaired, the reply of the first reaches its client and does not validate") {
  StarSwitch s(small(true));
  s.install(kHot, kIndex);
  const Passed first = s.write_request(kHot, kAliceHost), second = s.write_request(kHot, kBobHost);
  CHECK(s.reply(first, Op::write_reply).went_to(kAliceHost));
  CHECK_FALSE(s.valid(kIndex));
  CHECK(s.read(kHot).went_to(kServer));
  CHECK(s.reply(second, Op::write_reply).cloned_to(kBobHost));
  CHECK(s.valid(kIndex));
}

TEST_CASE("replies of overlapping writes that come in the other order: the late one changes nothing") {
  StarSwitch s(small(true));
  s.install(kHot, kIndex);
  const Passed first = s.write_request(kHot, kAliceHost), second = s.write_request(kHot, kBobHost);
  const Passed value = s.reply(second, Op::write_reply);
  CHECK(s.reply(first, Op::write_reply).went_to(kAliceHost));
  CHECK(s.valid(kIndex));
  CHECK(s.recirculate(value).goes_round());
}

TEST_CASE("a fetch reply that a write has overtaken reaches the controller and does not validate") {
  StarSwitch s(small(true));
  s.insert(kHot, kIndex);
  const Passed fetch = s.fetch_request(kHot), write = s.write_request(kHot, kBobHost);
  CHECK(s.reply(fetch, switch_cache::kFetchReply).went_to(kController));
  CHECK_FALSE(s.valid(kIndex));
  CHECK(s.reply(write, Op::write_reply).cloned_to(kBobHost));
  CHECK(s.valid(kIndex));
}

TEST_CASE("a fetch reply that a write has overtaken: printed, it validates the value from before the write") {
  StarSwitch s(small(false));
  s.insert(kHot, kIndex);
  const Passed fetch = s.fetch_request(kHot);
  s.write_request(kHot, kBobHost);
  CHECK(s.reply(fetch, switch_cache::kFetchReply).cloned_to(kController));
  CHECK(s.valid(kIndex));
}

TEST_CASE("a write reply that a fetch has overtaken does not validate, the fetch's does") {
  StarSwitch s(small(true));
  s.install(kHot, kIndex);
  const Passed write = s.write_request(kHot, kBobHost), fetch = s.fetch_request(kHot);
  CHECK(s.reply(write, Op::write_reply).went_to(kBobHost));
  CHECK_FALSE(s.valid(kIndex));
  CHECK(s.reply(fetch, switch_cache::kFetchReply).cloned_to(kController));
  CHECK(s.valid(kIndex));
}

TEST_CASE("writes and fetches of a key take successive versions, those of uncached keys none") {
  StarSwitch s(small(true));
  s.insert(kHot, kIndex);
  CHECK(s.fetch_request(kHot).version() == 1);
  CHECK(s.write_request(kHot).version() == 2);
  CHECK(s.write_request(kHot).version() == 3);
  CHECK(s.write_request(key(2)).version() == 0);
  CHECK(s.fetch_request(key(2)).version() == 0);
}

TEST_CASE("after the largest version of a key comes 1, and 0 never") {
  StarShape shape = small(true);
  shape.largest_version = 15;
  StarSwitch s(shape);
  s.insert(kHot, kIndex);
  for (std::uint64_t n = 0; n < 40; ++n) CHECK(s.write_request(kHot).version() == n % 15 + 1);
  // The other half of the word stays: the reply to the latest write validates.
  CHECK_FALSE(s.valid(kIndex));
  s.reply(s.write_request(kHot), Op::write_reply);
  CHECK(s.valid(kIndex));
  StarSwitch wide(small(true));
  wide.insert(kHot, kIndex);
  wide.write("STATE", kIndex, 0xffff'ffff);
  CHECK(wide.write_request(kHot).version() == 1);
}

TEST_CASE("the reply to a write that passed before its key was cached does not validate") {
  StarSwitch s(small(true));
  const Passed write = s.write_request(kHot, kBobHost);
  REQUIRE(write.version() == 0);
  s.insert(kHot, kIndex);  // its version is 0 until the controller fetches
  CHECK(s.reply(write, Op::write_reply).went_to(kBobHost));
  CHECK_FALSE(s.valid(kIndex));
}

TEST_CASE("a copy of a reply that has validated already validates nothing after the next write") {
  StarSwitch s(small(true));
  s.install(kHot, kIndex);
  const Passed first = s.write_request(kHot);
  s.reply(first, Op::write_reply);
  s.write_request(kHot, kBobHost);
  CHECK(s.reply(first, Op::write_reply).went_to(kAliceHost));
  CHECK_FALSE(s.valid(kIndex));
}

TEST_CASE("a cache packet of the current version is dropped while the controller holds its key invalid") {
  StarSwitch s(small(true));
  const Passed value = s.install(kHot, kIndex);
  s.write("STATE", kIndex, s.value("STATE", kIndex) & 0xffffffff);
  CHECK(s.recirculate(value).dropped());
}

TEST_CASE("a key that a write has invalidated is not invalid for others") {
  const bool versions = GENERATE(false, true);
  StarSwitch s(small(versions));
  s.install(kHot, kIndex);
  const Passed other = s.install(key(2), 4);
  s.write_request(kHot);
  CHECK(s.read(key(2)).dropped());
  CHECK(s.recirculate(other).cloned_to(kAliceHost));
}

TEST_CASE("without invalidation a write leaves the old value serving, and its reply brings a second packet") {
  const bool versions = GENERATE(false, true);
  StarShape shape = small(versions);
  shape.invalidate = false;
  StarSwitch s(shape);
  const Passed old = s.install(kHot, kIndex);
  const auto state = s.value("STATE", kIndex);
  const Passed request = s.write_request(kHot, kBobHost);
  CHECK(request.went_to(kServer));
  CHECK(request.store().flag == 1);
  if (versions) CHECK(request.version() == 1);  // as the fetch left it
  CHECK(s.value("STATE", kIndex) == state);
  CHECK(s.read(kHot).dropped());
  const Passed value = s.reply(request, Op::write_reply);
  CHECK(value.cloned_to(kBobHost));
  CHECK(s.recirculate(old).cloned_to(kAliceHost));  // a stale read
  s.read(kHot);
  CHECK(s.recirculate(value).cloned_to(kAliceHost));
}

TEST_CASE("without invalidation keys that are not valid yet still are not, with versions too") {
  const bool versions = GENERATE(false, true);
  StarShape shape = small(versions);
  shape.invalidate = false;
  StarSwitch s(shape);
  s.insert(kHot, kIndex);
  CHECK(s.read(kHot).went_to(kServer));
  s.fetch(kHot);
  CHECK(s.read(kHot).dropped());
}

TEST_CASE("without invalidation a write during a fetch carries the version of the fetch, and either reply validates") {
  StarShape shape = small(true);
  shape.invalidate = false;
  StarSwitch s(shape);
  s.insert(kHot, kIndex);
  const Passed fetch = s.fetch_request(kHot), write = s.write_request(kHot, kBobHost);
  CHECK(write.version() == fetch.version());
  CHECK(s.reply(write, Op::write_reply).cloned_to(kBobHost));
  CHECK(
      s.reply(fetch, switch_cache::kFetchReply).cloned_to(kController));  // the value from before the write circulates
}

TEST_CASE("without the check of cache packets an invalid value serves") {
  const bool versions = GENERATE(false, true);
  StarShape shape = small(versions);
  shape.drop_stale = false;
  StarSwitch s(shape);
  const Passed old = s.install(kHot, kIndex);
  s.read(kHot);
  s.write_request(kHot, kBobHost);
  CHECK_FALSE(s.valid(kIndex));
  CHECK(s.recirculate(old).cloned_to(kAliceHost));
  CHECK(s.recirculate(old).goes_round());
  CHECK(s.read(kHot).went_to(kServer));  // read requests still ask the state
}

TEST_CASE("without the flag a server does not learn that the key is cached") {
  const bool versions = GENERATE(false, true);
  StarShape shape = small(versions);
  shape.set_flag = false;
  StarSwitch s(shape);
  s.install(kHot, kIndex);
  const Passed request = s.write_request(kHot);
  CHECK(request.store().flag == 0);
  CHECK_FALSE(s.valid(kIndex));
}

TEST_CASE("with all mechanisms off the program still forwards and serves") {
  const bool versions = GENERATE(false, true);
  StarShape shape = small(versions);
  shape.invalidate = shape.drop_stale = shape.set_flag = false;
  StarSwitch s(shape);
  const Passed value = s.install(kHot, kIndex);
  CHECK(s.write_request(kHot).went_to(kServer));
  CHECK(s.read(kHot).dropped());
  CHECK(s.recirculate(value).cloned_to(kAliceHost));
}

}  // namespace star_coherence_test
