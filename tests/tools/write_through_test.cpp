// A protocol that lives in one folder of the tests (tests/write_through) gets oracles, faults, fuzzing, charts, tables
// of options and litmus tests, though nothing else names it; and the oracles of memory models see what its store
// buffers do.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "tests/places.hpp"
#include "tests/tools/run_racksim.hpp"

namespace write_through_test {

using Catch::Contains;
using racksim::tools::testing::Outcome;
using namespace racksim;

namespace {

const std::string kFolder = places::source_folder() + "/tests/write_through/";

Outcome run(const std::string& arguments) {
  const tools::testing::TemporaryFolder folder;
  return tools::testing::run_racksim(folder, arguments, places::write_through_program());
}

std::string micro(const std::string& sets) {
  return "run " + kFolder + "micro.json " + sets;
}
std::string litmus(const std::string& sets) {
  return "run " + kFolder + "litmus.json --set protocol.write-through.store_buffer=" + sets;
}

std::uint64_t events_in(const std::string& report) {
  const auto end = report.find(" events\n");
  REQUIRE(end != std::string::npos);
  return std::stoull(report.substr(report.rfind(' ', end - 1) + 1, end));
}

const char* const kLoss = " --set 'faults=[{\"kind\":\"noise\",\"loss\":0.02}]'";
// Message passing in which a lost packet of x may let y overtake it.
const std::string kMessagePassing =
    " --set workload.program=mp --set workload.spread=20us --set workload.repetitions=2000"
    " --set workload.pause=0us" +
    std::string(kLoss);
const std::string kSaidSo = " --set 'workload.allowed=r0=1 & r1=0'";

}  // namespace

TEST_CASE("the program with the folder knows the protocol, the one without does not") {
  CHECK_THAT(run("list protocols").out, Contains("write-through  a directory"));
  const tools::testing::TemporaryFolder folder;
  CHECK(tools::testing::run_racksim(folder, "run " + kFolder + "micro.json").status == 2);
}

TEST_CASE("it keeps what it promises with each buffer, all modes of the benchmark and lost packets") {
  const std::string buffer = GENERATE(as<std::string>{}, "none", "in-order", "by-line");
  const std::string mode = GENERATE(as<std::string>{}, "access", "lock-and-access");
  const std::string faults = GENERATE(as<std::string>{}, "", kLoss);
  INFO(buffer << " " << mode << " " << faults);
  const auto outcome =
      run(micro("--set protocol.write-through.store_buffer=" + buffer + " --set workload.mode=" + mode + faults));
  CHECK(outcome.status == 0);
  const std::string checked = outcome.out.substr(outcome.out.find("\nchecked "));
  for (const std::string model : {"data-value", "sc", "tso", "pso", "mutual-exclusion"}) {
    INFO(model);
    const bool expected = model == "mutual-exclusion" || (model == "tso" && buffer == "in-order") ||
                          (model == "pso" && buffer == "by-line") ||
                          ((model == "data-value" || model == "sc") && buffer == "none");
    CHECK((checked.find(" " + model + " (") != std::string::npos) == expected);
  }
}

// The crashes are the outages of a profile that begins at 1 us. A node that is off has no actor, and one that is on
// again has a new one, whose sleep begins at its return.
TEST_CASE("actors die with their nodes and return with them") {
  const auto outcome =
      run(micro("--set protocol.write-through.heartbeat=7us --set run.measure=300us "
                "--set 'faults=[{\"kind\": \"availability\", \"node\": 3, \"from\": \"1us\", \"profile\": \"0.0001 0; "
                "0.00012 1; 0.0002 0\", \"stays_down\": true}]' --set check.all=false --json"));
  // The beats are counted to the end of the drain, which the node that stays down makes last as long as it may.
  const std::string key = "\"simulated_ns\": ";
  const auto at = outcome.out.find(key);
  REQUIRE(at != std::string::npos);
  const std::uint64_t microseconds = std::stoull(outcome.out.substr(at + key.size())) / 1000;
  const std::uint64_t others = 3 * (microseconds / 7), crashing = 101 / 7 + (201 - 121) / 7;
  CHECK_THAT(outcome.out, Contains(fmt::format("\"heartbeats\": {},", others + crashing)));
}

TEST_CASE("an exception in a task, an actor or an observer ends the run with status 3, the last event and the replay") {
  const std::string who = GENERATE(as<std::string>{}, "task", "actor", "observer");
  const std::string sets = "--seed 5 --set protocol.write-through.defect=" + who;
  const auto outcome = run(micro(sets));
  CHECK(outcome.status == 3);
  CHECK_THAT(outcome.err,
             Contains("racksim: internal error: a defect in a" + std::string(who == "task" ? " " : "n ") + who));
  const auto event = outcome.err.find("\n  last event: number ");
  REQUIRE(event != std::string::npos);
  // The first operation, packet or beat after 50 us.
  CHECK_THAT(outcome.err.substr(event), Contains(" at 50") && Contains(" ns, on lane \""));
  CHECK_THAT(outcome.err, Contains("\n  replay: racksim run " + kFolder + "micro.json " + sets + "\n"));
  CHECK(outcome.out.empty());
}

// First come, first served: of each of the 31 other sessions one request that began later may be granted while this one
// is on its way, and one may be before it in the queue.
TEST_CASE("no session is overtaken more than twice by each other one in the queue for a lock") {
  const auto outcome =
      run(micro("--set workload.mode=lock --set workload.threads=8 --set workload.read_ratio=0.9 --set "
                "workload.sharing_ratio=1 --set workload.shared_bytes=64B --set run.measure.operations=6000 --set "
                "check.lock-fairness=true --set run.schedule.jitter=100ns --set 'expect={\"locks.most_overtakings\": "
                "{\"min\": 1, \"max\": 2}}'"));
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
}

TEST_CASE("a write that does not wait for invalidations is seen") {
  const auto outcome = run(micro("--set protocol.write-through.await_invalidations=false"));
  CHECK(outcome.status == 1);
  CHECK_THAT(outcome.out, Contains("sc at ") && Contains("which memory did not hold meanwhile"));
}

TEST_CASE("a store buffer breaks sequential consistency, and one by line total store order") {
  const auto in_order = run(micro("--set protocol.write-through.store_buffer=in-order --set check.sc=true"));
  CHECK(in_order.status == 1);
  CHECK_THAT(in_order.out, Contains("sc at ") && Contains("was not performed"));
  const auto by_line = run(micro("--set protocol.write-through.store_buffer=by-line --set check.tso=true"));
  CHECK(by_line.status == 1);
  CHECK_THAT(by_line.out, Contains("tso at ") && Contains("was not performed"));
}

TEST_CASE("store buffering shows what total store order allows, and no memory without buffers") {
  CHECK_THAT(run(litmus("none")).out, !Contains("litmus.r0_0_r1_0"));
  const auto buffered = run(litmus("in-order"));
  CHECK(buffered.status == 0);
  CHECK_THAT(buffered.out, Contains("litmus.r0_0_r1_0"));
  const auto promised = run(litmus("in-order --set workload.model=sc"));
  CHECK(promised.status == 1);
  CHECK_THAT(promised.out, Contains("litmus at "));
  CHECK(run(litmus("in-order --set workload.model=tso")).status == 0);
  CHECK(run(litmus("in-order --set check.sc=true")).status == 1);
  CHECK_THAT(run(litmus("in-order --set workload.program=sb+fences --set 'workload.allowed=r0=0 & r1=0'")).out,
             !Contains("litmus.r0_0_r1_0") && Contains("verdict      pass"));
}

TEST_CASE("message passing shows what partial store order allows, and not with buffers in order") {
  const auto by_line = run(litmus("by-line --set workload.model=pso" + kMessagePassing + kSaidSo));
  CHECK(by_line.status == 0);
  CHECK_THAT(by_line.out, Contains("litmus.r0_1_r1_0"));
  const auto in_order = run(litmus("in-order --set workload.model=tso" + kMessagePassing + kSaidSo));
  CHECK(in_order.status == 0);
  CHECK_THAT(in_order.out, !Contains("litmus.r0_1_r1_0"));
  CHECK(run(litmus("by-line --set workload.model=tso" + kMessagePassing)).status == 1);
  CHECK(run(litmus("by-line --set check.tso=true" + kMessagePassing + kSaidSo)).status == 1);
}

TEST_CASE("it is warmed up by running it, before the run and outside its counters") {
  // Private data that are only read: once they are cached nobody sends anything.
  const std::string reads =
      "--verbose --set workload.sharing_ratio=0 --set workload.read_ratio=1 --set workload.warm_passes=";
  const auto cold = run(micro(reads + "0")), warm = run(micro(reads + "20"));
  CHECK(cold.status == 0);
  CHECK(warm.status == 0);
  CHECK_THAT(cold.out, Contains("packets.created"));
  CHECK_THAT(warm.out, !Contains("packets.created"));
  CHECK_THAT(warm.out, Contains("verdict      pass"));
  // What the warm-up has done is no event of the run: however long it was, the run is the same.
  const auto warmer = run(micro(reads + "40"));
  CHECK(events_in(warm.out) == events_in(warmer.out));
  CHECK(events_in(warm.out) < events_in(cold.out));
}

TEST_CASE("servers of memory apart from those that compute") {
  const auto outcome = run(micro("--set rack.nodes=6 --set rack.roles.compute=4 --set rack.roles.memory=2"));
  CHECK(outcome.status == 0);
  const auto again = run(micro("--set rack.nodes=6 --set rack.roles.compute=4 --set rack.roles.memory=2"));
  CHECK(outcome.out.substr(outcome.out.find("run hash")) == again.out.substr(again.out.find("run hash")));
}

TEST_CASE("a node that crashes leaves no lock behind, whether it holds one, waits for one or does neither") {
  // Four sessions on one lock, which two other nodes keep. What node 1 was about at the instant of its crash shows
  // where nobody frees its locks: a lock that it holds is named by the oracle, one that it is granted later is leaked.
  const std::string contended = micro(
      "--set rack.nodes=6 --set rack.roles.compute=4 --set rack.roles.memory=2 --set workload.mode=lock-and-access "
      "--set workload.threads=1 --set workload.sharing_ratio=1 --set workload.shared_bytes=64B --set run.measure=1ms "
      "--set run.drain=10ms --set check.lock-fairness=true ");
  unsigned holding = 0, waiting = 0;
  for (unsigned us = 200; us < 212; ++us) {
    const std::string crash =
        "--set 'faults=[{\"kind\": \"crash\", \"node\": 1, \"from\": \"" + std::to_string(us) + "us\", ";
    for (const std::string end : {"\"stays_down\": true}]' ", "\"until\": \"400us\"}]' "}) {
      const auto freed = run(contended + crash + end);
      INFO(us << " us, " << end << freed.out << freed.err);
      CHECK(freed.status == 0);
      CHECK_THAT(freed.out, Contains("lock-fairness (") && Contains(" mutual-exclusion (") && Contains(" progress (") &&
                                Contains(" served (") && Contains("verdict      pass"));
    }
    const auto kept = run(contended + crash + "\"stays_down\": true}]' --set protocol.write-through.free_locks=false");
    const bool held = kept.out.find("mutual-exclusion at ") != std::string::npos;
    const bool leaked = kept.out.find("leaked-lock at ") != std::string::npos;
    INFO(us << " us, " << kept.out);
    CHECK(kept.status == (leaked ? 1 : 0));
    if (held) CHECK_THAT(kept.out, Contains("by n1.t0 #") && Contains(" (since ") && Contains("at the end"));
    if (leaked) CHECK_THAT(kept.out, Contains("progress at ") && Contains("never ended"));
    holding += held ? 1 : 0;
    waiting += leaked && !held ? 1 : 0;
  }
  CHECK(holding > 0);
  CHECK(waiting > 0);
}

TEST_CASE("a figure of it is run and drawn from its own folder, and nothing else is touched") {
  const tools::testing::TemporaryFolder folder;
  const auto figure = [&](const std::string& options) {
    return tools::testing::run_racksim(folder, "figure " + kFolder + "figure.json --quick --out points " + options,
                                       places::write_through_program());
  };
  const auto text = figure("");
  INFO(text.out << text.err);
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("none") && Contains("in-order") && Contains("by-line") && !Contains("  off"));
  CHECK_THAT(text.out, Contains("own/buffers-hide-writes") && Contains("own/writes-cost-without-buffers"));
  const std::string csv = tools::testing::content(folder.path() / "points" / "points.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') >= 3 * 3);
  // Nothing is left beside the points (and what was printed), and a second call runs none of them again.
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) left.insert(entry.path().filename());
  CHECK(left == std::set<std::string>{"err", "out", "points"});
  CHECK_THAT(figure("").out, Contains("9 of 9 points were run by an earlier call"));
  CHECK_THAT(figure("--json").out, Contains("\"own/buffers-hide-writes\""));
}

