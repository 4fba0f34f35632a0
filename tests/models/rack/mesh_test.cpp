#include "models/rack/mesh.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <optional>

#include "tests/models/rack_fixture.hpp"

namespace mesh_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

// Four nodes with two threads each; every thread answers with its number times a thousand and what it was asked.
struct Meshed : TestRack {
  static RackOptions four() {
    RackOptions options;
    options.nodes = 4;
    options.cores = 3;
    return options;
  }
  explicit Meshed(Mesh::Transport transport) : TestRack(four()), mesh(rack, transport) {
    for (unsigned i = 0; i < 8; ++i) {
      Server& server = rack.server(static_cast<NodeId>(i % 4));
      mesh.add(server.node(), server.core(1 + i / 4), [this, i](const RpcEnd::Call& call) {
        callers[mesh.caller(i, call)] += 1;
        mesh.end(i).reply(call, {Content::of(1000 * i + call.content.as<std::uint64_t>())});
      });
    }
    mesh.connect();
  }
  sim::Task<void> ask(unsigned from, unsigned to, std::uint64_t what) {
    const auto reply = co_await mesh.call(from, to, {Content::of(what)}, {100_us, 3});
    if (reply && reply->as<std::uint64_t>() == 1000 * to + what) ++answered;
    if (!reply) ++given_up;
  }
  void all_ask_all() {
    for (unsigned from = 0; from < 8; ++from) {
      for (unsigned to = 0; to < 8; ++to) tasks.spawn(ask(from, to, from));
    }
  }
  Mesh mesh;
  std::map<unsigned, int> callers;
  int answered = 0, given_up = 0;
  sim::Scope tasks{calendar};
};

}  // namespace

TEST_CASE("Every thread of a mesh reaches every other and itself, over connections and over datagrams") {
  for (const auto transport : {Mesh::Transport::reliable, Mesh::Transport::datagram}) {
    Meshed t(transport);
    t.all_ask_all();
    t.calendar.run_until();
    CHECK(t.answered == 64);
    CHECK(t.callers.size() == 8);
    for (const auto& [caller, calls] : t.callers) CHECK(calls == 8);
    CHECK(t.rack.packets_in_flight() == 0);
  }
}

TEST_CASE("A node that has crashed answers nobody until it has joined again") {
  for (const auto transport : {Mesh::Transport::reliable, Mesh::Transport::datagram}) {
    Meshed t(transport);
    t.rack.crash(2);
    t.tasks.spawn(t.ask(0, 2, 5));
    t.tasks.spawn(t.ask(1, 3, 5));
    t.calendar.run_until(at(5_ms));
    CHECK(t.answered == 1);
    CHECK(t.given_up == 1);
    t.rack.restart(2);
    t.mesh.rejoin(2);
    t.all_ask_all();
    t.calendar.run_until();
    CHECK(t.answered == 65);
  }
}

TEST_CASE("A mesh that is connected takes no more threads") {
  Meshed t(Mesh::Transport::reliable);
  CHECK_THROWS_AS(t.mesh.add(0, t.rack.server(0).core(0), {}), std::logic_error);
}

}  // namespace mesh_test
