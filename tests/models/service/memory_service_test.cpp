// The recording face of the memory service: what is one operation, which values and bytes it has, when it is performed.
#include "models/service/memory_service.hpp"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/record/history.hpp"
#include "tests/models/service/watched_memory.hpp"

namespace memory_service_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using sim::Observed;
using Kind = sim::OperationKind;

namespace {

std::vector<std::byte> bytes_from(unsigned first, std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(first + i);
  return bytes;
}

}  // namespace

TEST_CASE("An access that spans blocks is one operation for each, in the order of their addresses") {
  Watched t;
  const GlobalAddress address = GlobalAddress::at(2, 3 * 64 + 63);
  const std::uint64_t written = t.run(t.memory.write(kFirst, address, 66));  // the end of one, one, a byte
  const std::uint64_t read = t.run(t.memory.read(kSecond, address, 66));
  const std::uint64_t first = t.memory.object_of(address);
  CHECK(first == ((std::uint64_t{2} << GlobalAddress::kOffsetBits) + 3 * 64) / 64);
  const auto begun = t.all(Observed::operation_begun), ended = t.all(Observed::operation_ended);
  REQUIRE(begun.size() == 6);
  REQUIRE(ended.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const auto view = sim::OperationView::of(ended[i]);
    CHECK(view.kind == (i < 3 ? Kind::write : Kind::read));
    CHECK(view.key == first + i % 3);
    CHECK(view.value == t.memory.values[view.key]);
    CHECK(begun[i].operation == ended[i].operation);
    CHECK(t.event_log.name(ended[i].source) == (i < 3 ? "node0/thread0" : "node1/thread1"));
  }
  CHECK(written == t.memory.values[first + 2]);
  CHECK(read == written);
  CHECK(t.memory.values.size() == 3);
  CHECK(t.memory.pending_operations() == 0);
  CHECK(t.all(Observed::part_begun).empty());
}

TEST_CASE("What lies in one block is one call and one operation, with a value and a number for each object") {
  for (const bool early : {false, true}) {
    CAPTURE(early);
    Watched t(FakeMemory::shape_of(8), early ? Buffers::in_order : Buffers::none);
    t.memory.buffering = [] { return 1_us; };
    // The last 12 bytes of a word's 16 in a block, all of the next block, and 1 byte of the one behind it.
    const GlobalAddress address = GlobalAddress::at(1, 64 + 52);
    const std::uint64_t written = t.run(t.memory.write(kFirst, address, 12 + 64 + 1));
    t.run(t.memory.fence(kFirst));
    const std::uint64_t read = t.run(t.memory.read(kSecond, address, 12 + 64 + 1));
    const auto asked = t.memory.accesses();
    REQUIRE(asked.size() == 6);
    const std::uint64_t first = t.memory.object_of(address);
    const std::vector<std::uint32_t> objects{2, 8, 1}, bytes{12, 64, 1};
    for (std::size_t i = 0; i < 6; ++i) {
      CHECK(asked[i].kind == (i < 3 ? Kind::write : Kind::read));
      CHECK(asked[i].access.objects == objects[i % 3]);
      CHECK(asked[i].access.bytes == bytes[i % 3]);
    }
    CHECK(asked[0].access.first == first);
    CHECK(asked[1].access.first == first + 2);
    CHECK(asked[2].access.first == first + 10);
    CHECK(t.memory.operations().value == 7);  // three, three and a fence

    // Each object once, in one history with the operations that they belong to.
    std::map<std::uint64_t, sim::OperationView> begun, ended;
    std::map<std::uint64_t, std::uint64_t> performed;  // by operation or part: the value
    std::set<std::uint64_t> values;
    for (const sim::Observation& one : t.record) {
      if (sim::begins(one.what)) CHECK(begun.emplace(one.operation, sim::OperationView::of(one)).second);
      if (sim::ends(one.what)) CHECK(ended.emplace(one.operation, sim::OperationView::of(one)).second);
      if (one.what == Observed::performed) performed[one.operation] = sim::PerformedView::of(one).value;
    }
    REQUIRE(begun.size() == 23);
    for (const auto& [operation, view] : begun) {
      if (view.kind == Kind::fence) continue;
      const sim::OperationView end = ended.at(operation);
      CHECK(end.key == view.key);
      CHECK(end.value == t.memory.values[view.key]);
      if (view.kind != Kind::write) continue;
      CHECK(view.value == end.value);
      CHECK(performed.at(operation) == view.value);
      CHECK(values.insert(view.value).second);
    }
    CHECK(values.size() == 11);
    CHECK(written == t.memory.values[first + 10]);
    CHECK(read == written);
    std::vector<sim::Value> each(8);
    t.run(t.memory.read_values(kSecond, {(first + 2) * 8}, each));
    for (std::size_t i = 0; i < 8; ++i) CHECK(each[i] == t.memory.values[first + 2 + i]);
  }
}

