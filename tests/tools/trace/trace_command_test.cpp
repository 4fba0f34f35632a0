// racksim trace, and replays as a person runs them: what a run has recorded comes again, in either form, from a file or a
// pipe, and what is wrong in the middle of a pipe ends the run as bad input.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/tools/run_racksim.hpp"

namespace trace_command_test {

using namespace racksim;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

const std::string kHeader = "time_ns,node,thread,op,key,size\n";

std::string scenario(const std::string& protocol, const std::string& testbed, const std::string& workload) {
  return R"({"version": 1, "name": "t", "seed": 3, "rack": {"testbed": ")" + testbed + R"("}, "protocol": {"name": ")" +
         protocol + R"("}, "workload": )" + workload +
         R"(, "run": {"measure": {"operations": 3000}, "drain": "100ms"}})";
}

/// Operation, key and size of each record, by node and thread, from a recording.
std::map<std::string, std::vector<std::string>> by_session(const std::string& csv) {
  std::map<std::string, std::vector<std::string>> sessions;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string time, node, thread, op, key, size;
    std::getline(fields, time, ',');
    std::getline(fields, node, ',');
    std::getline(fields, thread, ',');
    std::getline(fields, op, ',');
    std::getline(fields, key, ',');
    std::getline(fields, size, ',');
    sessions[node + "/" + thread].push_back(op + " " + key + " " + size);
  }
  return sessions;
}

std::string hash_of(const Outcome& run) {
  INFO(run.err);
  CHECK(run.status == 0);
  std::smatch found;
  CHECK(std::regex_search(run.out, found, std::regex("\"run_hash\": \"([0-9a-f]{32})\"")));
  return found[1];
}

}  // namespace

TEST_CASE("a replayed recording issues the same operations of each session in the same order") {
  const auto [protocol, testbed, recorded, replayed] = GENERATE(table<std::string, std::string, std::string,
                                                                      std::string>(
      {{"flowcc", "concordia-8",
        R"({"kind": "micro", "mode": "fenced", "threads": 2, "sharing_ratio": 0.8, "working_set": "1MiB", "shared_bytes": "64KiB"})",
        R"("memory": "4MiB")"},
       {"nocache", "starcache-8",
        R"({"kind": "key-value", "threads": 2, "keys": 1000, "write_ratio": 0.3, "loop": "closed"})",
        R"("sizes": "largest")"}}));
  const TemporaryFolder folder;
  folder.write("record.json", scenario(protocol, testbed, recorded));
  folder.write("replay.json", scenario(protocol, testbed,
                                       R"({"kind": "trace", "file": "first.csv", "threads": 2, )" + replayed + "}"));
  INFO(protocol);
  CHECK(run_racksim(folder, "run record.json --quiet --set observe.operations=first.csv").status == 0);
  CHECK(run_racksim(folder, "run record.json --quiet --set observe.operations=first.bin").status == 0);
  const auto first = by_session(content(folder.path() / "first.csv"));
  for (const char* loop : {"closed", "open"}) {
    const Outcome run = run_racksim(folder, std::string("run replay.json --quiet --set run.measure.operations=100000 "
                                                        "--set observe.operations=second.csv --set workload.loop=") +
                                                loop);
    INFO(run.err);
    CHECK(run.status == 0);
    const auto second = by_session(content(folder.path() / "second.csv"));
    CHECK(first.size() > 4);
    CHECK(second == first);
  }
  // The form does not matter, nor whether the file can be read twice.
  const std::string hash = hash_of(run_racksim(folder, "run replay.json --json"));
  CHECK(hash_of(run_racksim(folder, "run replay.json --json --set workload.file=first.bin")) == hash);
  CHECK(hash_of(run_racksim(folder,
                            "run replay.json --json --set workload.file=/dev/stdin --set workload.sizes=fixed "
                            "--set workload.format=csv <first.csv")) ==
        hash_of(
            run_racksim(folder, "run replay.json --json --set workload.sizes=fixed --set workload.check_file=false")));
}

