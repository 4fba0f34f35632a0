// The notes of a pass name each register entry and lookup, and lookups can be counted without being made.
#include "p4model/execute/pass_notes.hpp"

#include <catch2/catch.hpp>

#include "p4model/execute/forwarding.hpp"
#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"

namespace pass_notes_test {

using namespace racksim::p4;

namespace {

/// Counts packets by the UDP destination port, and looks up the source port.
struct Counting {
  Counting() : program(std::make_shared<Program>("counting", "counts and looks up")) {
    auto& p = *program;
    append_forwarding_parser(p, Gress::ingress);
    auto& array = p.register_array("COUNT", Width::single(32), 16);
    auto& increment = array.action("increment");
    increment.update(kLo, AluOperation::add, kLo, 1);
    auto& count = p.action("count").execute(increment, p.header_field(&Udp::dst_port));
    leave = &p.action("leave").set(p.intrinsics().ucast_egress_port, 5);
    table = &p.table("exits").key(p.header_field(&Udp::src_port)).size(4).entry({7}, *leave);
    p.ingress().if_(p.valid<Udp>() == 1).then([&](Block& b) {
      b.apply(count);
      b.apply(*table);
    });
    pipeline = std::make_unique<Pipeline>(program);
  }
  PacketRef packet(std::uint64_t from, std::uint64_t to) {
    auto made = pool.make();
    made->push(Ethernet{1, 2, kEtherTypeIpv4});
    made->push(Ipv4{.protocol = kProtocolUdp});
    made->push(Udp{.src_port = from, .dst_port = to});
    return made;
  }
  PacketPool pool;
  std::shared_ptr<Program> program;
  Table* table;
  Action* leave;
  std::unique_ptr<Pipeline> pipeline;
};

}  // namespace

TEST_CASE("a pass with notes does what a pass does, and notes its registers and lookups") {
  Counting noted, plain;
  for (const std::uint64_t from : {7, 8}) {
    PassNotes notes;
    const auto verdict = noted.pipeline->run_ingress(*noted.packet(from, 3), {}, notes);
    CHECK(verdict == plain.pipeline->run_ingress(*plain.packet(from, 3), {}));
    CHECK(notes.complete());
    REQUIRE(notes.registers().size() == 1);
    CHECK(notes.registers()[0].array == 0);
    CHECK(notes.registers()[0].index == 3);
    REQUIRE_FALSE(notes.lookups().empty());
    CHECK(notes.lookups().back().table == noted.table->id);
    CHECK(notes.lookups().back().hit == (from == 7));
    CHECK(noted.pipeline->registers().read(0, 3) == plain.pipeline->registers().read(0, 3));
    CHECK(noted.pipeline->counters(*noted.table).hits == plain.pipeline->counters(*plain.table).hits);
    const auto before = noted.pipeline->counters(*noted.table);
    noted.pipeline->count_lookups(notes, 10);
    plain.pipeline->count_lookups(notes, 10);
    CHECK(noted.pipeline->counters(*noted.table).hits == before.hits + (from == 7 ? 10 : 0));
    CHECK(noted.pipeline->counters(*noted.table).misses == before.misses + (from == 7 ? 0 : 10));
  }
}

TEST_CASE("notes that have no room for all say so") {
  PassNotes notes;
  for (std::size_t i = 0; i < PassNotes::kMost; ++i) notes.add_register(1, i);
  CHECK(notes.complete());
  notes.add_register(1, 99);
  CHECK_FALSE(notes.complete());
  CHECK(notes.registers().size() == PassNotes::kMost);
}

TEST_CASE("an observer hears of what the control plane writes and of tables that change") {
  Counting c;
  struct Ears final : StateWriteObserver {
    void register_written(const StateWrite&) override {}
    void register_set(std::uint32_t array, std::uint64_t index) override { set.emplace_back(array, index); }
    void tables_changed() override { ++tables; }
    std::vector<std::pair<std::uint32_t, std::uint64_t>> set;
    int tables = 0;
  } ears;
  c.pipeline->add_observer(ears);
  c.pipeline->registers().write(0, 9, 4);
  CHECK(ears.set == std::vector<std::pair<std::uint32_t, std::uint64_t>>{{0, 9}});
  const std::vector<std::uint64_t> key{8}, absent{9};
  c.pipeline->add_entry(*c.table, key, *c.leave);
  CHECK(ears.tables == 1);
  CHECK(c.pipeline->modify_entry(*c.table, key, *c.leave));
  CHECK(ears.tables == 2);
  CHECK_FALSE(c.pipeline->remove_entry(*c.table, absent));
  CHECK(ears.tables == 2);
  CHECK(c.pipeline->remove_entry(*c.table, key));
  CHECK(ears.tables == 3);
}

TEST_CASE("of two observers of state the one that was added first is told first, and one that is removed no more") {
  Counting c;
  struct Named final : StateWriteObserver {
    Named(std::string the_name, std::vector<std::string>& all_of_them) : name(std::move(the_name)), all(all_of_them) {}
    void register_written(const StateWrite& write) override {
      all.push_back(name + " pass " + std::to_string(write.value));
    }
    void register_set(std::uint32_t, std::uint64_t index) override {
      all.push_back(name + " set " + std::to_string(index));
    }
    void tables_changed() override { all.push_back(name + " tables"); }
    std::string name;
    std::vector<std::string>& all;
  };
  using Calls = std::vector<std::string>;
  Calls calls;
  Named first("first", calls), second("second", calls);
  c.pipeline->add_observer(first);
  c.pipeline->add_observer(second);
  c.pipeline->registers().write(0, 9, 4);
  const std::vector<std::uint64_t> key{8};
  c.pipeline->add_entry(*c.table, key, *c.leave);
  CHECK(calls == Calls{"first set 9", "second set 9", "first tables", "second tables"});
  calls.clear();
  c.pipeline->run_ingress(*c.packet(7, 3), {});
  CHECK(calls == Calls{"first pass 1", "second pass 1"});
  calls.clear();
  c.pipeline->remove_observer(first);
  c.pipeline->registers().write(0, 9, 5);
  CHECK(c.pipeline->remove_entry(*c.table, key));
  CHECK(calls == Calls{"second set 9", "second tables"});
}

}  // namespace pass_notes_test