TEST_CASE("A call of several objects whose task dies is given up with all its parts") {
  Watched t(8);
  t.memory.delay = 1_us;
  sim::Scope scope(t.calendar);
  scope.spawn(done(t.memory.write(kFirst, GlobalAddress::at(1, 64), 24)));
  t.calendar.run_until(sim::Time{} + 500_ns);
  scope.cancel_all();
  t.memory.sessions_died(kFirst.node);
  const auto parts = t.all(Observed::part_given_up);
  REQUIRE(t.all(Observed::operation_given_up).size() == 1);
  REQUIRE(parts.size() == 2);
  const auto begun = t.all(Observed::part_begun);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(parts[i].operation == begun[i].operation);
    CHECK(sim::OperationView::of(parts[i]).value == sim::OperationView::of(begun[i]).value);
  }
}

TEST_CASE("Bytes that nobody has stored are the application's first ones, which a warm-up leaves alone") {
  for (const std::uint64_t object_bytes : {0, 8}) {
    Watched t(object_bytes);
    const auto first = [](GlobalAddress address, std::span<std::byte> into) {
      for (std::size_t i = 0; i < into.size(); ++i) into[i] = static_cast<std::byte>((address.value + i) * 37 >> 3);
    };
    t.memory.keep_bytes(first);
    t.memory.warms = true;
    const GlobalAddress address = GlobalAddress::at(2, 128);
    t.memory.warm_access(kFirst, address, true);
    std::vector<std::byte> expected(200);
    first(address, expected);
    CHECK(t.loaded(address, 200) == expected);
    t.store({address.value + 61}, bytes_from(1, 5));
    for (std::size_t i = 0; i < 5; ++i) expected[61 + i] = static_cast<std::byte>(1 + i);
    CHECK(t.loaded(address, 200) == expected);
  }
}

TEST_CASE("An access within one object is one operation, to its last byte") {
  Watched t;
  t.run(t.memory.write(kFirst, GlobalAddress::at(1, 64), 64));
  t.run(t.memory.read(kFirst, GlobalAddress::at(1, 127), 1));
  t.run(t.memory.read(kFirst, GlobalAddress::at(1, 64)));
  REQUIRE(t.memory.asked.size() == 3);
  for (const auto& asked : t.memory.asked) CHECK(asked.key == t.memory.object_of(GlobalAddress::at(1, 64)));
}