TEST_CASE("a trace comes back from its binary form with the same bytes") {
  const TemporaryFolder folder;
  std::string text = kHeader;
  int i = 0;
  for (const char* op :
       {"read", "write", "compare-and-swap", "fetch-and-add", "fence", "lock", "shared lock", "try-lock",
        "shared try-lock", "unlock", "allocate", "free", "get", "put", "delete", "scan", "begin", "commit"}) {
    text += std::to_string(i) + ".00" + std::to_string(i % 10) + "," + std::to_string(i % 3) + "," +
            std::to_string(i % 2) + "," + op + "," + std::to_string(std::uint64_t{1} << (3 * i)) + "," +
            std::to_string(i * 100) + "\n";
    ++i;
  }
  folder.write("one.csv", text);
  CHECK(run_racksim(folder, "trace convert one.csv two.bin").err == "18 records in two.bin\n");
  CHECK(std::filesystem::file_size(folder.path() / "two.bin") == 19 * 32);
  CHECK(run_racksim(folder, "trace convert two.bin three.csv").status == 0);
  CHECK(content(folder.path() / "three.csv") == text);
  CHECK(run_racksim(folder, "trace convert /dev/stdin /dev/stdout <two.bin").out == text);
  // Also from a pipe, whose length nobody knows, and into one.
  CHECK(run_racksim(folder, "trace convert /dev/stdin four.bin <one.csv").status == 0);
  CHECK(content(folder.path() / "four.bin") == content(folder.path() / "two.bin"));
}

TEST_CASE("a public trace gets numbers for its keys, and sessions") {
  const TemporaryFolder folder;
  folder.write("t", "0,a,1,8,x,get,0\n3,b,1,20,y,set,60\n3,a,1,8,x,delete,0\n");
  CHECK(run_racksim(folder, "trace convert t t.csv --format twitter").err ==
        "t: line 1: found the key \"a\", expected a number, or --keys hashed or numbered\n");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "t.csv"));
  CHECK(run_racksim(folder, "trace convert t t.csv --format twitter --keys numbered").status == 0);
  CHECK(content(folder.path() / "t.csv") ==
        kHeader + "0.000,0,0,get,0,8\n3000000000.000,0,0,put,1,20\n3000000000.000,0,0,delete,0,8\n");
  CHECK(run_racksim(folder, "trace convert t t.csv --format twitter --keys numbered --key-space 1").status == 2);
  // All of a client come from one session; without clients, sessions take turns.
  CHECK(run_racksim(folder, "trace convert t t.csv --format twitter --keys hashed --nodes 8 --threads 8").status == 0);
  const auto sessions = by_session(content(folder.path() / "t.csv"));
  CHECK(sessions.size() == 2);
  folder.write("log", "READ usertable user1 [ <all fields>]\nREAD usertable user2 [ <all fields>]\n");
  CHECK(run_racksim(folder, "trace convert log t.csv --format ycsb --keys numbered --nodes 2").status == 0);
  CHECK(content(folder.path() / "t.csv") == kHeader + "0.000,0,0,get,0,0\n0.000,1,0,get,1,0\n");
}

TEST_CASE("what is in a trace is told in words and as JSON") {
  const TemporaryFolder folder;
  folder.write("t.csv", kHeader + "1.5,0,0,get,7,10\n4,2,1,put,9,30\n3,2,0,get,7,20\n");
  const Outcome words = run_racksim(folder, "trace info t.csv");
  CHECK(words.out ==
        "trace        t.csv (csv)\n"
        "records      3\n"
        "times        from 1500ps to 4ns, 1 records before the one in front of them\n"
        "sessions     nodes 0 to 2, threads 0 to 1\n"
        "operations   get 2 put 1\n"
        "keys         2 different, numbers up to 9\n"
        "sizes        20.0 bytes in the mean, 30 at most\n");
  const Outcome json = run_racksim(folder, "trace info t.csv --json");
  for (const char* part : {R"("records": 3)", R"("last_ns": 4.0)", R"("get": 2)", R"("keys": 2)", R"("bytes": 60)"}) {
    CHECK_THAT(json.out, Contains(part));
  }
  folder.write("log", "READ usertable user1 [ <all fields>]\n");
  CHECK_THAT(run_racksim(folder, "trace info log --format ycsb").out,
             Contains("none: for the closed loop") && Contains("1 records with other texts"));
}

