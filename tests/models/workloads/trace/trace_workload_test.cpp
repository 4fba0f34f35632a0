// A trace replayed on a store and on a memory that answer after a fixed delay: what is asked of them, by whom, when.
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_options.hpp"
#include "tests/models/service/fake_memory.hpp"
#include "tests/models/service/fake_protocol.hpp"
#include "tests/models/service/fake_store.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace trace_workload_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;
using Kind = sim::OperationKind;
using tools::testing::TemporaryFolder;

namespace {

const std::string kHeader = "time_ns,node,thread,op,key,size\n";

TraceOptions options_for(const std::string& file) {
  TraceOptions options;
  options.file = file;
  options.threads = 2;
  options.key_space = 1000;
  options.memory = 64 * 1024;
  return options;
}

/// A replay on either service, until all is over or a test stops it.
struct Replay : TestRack {
  static RackOptions restarting() { return small(); }

  std::uint64_t counter(const char* name) { return std::get<sim::Counter>(rack.metrics().find(name)->value).value; }
  void build(Service& service, const TraceOptions& options) {
    protocol = std::make_unique<FakeProtocol>(service, [this](NodeId node) { crashed(node); });
    options.check();
    WorkloadContext context{rack, *protocol};
    workload = options.build(context);
    rack.observe_crashes(*workload);
    rack.observe_crashes(*protocol);
  }
  void run() {
    workload->warm_up();
    workload->start();
    calendar.run_until();
  }
  std::function<void(NodeId)> crashed = [](NodeId) {};
  std::unique_ptr<FakeProtocol> protocol;
  std::unique_ptr<Workload> workload;
};

struct OnStore : Replay {
  explicit OnStore(const TraceOptions& options) : store(rack, 4, static_cast<unsigned>(options.threads)) {
    store.delay = 1_us;
    crashed = [this](NodeId node) { store.sessions_died(node); };
    build(store, options);
  }
  ~OnStore() { workload.reset(); }  // its sessions go before what they ask
  /// "node/thread key", with an exclamation mark if it writes.
  std::vector<std::string> asked() const {
    std::vector<std::string> all;
    for (const auto& one : store.asked) {
      all.push_back(fmt::format("{}/{} {}{}", one.session.node, one.session.thread, one.key, one.write ? "!" : ""));
    }
    return all;
  }
  std::vector<std::int64_t> times() const {
    std::vector<std::int64_t> all;
    for (const auto& one : store.asked) all.push_back((one.at - sim::Time{}).ps() / 1000);
    return all;
  }
  FakeStore store;
};

struct OnMemory : Replay {
  explicit OnMemory(const TraceOptions& options, std::uint64_t object_bytes = 0)
      : memory(rack, FakeMemory::shape_of(object_bytes)) {
    memory.delay = 1_us;
    crashed = [this](NodeId node) { memory.sessions_died(node); };
    build(memory, options);
  }
  ~OnMemory() { workload.reset(); }
  /// "node/thread kind key".
  std::vector<std::string> asked() const {
    std::vector<std::string> all;
    for (const auto& one : memory.asked) {
      all.push_back(fmt::format("{}/{} {} {:#x}", one.session.node, one.session.thread, sim::to_string(one.kind),
                                one.key.number()));
    }
    return all;
  }
  FakeMemory memory;
};

using Strings = std::vector<std::string>;
using Times = std::vector<std::int64_t>;

/// What building or running throws, without the file's name.
std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const TraceError& error) {
    return error.place() + ": " + error.there();
  } catch (const sim::OptionError& error) {
    return error.option() + ": " + error.found();
  }
  return "";
}

}  // namespace

TEST_CASE("in closed loop a session's records follow each other as each ends") {
  const TemporaryFolder folder;
  OnStore t(
      options_for(folder.write("t.csv", kHeader + "5,0,0,get,1,0\n6,1,1,put,2,0\n7,0,0,write,3,0\n8,0,1,read,4,0\n"
                                                  "9,1,1,get,5,0\n")));
  bool told = false;
  t.workload->notify_after(100, [&] { told = true; });
  t.run();
  CHECK(t.asked() == Strings{"0/0 1", "0/1 4", "1/1 2!", "0/0 3!", "1/1 5"});
  CHECK(t.times() == Times{0, 0, 0, 1000, 1000});
  CHECK(told);
  CHECK(t.workload->running() == 0);
  CHECK(t.counter("trace.records") == 5);
  // Whoever asks later is told too.
  told = false;
  t.workload->notify_after(1, [&] { told = true; });
  t.calendar.run_until();
  CHECK(told);
}