TEST_CASE("it is fuzzed, and the mistake in it is found and made small") {
  CHECK(run("fuzz " + kFolder + "micro.json --runs 40").status == 0);
  const auto broken =
      run("fuzz " + kFolder + "micro.json --runs 40 --set protocol.write-through.await_invalidations=false");
  CHECK(broken.status == 1);
  CHECK_THAT(broken.out, Contains("shrunk"));
}

TEST_CASE("its messages have names in the chart of a violation, as text and as a drawing") {
  const tools::testing::TemporaryFolder folder;
  const auto outcome = tools::testing::run_racksim(
      folder,
      "explain " + kFolder + "micro.json --set protocol.write-through.await_invalidations=false --svg chart.svg",
      places::write_through_program());
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("which memory did not hold meanwhile") && Contains("<- named by the violation"));
  const std::string svg = tools::testing::content(folder.path() / "chart.svg");
  for (const char* message : {"READ", "WRITE", "INVALIDATE", "REPLY "}) {
    CHECK_THAT(outcome.out, Contains(message));
    CHECK_THAT(svg, Contains(message));
  }
  CHECK_THAT(svg, Contains("<svg") && Catch::EndsWith("</svg>\n"));
}

TEST_CASE("a workload, a fault and an oracle of the folder are found by name, in the schema, in lists and in fuzzing") {
  CHECK_THAT(run("list workloads").out, Contains("\ncounting  ") || Catch::StartsWith("counting  "));
  CHECK_THAT(run("list faults").out, Contains("\nunplugged  "));
  CHECK_THAT(run("list oracles").out, Contains("\ncounted-once  "));
  const std::string schema = run("schema").out;
  for (const char* name : {"\"counting\"", "\"unplugged\"", "\"counted-once\""}) CHECK_THAT(schema, Contains(name));
  const tools::testing::TemporaryFolder folder;
  for (const char* kind : {"workloads", "faults", "oracles"}) {
    const auto without = tools::testing::run_racksim(folder, std::string("list ") + kind).out;
    for (const char* name : {"counting", "unplugged", "counted-once"}) CHECK_THAT(without, !Contains(name));
  }
  const std::string counting =
      "--set 'workload={\"kind\": \"counting\", \"threads\": 2}' "
      "--set 'check={\"all\": true, \"counted-once\": true}' ";
  const auto counted = run(micro(counting + "--set 'faults=[{\"kind\": \"unplugged\", \"node\": 1, \"from\": \"50us\", "
                                            "\"until\": \"90us\"}]'"));
  INFO(counted.out << counted.err);
  CHECK(counted.status == 0);
  CHECK_THAT(counted.out, Contains(" counted-once (") && Contains(" data-value (") && !Contains(" 0 retransmitted"));
  CHECK_THAT(counted.out, Contains("nic.rc_retransmitted"));  // for a node was unplugged
  // Some of the runs that show a mistake have had the fault.
  run("fuzz " + kFolder + "micro.json --runs 60 --failures 60 --no-shrink --out " + (folder.path() / "found").string() +
      " --set protocol.write-through.await_invalidations=false");
  bool drawn = false;
  for (const auto& file : std::filesystem::directory_iterator(folder.path() / "found")) {
    drawn = drawn || tools::testing::content(file.path()).find("\"unplugged\"") != std::string::npos;
  }
  CHECK(drawn);
  CHECK(run("validate " + kFolder + "micro.json --set faults.0.kind=unpluged").status == 2);
}

