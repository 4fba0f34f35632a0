// Items of several packets on StarCache's program (StarCache §3.9): each waiting request gets each packet of one value.
#include <array>
#include <catch2/catch.hpp>

#include "protocols/switch_cache/messages.hpp"
#include "tests/protocols/starcache/star_switch.hpp"

namespace whole_items_test {

using namespace racksim;
using namespace racksim::starcache;
using namespace racksim::starcache::testing;

namespace {

constexpr Key kItem = key(1);
constexpr std::uint64_t kIndex = 3;

std::uint64_t number(const Passed& passed) {
  return passed.packet->get<SafetyHeader>().oldest_or_number;
}

}  // namespace

TEST_CASE("a request whose item is replaced gets every packet of the new value, however many it has of the old") {
  const bool write = GENERATE(true, false);
  for (int got = 0; got <= 3; ++got) {
    INFO((write ? "write" : "fetch") << " after " << got << " packets");
    StarSwitch s(small(true));
    const std::vector<Passed> old = s.install_item(kItem, kIndex, 3);
    s.read(kItem, kAliceHost, 5);
    for (int i = 0; i < got; ++i) CHECK(s.recirculate(old[static_cast<std::size_t>(i)]).cloned_to(kAliceHost));
    const Passed request = write ? s.write_request(kItem, kBobHost) : s.fetch_request(kItem);
    for (const Passed& packet : old) CHECK(s.recirculate(packet).dropped());
    for (const Passed& packet : s.replies(request, write ? Op::write_reply : switch_cache::kFetchReply, 3)) {
      const Passed served = s.recirculate(packet);
      CHECK(served.cloned_to(kAliceHost) == (got < 3));
      CHECK(served.goes_round() == (got == 3));
      CHECK(number(served) == number(packet));
    }
    CHECK(s.waiting(kIndex) == 0);
    CHECK(s.acked(kIndex) == 1);
  }
}

TEST_CASE("printed, a request whose item is replaced gets the rest of the new value alone") {
  StarSwitch s(small(false));
  const Passed old = s.install(kItem, kIndex, 3);
  s.read(kItem, kAliceHost, 5);
  s.recirculate(old);
  const Passed value = s.reply(s.write_request(kItem, kBobHost), Op::write_reply, 3);
  for (int i = 0; i < 2; ++i) CHECK(s.recirculate(value).cloned_to(kAliceHost));
  CHECK(s.waiting(kIndex) == 0);
}

TEST_CASE("a request that a write of several packets interrupts between any two of them begins again each time") {
  StarSwitch s(small(true));
  const std::vector<Passed> old = s.install_item(kItem, kIndex, 3);
  s.read(kItem, kAliceHost, 5);
  s.recirculate(old[0]);
  const Passed first = s.write_request(kItem, kBobHost), second = s.write_request(kItem, kBobHost);
  CHECK(s.reply(first, Op::write_reply, 3, 1).went_to(kBobHost));  // overtaken: does not circulate
  const std::vector<Passed> value = s.replies(second, Op::write_reply, 3);
  s.recirculate(value[0]);
  s.recirculate(value[1]);
  const std::vector<Passed> last = s.replies(s.write_request(kItem, kBobHost), Op::write_reply, 3);
  for (const Passed& packet : last) CHECK(s.recirculate(packet).cloned_to(kAliceHost));
  CHECK(s.waiting(kIndex) == 0);
}

TEST_CASE("a packet that comes round again before the next has arrived is served once") {
  StarSwitch s(small(true));
  s.insert(kItem, kIndex);
  const Passed fetch = s.fetch_request(kItem);
  const Passed first = s.reply(fetch, switch_cache::kFetchReply, 3, 1);
  s.read(kItem, kAliceHost, 5);
  CHECK(s.recirculate(first).cloned_to(kAliceHost));
  for (int i = 0; i < 3; ++i) CHECK(s.recirculate(first).goes_round());
  CHECK(s.recirculate(s.reply(fetch, switch_cache::kFetchReply, 3, 2)).cloned_to(kAliceHost));
  CHECK(s.recirculate(s.reply(fetch, switch_cache::kFetchReply, 3, 3)).cloned_to(kAliceHost));
  CHECK(s.waiting(kIndex) == 0);
}

TEST_CASE("packets that circulate twice or have changed places are served once each") {
  StarSwitch s(small(true));
  const std::vector<Passed> item = s.install_item(kItem, kIndex, 3);
  const std::array<std::size_t, 5> order = {2, 0, 0, 2, 1};
  for (std::uint32_t seq = 0; seq < 3; ++seq) s.read(kItem, kAliceHost, seq);
  std::vector<std::uint64_t> got;
  for (std::size_t i = 0; i < 50; ++i) {
    const Passed passed = s.recirculate(item[order[i % order.size()]]);
    if (!passed.cloned_to(kAliceHost)) continue;
    CHECK(passed.store().seq == got.size() / 3);
    got.push_back(number(passed));
  }
  CHECK(got == std::vector<std::uint64_t>{1, 2, 3, 1, 2, 3, 1, 2, 3});
}

}  // namespace whole_items_test