TEST_CASE("in open loop each record comes at its time from the first on, or scaled") {
  const TemporaryFolder folder;
  auto options = options_for(
      folder.write("t.csv", kHeader + "50,0,0,get,1,0\n150,0,0,get,2,0\n150,1,0,get,3,0\n2050,0,1,put,4,0\n"));
  options.loop = TraceOptions::Loop::open;
  {
    OnStore t(options);
    CHECK(t.workload->asleep() == 0);
    t.workload->start();
    CHECK(t.workload->asleep() == 1);
    CHECK(t.workload->running() > 0);
    t.calendar.run_until();
    CHECK(t.times() == Times{0, 100, 100, 2000});
    CHECK(t.workload->running() == 0);
  }
  options.time_scale = 2.5;
  options.at_end = TraceOptions::AtEnd::repeat;
  OnStore t(options);
  t.workload->notify_after(9, [&] { t.workload->stop(); });
  t.run();
  // The ninth ends at 11 us, after the next two have begun.
  CHECK(t.times() == Times{0, 250, 250, 5000, 5000, 5250, 5250, 10000, 10000, 10250, 10250});
}

TEST_CASE("on a memory a session that is late is served as soon as may be") {
  const TemporaryFolder folder;
  auto options =
      options_for(folder.write("t.csv", kHeader + "0,0,0,read,1,8\n100,0,0,read,2,8\n100,0,1,read,3,8\n5000,0,0,"
                                                  "read,4,8\n"));
  options.loop = TraceOptions::Loop::open;
  OnMemory t(options);
  t.run();
  std::vector<std::int64_t> times;
  for (const auto& one : t.memory.asked) times.push_back((one.at - sim::Time{}).ps() / 1000);
  CHECK(times == Times{0, 100, 1000, 5000});
  CHECK(t.counter("trace.late") == 1);
}

TEST_CASE("a trace is repeated from its first record on") {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("t.csv", kHeader + "0,0,0,get,1,0\n0,0,0,get,2,0\n0,0,0,get,3,0\n"));
  options.at_end = TraceOptions::AtEnd::repeat;
  OnStore t(options);
  t.workload->notify_after(7, [&] { t.workload->stop(); });
  t.run();
  CHECK(t.asked() == Strings{"0/0 1", "0/0 2", "0/0 3", "0/0 1", "0/0 2", "0/0 3", "0/0 1"});
  CHECK(t.workload->running() == 0);
  // One that takes no time cannot be repeated at its times.
  options.loop = TraceOptions::Loop::open;
  CHECK(refusal([&] { OnStore(options).run(); }) == "/workload/at_end: the repetition of a trace that takes no time");
}

TEST_CASE("the records at the head warm up: a store by its keys, the most frequent first") {
  const TemporaryFolder folder;
  auto options = options_for(
      folder.write("t.csv", kHeader + "0,0,0,get,5,0\n0,0,0,get,7,0\n0,1,0,put,7,0\n0,0,0,get,9,0\n9,0,0,get,1,0\n"));
  options.warm_records = 4;
  OnStore store(options);
  store.run();
  CHECK(store.store.preloaded == std::vector<std::uint64_t>{7, 5, 9});
  CHECK(store.asked() == Strings{"0/0 1"});
  OnMemory memory(options);
  memory.run();
  CHECK(memory.memory.warmed.size() == 4);
  CHECK(memory.memory.warmed[2].kind == Kind::write);
  CHECK(memory.memory.warmed[2].session.node == 1);
  CHECK(memory.memory.warmed[2].key == 7);
  CHECK(memory.asked() == Strings{"0/0 read 0x1"});
}