TEST_CASE("sessions that lock in a circle stall the run, and the report says who waits for whom") {
  const auto locks = [](const char* under) {
    return run(micro(std::string("--set 'workload={\"kind\": \"counting\", \"under\": \"") + under +
                     "\"}' --set rack.nodes=2"));
  };
  const auto ordered = locks("locks");
  INFO(ordered.out << ordered.err);
  CHECK(ordered.status == 0);
  CHECK_THAT(ordered.out, !Contains("who waits for whom"));
  const auto crossed = locks("crossed-locks");
  INFO(crossed.out << crossed.err);
  CHECK(crossed.status == 1);
  CHECK_THAT(crossed.out, Contains("stall at ") && Contains("who waits for whom, when it stood still:"));
  CHECK_THAT(crossed.out, Contains("in a circle: node0/thread0 -> node1/thread0 -> node0/thread0") ||
                              Contains("in a circle: node1/thread0 -> node0/thread0 -> node1/thread0"));
  CHECK_THAT(crossed.out, Contains("node0/thread0 waits for node1/thread0: lock of 0x"));
  CHECK_THAT(crossed.out, Contains("node1/thread0 waits for node0/thread0: lock of 0x"));
  // Both had held both locks before, and given them back.
  for (const std::string node : {"node0", "node1"}) {
    CHECK_THAT(crossed.out, !Contains(node + "/thread0 waits for " + node));
  }
}