TEST_CASE("Real bytes come back as they were stored, over parts of objects and over several") {
  for (const std::uint64_t object_bytes : {0, 8}) {
    Watched t(object_bytes);
    t.memory.keep_bytes();
    const GlobalAddress base = GlobalAddress::at(1, 128);
    CHECK(t.loaded(base, 20) == std::vector<std::byte>(20));  // never written
    std::vector<std::byte> expected(200);
    const auto put = [&](std::size_t offset, unsigned first, std::size_t count) {
      const auto bytes = bytes_from(first, count);
      std::copy(bytes.begin(), bytes.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
      t.store({base.value + offset}, bytes);
      CHECK(t.loaded(base, 200) == expected);
      CHECK(t.loaded({base.value + offset + 1}, count - 1) == bytes_from(first + 1, count - 1));
    };
    put(3, 10, 2);     // within a word
    put(8, 20, 8);     // a whole word
    put(60, 30, 10);   // over the end of a block
    put(4, 50, 150);   // over several blocks, and over what is there
    put(64, 220, 64);  // a whole block, wrapping
  }
}

TEST_CASE("What atomic operations leave reads as a number in little-endian bytes, and zeros after it") {
  Watched t;
  t.memory.keep_bytes();
  const GlobalAddress counter = GlobalAddress::at(0, 0), other = GlobalAddress::at(0, 64);
  t.store(other, bytes_from(1, 8));
  t.run(t.memory.fetch_and_add(kFirst, counter, 0x1234));
  std::vector<std::byte> expected(64);
  expected[0] = std::byte{0x34};
  expected[1] = std::byte{0x12};
  CHECK(t.loaded(counter, 64) == expected);
  t.store({counter.value + 4}, bytes_from(9, 1));  // keeps the rest
  expected[4] = std::byte{9};
  CHECK(t.loaded(counter, 64) == expected);
}

TEST_CASE("Bytes stored into an object leave those around them as they read before, however these came about") {
  const GlobalAddress address = GlobalAddress::at(0, 0);
  const std::function<void(Watched&)> firsts[] = {
      [&](Watched& t) { t.run(t.memory.write(kFirst, address, 64)); },
      [&](Watched& t) { t.run(t.memory.fetch_and_add(kFirst, address, 0x0807060504030201)); },
      [&](Watched& t) { t.run(t.memory.compare_and_swap(kFirst, address, 0)); },
  };
  for (const bool tells : {false, true}) {
    for (const auto& first : firsts) {
      Watched t;
      t.memory.keep_bytes();
      t.memory.tells_performed = tells;
      first(t);
      auto expected = t.loaded(address, 64);
      CHECK(expected != std::vector<std::byte>(64));
      t.store({address.value + 20}, bytes_from(7, 2));
      expected[20] = std::byte{7};
      expected[21] = std::byte{8};
      CHECK(t.loaded(address, 64) == expected);
      t.run(t.memory.write(kFirst, address, 64));  // a value without bytes has none of those before it
      CHECK(t.loaded({address.value + 20}, 2) == std::vector<std::byte>(2));
    }
  }
}

TEST_CASE("Storing bytes where nobody said that any will be is a defect, and loading them reads numbers") {
  Watched t;
  CHECK_THROWS_AS(t.store(GlobalAddress::at(0, 0), bytes_from(1, 8)), std::logic_error);
  const std::uint64_t value = t.run(t.memory.write(kFirst, GlobalAddress::at(0, 64)));
  CHECK(t.loaded(GlobalAddress::at(0, 64), 1) == bytes_from(value & 0xff, 1));
}

TEST_CASE("A store into an object keeps what others have stored beside it, whenever it is performed") {
  for (const bool tells : {false, true}) {
    Watched t;
    t.memory.keep_bytes();
    t.memory.tells_performed = tells;
    t.memory.delay = 1_us;
    t.memory.answer = 1_us;
    const auto a = bytes_from(1, 4), b = bytes_from(100, 4);
    t.scope.spawn(t.memory.store(kFirst, GlobalAddress::at(0, 0), a));
    t.scope.spawn(t.memory.store(kSecond, GlobalAddress::at(0, 8), b));
    t.calendar.run_until();
    CHECK(t.loaded(GlobalAddress::at(0, 0), 4) == a);
    CHECK(t.loaded(GlobalAddress::at(0, 8), 4) == b);
  }
}

TEST_CASE("A session loads what it has stored and is not performed, over what others have stored meanwhile") {
  for (const Buffers kind : {Buffers::in_order, Buffers::by_object}) {
    TestRack rack;
    FakeMemory memory(rack.rack, FakeMemory::shape_of(), kind);
    sim::Scope scope{rack.calendar};
    memory.keep_bytes();
    memory.buffering = [] { return sim::Duration(10_us); };
    const GlobalAddress address = GlobalAddress::at(0, 0);
    std::vector<std::byte> own(8), others(8), last(8);
    const auto store_and_load = [&]() -> sim::Task<void> {
      co_await memory.store(kFirst, {address.value + 1}, bytes_from(10, 3));
      co_await memory.store(kFirst, {address.value + 3}, bytes_from(20, 2));
      co_await memory.load(kFirst, address, own);
      co_await memory.load(kSecond, address, others);
      co_await memory.fence(kFirst);
      co_await memory.load(kSecond, address, last);
    };
    scope.spawn(memory.store(kSecond, {address.value + 4}, bytes_from(30, 3)));
    rack.calendar.run_until();
    scope.spawn(store_and_load());
    rack.calendar.run_until();
    const auto bytes = [](std::initializer_list<int> numbers) {
      std::vector<std::byte> all;
      for (const int number : numbers) all.push_back(static_cast<std::byte>(number));
      return all;
    };
    CHECK(own == bytes({0, 10, 11, 20, 21, 31, 32, 0}));
    CHECK(others == bytes({0, 0, 0, 0, 30, 31, 32, 0}));
    CHECK(last == own);
  }
}

TEST_CASE("A write without bytes that waits in its session's buffer is loaded as its number, and stored over") {
  TestRack rack;
  FakeMemory memory(rack.rack, FakeMemory::shape_of(), Buffers::in_order);
  sim::Scope scope{rack.calendar};
  memory.keep_bytes();
  memory.buffering = [] { return sim::Duration(10_us); };
  const GlobalAddress address = GlobalAddress::at(0, 0);
  std::vector<std::byte> loaded(64), expected(64);
  const auto write_store_and_load = [&]() -> sim::Task<void> {
    co_await memory.store(kFirst, {address.value + 20}, bytes_from(1, 4));  // gone by the write
    const sim::Value value = co_await memory.write(kFirst, address, 64);
    for (unsigned i = 0; i < 8; ++i) expected[i] = static_cast<std::byte>(value.number() >> 8 * i);
    co_await memory.store(kFirst, {address.value + 30}, bytes_from(7, 1));
    expected[30] = std::byte{7};
    co_await memory.load(kFirst, address, loaded);
  };
  scope.spawn(write_store_and_load());
  rack.calendar.run_until();
  CHECK(loaded == expected);
}

TEST_CASE("What a crash has taken from a session's buffer is loaded no more, under what it stores later") {
  TestRack rack;
  FakeMemory memory(rack.rack, FakeMemory::shape_of(), Buffers::in_order);
  sim::Scope scope{rack.calendar};
  memory.keep_bytes();
  memory.buffering = [] { return sim::Duration(10_us); };
  const GlobalAddress address = GlobalAddress::at(1, 0);
  scope.spawn(memory.store(kFirst, address, bytes_from(1, 4)));
  memory.lose_buffers(kFirst);
  memory.sessions_died(kFirst.node);
  std::vector<std::byte> loaded(4);
  const auto store_and_load = [&]() -> sim::Task<void> {
    co_await memory.store(kFirst, {address.value + 1}, bytes_from(9, 1));
    co_await memory.load(kFirst, address, loaded);
  };
  scope.spawn(store_and_load());
  rack.calendar.run_until();
  CHECK(loaded == std::vector<std::byte>{std::byte{}, std::byte{9}, std::byte{}, std::byte{}});
}

TEST_CASE("Compare-and-swap writes a new value if it finds the expected one, and returns what it found") {
  Watched t(8);
  const GlobalAddress address = GlobalAddress::at(3, 40);
  const std::uint64_t object = t.memory.object_of(address);
  CHECK(t.run(t.memory.compare_and_swap(kFirst, address, 7)) == 0);  // refused
  CHECK(t.memory.values[object] == 0);
  CHECK(t.run(t.memory.compare_and_swap(kFirst, address, 0)) == 0);
  const std::uint64_t now = t.memory.values[object];
  CHECK(now != 0);
  CHECK(t.run(t.memory.compare_and_swap(kSecond, address, 0)) == now);
  CHECK(t.memory.values[object] == now);
  const auto begun = t.all(Observed::operation_begun), ended = t.all(Observed::operation_ended);
  REQUIRE(ended.size() == 3);
  const bool wrote[] = {false, true, false};
  const std::uint64_t found[] = {0, 0, now};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto view = sim::OperationView::of(ended[i]);
    CHECK(view.kind == Kind::compare_and_swap);
    CHECK(view.key == object);
    CHECK(view.wrote == wrote[i]);
    CHECK(view.value == found[i]);
  }
  CHECK(sim::OperationView::of(begun[1]).value == now);  // what it would write
  const auto performed = t.all(Observed::performed);
  REQUIRE(performed.size() == 1);
  CHECK(performed[0].operation == ended[1].operation);
  CHECK(sim::PerformedView::of(performed[0]).value == now);
}