TEST_CASE("all operations of a memory are asked for, on the recorded addresses") {
  const TemporaryFolder folder;
  const std::string second_home = std::to_string((std::uint64_t{1} << 48) / 64);
  OnMemory t(options_for(folder.write(
      "t.csv", kHeader +
                   "0,0,0,lock,3,64\n0,0,0,write,3,64\n0,0,0,compare-and-swap,3,64\n0,0,0,fetch_and_add,3,64\n"
                   "0,0,0,read," +
                   second_home +
                   ",128\n0,0,0,fence,0,0\n0,0,0,unlock,3,64\n0,0,0,try-lock,4,64\n"
                   "0,0,0,unlock,4,64\n0,0,0,unlock,4,64\n0,0,0,shared lock,5,128\n0,0,0,unlock,5,128\n"
                   "0,0,0,shared try-lock,6,64\n0,0,0,allocate,0,100\n0,0,0,free,0,0\n0,0,0,free,0,0\n")));
  t.run();
  CHECK(t.asked() == Strings{"0/0 lock 0x3", "0/0 write 0x3", "0/0 compare-and-swap 0x3", "0/0 fetch-and-add 0x3",
                             "0/0 read 0x40000000000", "0/0 read 0x40000000001", "0/0 fence 0x0", "0/0 unlock 0x3",
                             "0/0 try-lock 0x4", "0/0 unlock 0x4", "0/0 shared lock 0x5", "0/0 shared lock 0x6",
                             "0/0 unlock 0x5", "0/0 unlock 0x6",
                             // What is left is given back at the end.
                             "0/0 shared try-lock 0x6", "0/0 unlock 0x6"});
  CHECK(t.counter("trace.unheld") == 1);
  CHECK(t.counter("trace.allocations_refused") == 1);
  CHECK_FALSE(t.memory.holds_locks());
}

TEST_CASE("a session that is stopped gives back the locks that it holds") {
  const TemporaryFolder folder;
  for (const auto loop : {TraceOptions::Loop::open, TraceOptions::Loop::closed}) {
    auto options =
        options_for(folder.write("t.csv", kHeader + "0,0,0,lock,3,64\n9000,0,0,read,3,64\n9000,0,0,unlock,3,64\n"));
    options.loop = loop;
    OnMemory t(options);
    t.workload->notify_after(1, [&] { t.workload->stop(); });
    t.run();
    CHECK(t.asked() == Strings{"0/0 lock 0x3", "0/0 unlock 0x3"});
    CHECK_FALSE(t.memory.holds_locks());
    CHECK(t.workload->running() == 0);
  }
}

TEST_CASE("keys that are no addresses become slots, which the homes share") {
  const TemporaryFolder folder;
  auto options =
      options_for(folder.write("t.csv", "op,key,size\nget,a,8\nset,b,300\nget,c,0\nget,d,0\nget,e,0\nget,a,0\n"));
  options.sessions = TraceOptions::Sessions::turn;
  options.threads = 1;
  options.keys = TraceKeying::numbered;
  options.slot = 128;
  OnMemory t(options);
  t.run();
  std::map<std::string, int> asked;
  for (const auto& one : t.asked()) ++asked[one];
  // Four homes: the fifth key has the second slot of the first. What is larger than a slot is cut to it.
  const std::map<std::string, int> expected{{"0/0 read 0x0", 1},
                                            {"1/0 write 0x40000000000", 1},
                                            {"1/0 write 0x40000000001", 1},
                                            {"2/0 read 0x80000000000", 1},
                                            {"3/0 read 0xc0000000000", 1},
                                            {"0/0 read 0x2", 1},
                                            {"1/0 read 0x0", 1}};
  CHECK(asked == expected);
  options.memory = 4 * 128;
  CHECK(refusal([&] { OnMemory{options}; }) == "line 6: a key more than the 4 that there is room for");
  options.keys = TraceKeying::hashed;
  CHECK(refusal([&] { OnMemory{options}; }).empty());
}

TEST_CASE("given keys may count in other units than the protocol's") {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("t.csv", kHeader + "0,0,0,write,4097,16\n0,0,0,lock,4097,1\n"));
  CHECK(refusal([&] { OnMemory{options}; }) == "line 2: object 0x1001 and 16 bytes");
  options.unit = 1;
  OnMemory t(options, 8);
  t.run();
  CHECK(t.asked() == Strings{"0/0 write 0x200", "0/0 lock 0x40", "0/0 unlock 0x40"});
  CHECK(t.memory.asked.front().access.objects == 3);  // bytes 0x1001 to 0x1010, in one line
}

