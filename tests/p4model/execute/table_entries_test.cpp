// What the control plane reads of entries: what they do, and whether packets have hit them.
#include <catch2/catch.hpp>
#include <memory>

#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"

namespace table_entries_test {

using namespace racksim::p4;

namespace {

/// Two tables that age, by destination in SRAM and by a part of the source in TCAM.
struct Tables {
  Tables() {
    auto p = std::make_shared<Program>("tables", "two tables");
    p->parser_state<Ethernet>(Gress::ingress, "ethernet");
    auto& to = p->action("to");
    to.set(p->intrinsics().ucast_egress_port, to.data("port", 9));
    auto& mark = p->action("mark");
    mark.set(p->header_field(&Ethernet::ether_type), mark.data("type", 16));
    const auto dst = p->header_field(&Ethernet::dst), src = p->header_field(&Ethernet::src);
    p->ingress().apply(p->table("exact").key(dst).action(to).size(8).idle_timeout());
    p->ingress().apply(p->table("ternary").key(src, MatchKind::ternary).action(mark).size(8).idle_timeout());
    pipeline = std::make_unique<Pipeline>(p);
    exact = &p->tables()[0];
    ternary = &p->tables()[1];
    pipeline->add_entry(*exact, std::vector<KeyMatch>{1}, to, std::vector<std::uint64_t>{5});
    pipeline->add_entry(*exact, std::vector<KeyMatch>{2}, to, std::vector<std::uint64_t>{6});
    pipeline->add_entry(*ternary, kUpper, mark, std::vector<std::uint64_t>{7}, 3);
  }
  void send(std::uint64_t dst, std::uint64_t src) {
    auto packet = pool.make();
    packet->push(Ethernet{.dst = dst, .src = src});
    pipeline->run_ingress(*packet, {.port = 1});
  }
  bool hit(const Table& table, const std::vector<KeyMatch>& key, std::uint32_t priority = 0) {
    return pipeline->take_hit(table, key, priority).value();
  }

  const std::vector<KeyMatch> kUpper{KeyMatch::masked(0x10, 0xf0)};
  PacketPool pool;
  std::unique_ptr<Pipeline> pipeline;
  const Table *exact = nullptr, *ternary = nullptr;
};

}  // namespace

TEST_CASE("an entry's action and data are read back, and nothing of one that is not there") {
  Tables t;
  const auto found = t.pipeline->entry(*t.exact, std::vector<KeyMatch>{2});
  REQUIRE(found);
  CHECK(found->action->name == "to");
  CHECK(found->data == std::vector<std::uint64_t>{6});
  CHECK(!t.pipeline->entry(*t.exact, std::vector<KeyMatch>{3}));
  const auto upper = t.pipeline->entry(*t.ternary, t.kUpper, 3);
  REQUIRE(upper);
  CHECK(upper->action->name == "mark");
  CHECK(upper->data == std::vector<std::uint64_t>{7});
  CHECK(!t.pipeline->entry(*t.ternary, t.kUpper, 4));
}

TEST_CASE("a hit of an entry is seen once, of that entry alone, and a new entry counts as hit") {
  Tables t;
  for (const std::uint64_t key : {1, 2}) CHECK(t.hit(*t.exact, {key}));
  CHECK(t.hit(*t.ternary, t.kUpper, 3));
  CHECK(!t.hit(*t.exact, {1}));
  t.send(1, 0x17);
  CHECK(t.hit(*t.exact, {1}));
  CHECK(!t.hit(*t.exact, {2}));
  CHECK(t.hit(*t.ternary, t.kUpper, 3));
  CHECK(!t.hit(*t.exact, {1}));
  CHECK(!t.hit(*t.ternary, t.kUpper, 3));
  t.send(9, 0x27);  // misses both
  CHECK(!t.hit(*t.exact, {1}));
  CHECK(!t.hit(*t.ternary, t.kUpper, 3));
  t.pipeline->remove_entry(*t.exact, std::vector<KeyMatch>{1});
  CHECK(!t.pipeline->take_hit(*t.exact, std::vector<KeyMatch>{1}));
  t.pipeline->add_entry(*t.exact, std::vector<KeyMatch>{3}, *t.exact->actions.at(0), std::vector<std::uint64_t>{5});
  CHECK(t.hit(*t.exact, {3}));
  CHECK(!t.pipeline->passes_repeat());
}

}  // namespace table_entries_test