TEST_CASE("fuzzing finds an invariant that breaks unseen, shrinks it and writes scenarios whose runs show it") {
  const tools::testing::TemporaryFolder folder;
  const std::string defect =
      " --set protocol.write-through.store_buffer=in-order --set protocol.write-through.buffer_entries=1"
      " --set protocol.write-through.defect=";
  const std::string out = (folder.path() / "found").string();
  const std::string kWhat = "a store buffer holds no more writes than it has entries (writes_.size() <= entries_)";
  const auto fuzzed = run("fuzz " + kFolder + "micro.json --runs 5 --out " + out + defect + "buffer");
  INFO(fuzzed.out << fuzzed.err);
  CHECK(fuzzed.status == 1);
  CHECK_THAT(fuzzed.out, Contains("  run 0: invariant at ") &&
                             Contains("broken invariant at tests/write_through/session_buffer.hpp:") &&
                             Contains(kWhat) && Contains("last event: number ") && Contains("to a local minimum"));
  for (const char* file : {"run-0.json", "run-0-shrunk.json"}) {
    const auto replayed = run("run " + out + "/" + file);
    CHECK(replayed.status == 3);
    CHECK_THAT(replayed.err, Contains(kWhat));
  }
  const auto only = run("fuzz " + kFolder + "micro.json --only 0" + defect + "buffer");
  CHECK(only.status == 3);
  CHECK_THAT(only.err, Contains(kWhat));
  CHECK(run("fuzz " + kFolder + "micro.json --runs 5 --out " + out + defect + "none").status == 0);
  const auto asked = run(micro(defect.substr(1) + "buffer --set run.check_invariants=true"));
  CHECK(asked.status == 3);
  CHECK_THAT(asked.err, Contains(kWhat));
#ifdef NDEBUG
  CHECK(run(micro(defect.substr(1) + "buffer")).status == 0);  // no oracle sees it
#endif
}

}  // namespace write_through_test