TEST_CASE("clients, or turns, are dealt out to the sessions") {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("t", "0,a,1,8,x,get,0\n0,b,1,8,y,get,0\n1,c,1,8,x,get,0\n1,d,1,8,x,set,0\n"));
  options.format = TraceFormat::twitter;
  options.keys = TraceKeying::numbered;
  options.sessions = TraceOptions::Sessions::client;
  OnStore by_client(options);
  by_client.run();
  std::map<std::uint64_t, std::pair<NodeId, std::uint16_t>> who;
  for (const auto& one : by_client.store.asked) who[one.key.number()] = {one.session.node, one.session.thread};
  CHECK(who.size() == 4);
  CHECK(who[0] == who[2]);
  CHECK(who[0] == who[3]);
  options.sessions = TraceOptions::Sessions::turn;
  OnStore by_turn(options);
  by_turn.run();
  CHECK(by_turn.asked() == Strings{"0/0 0", "0/1 1", "1/0 2", "1/1 3!"});
}

TEST_CASE("sizes of values are the first or the largest of a key, or one for all") {
  const TemporaryFolder folder;
  auto options =
      options_for(folder.write("t.csv", kHeader + "0,0,0,get,1,0\n1,0,0,put,1,100\n2,0,0,put,1,300\n3,0,0,put,2,7\n"
                                                  "4,0,0,get,3,0\n"));
  options.value = 40;
  const auto bytes = [](const OnStore& t, std::uint64_t key) { return t.store.sizes.value_bytes(sim::Key{key}); };
  CHECK(bytes(OnStore(options), 1) == 40);
  options.sizes = TraceOptions::Sizes::first;
  CHECK(bytes(OnStore(options), 1) == 100);
  CHECK(bytes(OnStore(options), 2) == 7);
  CHECK(bytes(OnStore(options), 3) == 40);
  options.sizes = TraceOptions::Sizes::largest;
  const OnStore t(options);
  CHECK(bytes(t, 1) == 300);
  CHECK(t.store.sizes.large_value_bytes == 300);
}

TEST_CASE("what the protocol does not offer is refused by its line, or skipped and counted") {
  const TemporaryFolder folder;
  auto options =
      options_for(folder.write("t.csv", kHeader + "0,0,0,get,1,0\n1,0,0,delete,1,0\n2,0,0,scan,2,9\n3,0,0,begin,0,0\n"
                                                  "4,0,0,lock,1,0\n5,0,0,put,2,0\n"));
  CHECK(refusal([&] { OnStore{options}; }) == "line 3: a delete");
  options.unsupported = TraceOptions::Unsupported::skip;
  OnStore t(options);
  t.run();
  CHECK(t.asked() == Strings{"0/0 1", "0/0 2!"});
  CHECK(t.counter("trace.skipped") == 4);
}

TEST_CASE("what does not fit the rack is refused with its line before the run") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& lines, TraceOptions::Loop loop = TraceOptions::Loop::closed) {
    auto options = options_for(folder.write("t.csv", kHeader + "5,0,0,get,1,0\n" + lines));
    options.loop = loop;
    return refusal([&] { OnStore{options}; });
  };
  CHECK(refused("6,4,0,get,1,0\n") == "line 3: node 4");
  CHECK(refused("6,0,2,get,1,0\n") == "line 3: thread 2");
  CHECK(refused("6,0,0,get,1000,0\n") == "line 3: key 1000");
  CHECK(refused("6,0,0,get,x,0\n") == "line 3: the key \"x\"");
  CHECK(refused("4,0,0,get,1,0\n") == "line 3: a time 1000 ps before that of its session's record before");
  CHECK(refused("4,1,0,get,1,0\n").empty());
  CHECK(refused("4,1,0,get,1,0\n", TraceOptions::Loop::open) ==
        "line 3: a time 1000 ps before that of the record before");
  auto empty = options_for(folder.write("t.csv", kHeader));
  CHECK(refusal([&] { OnStore{empty}; }) == ": no record that could be replayed");
  auto untimed = options_for(folder.write("t.csv", "op,key\nget,1\n"));
  CHECK(refusal([&] { OnStore{untimed}; }) ==
        "sessions: a trace in the form csv, without columns \"node\" and \"thread\"");
  untimed.sessions = TraceOptions::Sessions::turn;
  CHECK(refusal([&] { OnStore{untimed}; }).empty());
  untimed.loop = TraceOptions::Loop::open;
  CHECK(refusal([&] { OnStore{untimed}; }) == "loop: a trace in the form csv, without times");
  untimed.loop = TraceOptions::Loop::closed;
  untimed.sessions = TraceOptions::Sessions::client;
  CHECK(refusal([&] { OnStore{untimed}; }) == "sessions: a trace in the form csv, without clients");
  auto memory = options_for(folder.write("t.csv", kHeader + "0,0,0,read,18446744073709551615,8\n"));
  CHECK(refusal([&] { OnMemory{memory}; }) == "line 2: object 0xffffffffffffffff and 8 bytes");
  memory.file = folder.write("t.csv", kHeader + "0,0,0,read,255,65\n");  // the last block at its home
  CHECK(refusal([&] { OnMemory{memory}; }) == "line 2: object 0xff and 65 bytes");
}

