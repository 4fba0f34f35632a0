// What a control-plane task does to the one pipe that its session is of.
#include "models/switch/control_session.hpp"

#include <catch2/catch.hpp>

#include "sim/kernel/task.hpp"
#include "tests/models/rack_fixture.hpp"

namespace control_session_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;

TEST_CASE("A session acts on its own pipe, and on no other") {
  RackOptions options = TestRack::small();
  options.network_switch.ports_per_pipe = 4;
  TestRack t(options);
  t.rack.install_program(exercise_program(false, 32));
  const auto* count = array_of(t.rack, "COUNT");
  const auto* routes = table_of(t.rack, "forward_by_mac");
  const auto* forward = action_of(t.rack, "forward_to_port");
  const auto registers = [&](unsigned pipe, std::uint64_t index) {
    return t.rack.chassis().pipeline(pipe).registers().read(count->id, index);
  };
  const auto entries = [&](unsigned pipe) { return t.rack.chassis().pipeline(pipe).entries(*routes); };
  t.rack.chassis().pipeline(0).registers().write(count->id, 3, 7);
  const std::size_t routed = entries(0);
  REQUIRE(entries(1) == routed);
  ControlSession session(t.rack.control_cpu(), 1);
  sim::Scope scope(t.calendar);
  std::vector<std::uint64_t> read;
  std::vector<std::size_t> routes_of_second;
  scope.spawn([](auto& of_pipe_1, auto& results, auto& counts, const auto& counted, const auto* array,
                 const auto* table, const auto* action) -> sim::Task<void> {
    co_await of_pipe_1.write(array, 2, 41);
    results.push_back(co_await of_pipe_1.read(array, 2));
    results.push_back(co_await of_pipe_1.read(array, 3));
    std::vector<p4::KeyMatch> key{0x1234}, same{0x1234};
    std::vector<std::uint64_t> data{2};
    co_await of_pipe_1.set_entry(table, std::move(key), action, std::move(data));
    counts.push_back(counted(1));
    co_await of_pipe_1.remove_entry(table, std::move(same));
    counts.push_back(counted(1));
  }(session, read, routes_of_second, entries, count, routes, forward));
  t.calendar.run_until();
  CHECK(read == std::vector<std::uint64_t>{41, 0});
  CHECK(registers(1, 2) == 41);
  CHECK(registers(0, 2) == 0);
  CHECK(routes_of_second == std::vector<std::size_t>{routed + 1, routed});
  CHECK(entries(0) == routed);
  scope.spawn(
      [](auto& of_pipe_1, const auto* array) -> sim::Task<void> { co_await of_pipe_1.clear(array); }(session, count));
  t.calendar.run_until();
  CHECK(registers(1, 2) == 0);
  CHECK(registers(0, 3) == 7);
}

}  // namespace control_session_test