TEST_CASE("wrong commands and wrong traces are refused in one line") {
  const TemporaryFolder folder;
  folder.write("bad.csv", kHeader + "0,0,0,frobnicate,1,1\n");
  folder.write("empty.csv", "");
  const auto refused = [&](const std::string& arguments, const std::string& said) {
    const Outcome run = run_racksim(folder, arguments);
    INFO(arguments);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, Contains(said));
  };
  refused("trace", "racksim trace: command line: found no command, expected \"info\" or \"convert\"");
  refused("trace inf", "found the unknown command \"inf\", expected \"info\" or \"convert\" (did you mean \"info\"?)");
  refused("trace info", "racksim trace info: command line: found no FILE");
  refused("trace info none.csv", "none.csv: the whole: found No such file or directory, expected a readable trace");
  refused("trace info bad.csv", "bad.csv: line 2: found the operation \"frobnicate\", expected read, write");
  refused("trace info bad.csv --format cvs", "--format: found \"cvs\"");
  refused("trace info bad.csv --format columns", "--columns: found no column for the key");
  refused("trace convert empty.csv out.csv", "empty.csv: the whole: found nothing, expected a trace");
  refused("trace convert bad.csv bad.csv", "bad.csv");
  CHECK(content(folder.path() / "bad.csv") == kHeader + "0,0,0,frobnicate,1,1\n");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out.csv"));
}

TEST_CASE("what is wrong in the middle of a pipe ends the run as bad input, and nothing is half written") {
  const TemporaryFolder folder;
  std::string text = kHeader;
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * 2000) + "," + std::to_string(i % 5) + ",0,get,7,0\n";
  folder.write("t.csv", text + "5000000,0,0,get\n");
  folder.write("replay.json", scenario("nocache", "starcache-8", R"({"kind": "trace", "file": "/dev/stdin"})"));
  for (const char* loop : {"closed", "open"}) {
    const Outcome run = run_racksim(folder, std::string("run replay.json --set observe.operations=ops.csv --set "
                                                        "observe.trace=events.jsonl --set workload.loop=") +
                                                loop + " <t.csv");
    INFO(loop);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_THAT(run.err,
               Contains("replay.json: /workload/file: found /dev/stdin line 2002: 4 fields, expected at least 6"));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename().string();
    CHECK((name == "t.csv" || name == "replay.json" || name == "out" || name == "err"));
  }
  // A file is looked through before anything begins.
  const Outcome checked = run_racksim(folder, "validate replay.json");
  CHECK(run_racksim(folder, "run replay.json --set workload.file=t.csv").status == 2);
}

TEST_CASE("a trace lies in the folder of the scenario that names it, also of one that others build on") {
  const TemporaryFolder folder;
  folder.write("traces/t.csv", kHeader + "0,0,0,get,1,0\n");
  folder.write("traces/base.json", scenario("nocache", "starcache-8", R"({"kind": "trace", "file": "t.csv"})"));
  folder.write("other/derived.json", R"({"version": 1, "base": "../traces/base.json", "seed": 3})");
  const std::string hash = hash_of(run_racksim(folder, "run traces/base.json --json"));
  CHECK(hash_of(run_racksim(folder, "run other/derived.json --json")) == hash);
  const Outcome missing = run_racksim(folder, "run traces/base.json --set workload.file=u.csv");
  CHECK(missing.status == 2);
  CHECK_THAT(missing.err, Contains("/workload/file: found \"u.csv\"") && Contains("did you mean \"t.csv\"?"));
  // What it reads is told, and is not written over.
  const Outcome json = run_racksim(folder, "run traces/base.json --json");
  CHECK_THAT(json.out, Contains("\"file\": \"traces/t.csv\""));
  CHECK(run_racksim(folder, "run traces/base.json --quiet --set observe.operations=traces/t.csv").status == 2);
}

}  // namespace trace_command_test