TEST_CASE("Fetch-and-add returns what it found and is performed with the sum") {
  Watched t(8);
  const GlobalAddress address = GlobalAddress::at(3, 40);
  CHECK(t.run(t.memory.fetch_and_add(kFirst, address, 5)) == 0);
  CHECK(t.run(t.memory.fetch_and_add(kSecond, address, 7)) == 5);
  CHECK(t.run(t.memory.read(kFirst, address)) == 12);
  const auto ended = t.all(Observed::operation_ended), performed = t.all(Observed::performed);
  REQUIRE(ended.size() == 3);
  REQUIRE(performed.size() == 2);
  CHECK(sim::OperationView::of(t.all(Observed::operation_begun)[1]).value == 7);
  CHECK(sim::OperationView::of(ended[1]).value == 5);
  CHECK(sim::OperationView::of(ended[1]).wrote);
  CHECK(sim::PerformedView::of(performed[1]).value == 12);
  CHECK(sim::PerformedView::of(performed[1]).key == t.memory.object_of(address));
}

TEST_CASE("A write is performed once: as it returns, or when the protocol says so") {
  for (const bool tells : {false, true}) {
    Watched t;
    t.memory.delay = 3_us;
    t.memory.answer = 2_us;
    t.memory.tells_performed = tells;
    const std::uint64_t value = t.run(t.memory.write(kFirst, GlobalAddress::at(0, 0)));
    const auto performed = t.all(Observed::performed);
    REQUIRE(performed.size() == 1);
    CHECK(performed[0].at == at(tells ? 3_us : 5_us));
    CHECK(performed[0].operation == t.all(Observed::operation_ended)[0].operation);
    CHECK(performed[0].source.index == t.all(Observed::operation_ended)[0].source.index);
    CHECK(sim::PerformedView::of(performed[0]).value == value);
    CHECK(t.all(Observed::operation_ended)[0].at == at(5_us));
    // Before its end, though in the same event.
    CHECK(t.record[1].what == Observed::performed);
  }
}

