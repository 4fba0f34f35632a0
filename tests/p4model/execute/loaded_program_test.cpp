#include "p4model/execute/loaded_program.hpp"

#include <catch2/catch.hpp>
#include <memory>

#include "p4model/execute/pipeline.hpp"
#include "p4model/language/headers.hpp"

namespace loaded_program_test {

using namespace racksim::p4;
using Values = std::vector<std::uint64_t>;

namespace {

/// A counter of packets by destination, and tables with an entry from the start, in SRAM and in TCAM, which age.
struct Shared {
  Shared() {
    auto p = std::make_shared<Program>("shared");
    p->parser_state<Ethernet>(Gress::ingress, "ethernet");
    auto& seen = p->register_array("seen", Width::single(32), 4);
    auto& more = seen.action("more").update(kLo, AluOperation::add, kLo, AluWord(1));
    auto& to = p->action("to").execute(more, 0);
    to.set(p->intrinsics().ucast_egress_port, to.data("port", 9));
    auto& mark = p->action("mark");
    mark.set(p->header_field(&Ethernet::ether_type), mark.data("type", 16));
    const auto dst = p->header_field(&Ethernet::dst), src = p->header_field(&Ethernet::src);
    p->ingress().apply(p->table("exact").key(dst).action(to).size(8).idle_timeout().entry({1}, to, {5}));
    p->ingress().apply(p->table("ternary")
                           .key(src, MatchKind::ternary)
                           .action(mark)
                           .size(8)
                           .idle_timeout()
                           .entry({KeyMatch::masked(0x10, 0xf0)}, mark, {7}));
    action = &to;
    loaded = std::make_shared<const LoadedProgram>(p);
    exact = &p->tables()[0];
    ternary = &p->tables()[1];
  }

  std::int32_t port_of(Pipeline& pipeline, std::uint64_t dst) {
    auto packet = pool.make();
    packet->push(Ethernet{.dst = dst, .src = 0x12});
    return pipeline.run_ingress(*packet, {.port = 1}).ucast_port;
  }

  PacketPool pool;
  std::shared_ptr<const LoadedProgram> loaded;
  const Action* action = nullptr;
  const Table *exact = nullptr, *ternary = nullptr;
};

}  // namespace

TEST_CASE("pipes that share a program have its code in common and all that changes for themselves") {
  Shared shared;
  Pipeline one(shared.loaded), other(shared.loaded);
  CHECK(&one.placement() == &other.placement());
  one.add_entry(*shared.exact, Values{2}, *shared.action, Values{6});
  CHECK(one.modify_entry(*shared.exact, Values{1}, *shared.action, Values{4}));
  CHECK(shared.port_of(one, 1) == 4);
  CHECK(shared.port_of(one, 2) == 6);
  CHECK(shared.port_of(other, 1) == 5);
  CHECK(shared.port_of(other, 2) == Verdict::kNone);
  CHECK(one.registers().read(0, 0) == 2);
  CHECK(other.registers().read(0, 0) == 1);
  CHECK(one.counters(*shared.exact).hits == 2);
  CHECK(other.counters(*shared.exact).hits == 1);
  CHECK(one.remove_entry(*shared.exact, Values{1}));
  CHECK(other.entries(*shared.exact) == 1);
  other.interpret();
  CHECK(shared.port_of(other, 1) == 5);
}

TEST_CASE("a pipe that boots with a program that another has used begins with the program's entries, as if just hit") {
  Shared shared;
  const std::vector<KeyMatch> upper{KeyMatch::masked(0x10, 0xf0)};
  {
    Pipeline used(shared.loaded);
    CHECK(used.remove_entry(*shared.exact, Values{1}));
    CHECK(used.remove_entry(*shared.ternary, upper));
    used.registers().write(0, 0, 9);
  }
  Pipeline booted(shared.loaded);
  CHECK(booted.registers().read(0, 0) == 0);
  CHECK(booted.entries(*shared.exact) == 1);
  CHECK(booted.entries(*shared.ternary) == 1);
  CHECK(booted.take_hit(*shared.exact, std::vector<KeyMatch>{1}) == true);
  CHECK(booted.take_hit(*shared.exact, std::vector<KeyMatch>{1}) == false);
  CHECK(booted.take_hit(*shared.ternary, upper) == true);
  CHECK(booted.take_hit(*shared.ternary, upper) == false);
}

}  // namespace loaded_program_test