TEST_CASE("a file that is not checked before is refused where the run comes to it") {
  const TemporaryFolder folder;
  auto options = options_for(folder.write("t.csv", kHeader + "0,0,0,get,1,0\n1,0,0,get,2,0\n2,0,0,nonsense,3,0\n"));
  options.check_file = false;
  OnStore t(options);
  CHECK(refusal([&] { t.run(); }) == "line 4: the operation \"nonsense\"");
  // At time zero: the other sessions look for records of theirs.
  CHECK(t.asked() == Strings{"0/0 1"});
  auto twice = options_for(folder.write("t.csv", kHeader + "0,0,0,lock,1,64\n1,0,0,lock,1,64\n"));
  OnMemory memory(twice);
  CHECK(refusal([&] { memory.run(); }) == "line 3: a lock of block 0x1, which the session holds");
}

TEST_CASE("a node that is down issues nothing, and goes on with what comes when it is back") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += fmt::format("{},{},0,get,{},0\n", i * 100, i % 2, i);
  auto options = options_for(folder.write("t.csv", kHeader + lines));
  options.loop = TraceOptions::Loop::open;
  OnStore t(options);
  t.workload->start();
  t.calendar.run_until(at(2050_ns));
  t.rack.crash(1);
  t.calendar.run_until(at(5050_ns));
  t.rack.restart(1);
  t.calendar.run_until();
  CHECK(t.counter("trace.dropped") == 15);
  CHECK(t.store.asked.size() == 85);
  CHECK(t.workload->running() == 0);
}

TEST_CASE("in closed loop the others go on without a node that is down, and the trace ends") {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += fmt::format("{},{},0,get,{},0\n", i * 100, i % 2, i);
  for (const bool comes_back : {false, true}) {
    OnStore t(options_for(folder.write("t.csv", kHeader + lines)));
    bool told = false;
    t.workload->notify_after(1000, [&] { told = true; });
    t.workload->start();
    t.calendar.run_until(at(2500_ns));
    t.rack.crash(1);
    t.calendar.run_until(at(10500_ns));
    if (comes_back) t.rack.restart(1);
    t.calendar.run_until();
    std::uint64_t of_others = 0;
    for (const auto& one : t.store.asked) of_others += one.session.node == 0 ? 1 : 0;
    CHECK(of_others == 50);
    CHECK(told);
    CHECK(t.workload->running() == 0);
    CHECK(t.counter("trace.dropped") == 47);
  }
}

TEST_CASE("who is far ahead of a slow session waits for it, and nothing is lost") {
  // Node 1 has all its records behind those of node 0, which are more than may be read ahead.
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 70'000; ++i) lines += "0,0,0,get,1,0\n";
  for (int i = 0; i < 10; ++i) lines += "1,1,0,get,2,0\n";
  OnStore t(options_for(folder.write("t.csv", kHeader + lines)));
  t.run();
  CHECK(t.store.asked.size() == 70'010);
  CHECK(t.counter("trace.records") == 70'010);
  CHECK(t.workload->running() == 0);
  std::size_t first_of_other = 0;
  while (t.store.asked[first_of_other].session.node == 0) ++first_of_other;
  CHECK(first_of_other >= 70'000 - 65'536);
  CHECK(first_of_other < 70'000);
}

}  // namespace trace_workload_test