TEST_CASE("Where writes return early they are performed when the protocol says so, and a fence waits for that") {
  MemoryShape shape = FakeMemory::shape_of();
  shape.writes_return_early = true;
  Watched t(shape);
  t.memory.buffering = [] { return 3_us; };
  t.scope.spawn(done(t.memory.write(kFirst, GlobalAddress::at(0, 0))));
  t.scope.spawn(done(t.memory.write(kFirst, GlobalAddress::at(0, 64))));
  t.scope.spawn(t.memory.fence(kFirst));
  CHECK(t.all(Observed::operation_ended).size() == 2);
  CHECK(t.all(Observed::performed).empty());
  t.calendar.run_until();
  REQUIRE(t.all(Observed::performed).size() == 2);
  CHECK(t.all(Observed::performed)[1].at == at(3_us));
  REQUIRE(t.record.back().what == Observed::operation_ended);
  const auto fence = sim::OperationView::of(t.record.back());
  CHECK(fence.kind == Kind::fence);
  CHECK(fence.key == 0);
  CHECK(t.record.back().at == at(3_us));
}

TEST_CASE("Throughput and latency count operations of all kinds, and split those of reads and writes") {
  Watched t;
  t.memory.delay = 2_us;
  t.metrics.open_window(t.calendar.now());
  t.run(t.memory.write(kFirst, GlobalAddress::at(0, 60), 8));  // two objects
  t.run(t.memory.read(kFirst, GlobalAddress::at(0, 0)));
  t.run(t.memory.lock(kFirst, GlobalAddress::at(0, 0)));
  t.run(t.memory.unlock(kFirst, GlobalAddress::at(0, 0)));
  t.metrics.close_window(t.calendar.now());
  t.run(t.memory.read(kFirst, GlobalAddress::at(0, 0)));
  CHECK(t.memory.measured_operations() == 5);
  const auto count = [&](std::string_view name) {
    return std::get<sim::Histogram>(t.metrics.find(name)->value).count();
  };
  CHECK(count("latency") == 5);
  CHECK(count("latency.read") == 1);
  CHECK(count("latency.write") == 2);
}

}  // namespace memory_service_test
