// racksim switch prints the way of packets through a program, and refuses what it cannot send.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/tools/run_racksim.hpp"
#include "tools/lone_switch/capture.hpp"

namespace switch_command_test {

using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;
using Catch::StartsWith;

TEST_CASE("packets of an example are printed, as text or JSON, and captured by port") {
  const TemporaryFolder folder;
  const Outcome text = run_racksim(folder, "switch l2l3-forwarding scenarios/switch/forwarding.json --pcap captures");
  CHECK(text.status == 0);
  CHECK(text.err.empty());
  CHECK_THAT(text.out, StartsWith("program l2l3-forwarding: ") && Contains("packet 4 (unknown)"));
  // One packet to the known address, and a copy of the one to the group.
  CHECK(read_capture(content(folder.path() / "captures" / "port1.pcap"), "port1.pcap").frames.size() == 2);
  CHECK(!std::filesystem::exists(folder.path() / "captures" / "port3.pcap"));
  const Outcome json = run_racksim(folder, "switch l2l3-forwarding switch/forwarding.json --json");
  CHECK(json.status == 0);
  CHECK_THAT(json.out, StartsWith("{") && Contains("\"program\": \"l2l3-forwarding\""));
  const Outcome again = run_racksim(folder, "switch l2l3-forwarding captures/port1.pcap --port 3");
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Contains("packet 2: by port 3") && !Contains("of the capture's"));
}

TEST_CASE("a pipe is read once, whichever of both it holds, and what a capture lacks is told") {
  const TemporaryFolder folder;
  run_racksim(folder, "switch l2l3-forwarding switch/forwarding.json --pcap captures");
  const Outcome file = run_racksim(folder, "switch l2l3-forwarding captures/port1.pcap");
  const Outcome pipe = run_racksim(folder, "switch l2l3-forwarding /dev/stdin < captures/port1.pcap");
  CHECK(file.status == 0);
  CHECK(pipe.out == file.out);
  const auto piped = [&](const std::string& from, const std::string& arguments) {
    return run_racksim(folder, arguments, from + " | " + racksim::places::racksim_program());
  };
  CHECK(piped("cat captures/port1.pcap", "switch l2l3-forwarding /dev/stdin").out == file.out);
  const std::string packets = racksim::places::source_folder() + "/scenarios/switch/forwarding.json";
  CHECK(piped("cat " + packets, "switch l2l3-forwarding /dev/stdin").out ==
        run_racksim(folder, "switch l2l3-forwarding switch/forwarding.json").out);
  const Outcome cut = piped("head -c -1 captures/port1.pcap", "switch l2l3-forwarding /dev/stdin --json");
  CHECK(cut.status == 0);
  CHECK_THAT(cut.out, Contains("skipped: cut by the end of the file") && Contains("\"frames\": 2"));
  const Outcome zipped = piped("gzip -c captures/port1.pcap", "switch l2l3-forwarding /dev/stdin");
  CHECK(zipped.status == 2);
  CHECK_THAT(zipped.err, Contains("gzip's magic number") && Contains("zcat"));
  CHECK_THAT(run_racksim(folder, "switch l2l3-forwarding captures").err, Contains("found a directory"));
  CHECK_THAT(run_racksim(folder, "switch l2l3-forwarding none.pcap").err, Contains("found no such file"));
}

TEST_CASE("a file with expectations is a test, and one that is wrong leaves nothing behind") {
  const TemporaryFolder folder;
  const Outcome holds = run_racksim(folder, "switch example-digests scenarios/switch/learning.json --pcap captures");
  CHECK(holds.status == 0);
  CHECK(holds.err.empty());
  CHECK_THAT(holds.out, Contains(" expectations hold"));
  CHECK(std::filesystem::exists(folder.path() / "captures" / "port2.pcap"));

  const std::string begin =
      R"({"packets": [{"port": 0, "headers": {"ethernet": {"dst": 2}}, "expect": [{"port": 5}]}])";
  std::ofstream(folder.path() / "fails.json") << begin << "}";
  const Outcome fails = run_racksim(folder, "switch l2l3-forwarding fails.json --json");
  CHECK(fails.status == 1);
  CHECK(fails.err == "fails.json: /packets/0/expect: found nothing that leaves, expected it leaving by port 5\n");
  CHECK_THAT(fails.out, Contains("\"expectations\": 1") && Contains("found nothing that leaves"));

  std::ofstream(folder.path() / "wrong.json") << begin << R"(, "control": [{"at": "1us", "delete": {"table": "no"}}]})";
  const Outcome wrong = run_racksim(folder, "switch l2l3-forwarding wrong.json --pcap other");
  CHECK(wrong.status == 2);
  CHECK(wrong.out.empty());
  CHECK_THAT(wrong.err, StartsWith("wrong.json: /control/0/delete/table: found \"no\""));
  CHECK(!std::filesystem::exists(folder.path() / "other"));
}

TEST_CASE("packets that go round for too long are refused with the reason") {
  const TemporaryFolder folder;
  // A packet that goes round for ever, of which each pass is kept.
  std::ofstream(folder.path() / "round.json") << R"({"switch": {"ports": 4, "ports_per_pipe": 4}, "until": "1s",
             "tables": [{"table": "forward_by_mac", "key": {"ethernet.dst": 2}, "action": "forward_to_port",
                         "data": {"port": 4}}],
             "packets": [{"port": 0, "headers": {"ethernet": {"dst": 2}}}]})";
  const Outcome endless = run_racksim(folder, "switch l2l3-forwarding round.json");
  CHECK(endless.status == 2);
  CHECK(endless.out.empty());
  CHECK_THAT(endless.err, StartsWith("racksim switch: PACKETS: found more than 1000000 steps by ") &&
                              Contains("since each is kept to be printed"));
}

TEST_CASE("an unknown program, an unknown header and a port that the switch lacks are told by their place") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "p.json") << R"({"packets": [{"port": 0, "headers": {"etherne": {}}}]})";
  const Outcome program = run_racksim(folder, "switch l2l3-forwardin p.json");
  CHECK(program.status == 2);
  CHECK_THAT(program.err, Contains("did you mean \"l2l3-forwarding\"?"));
  const Outcome header = run_racksim(folder, "switch l2l3-forwarding p.json");
  CHECK(header.status == 2);
  CHECK(header.out.empty());
  CHECK_THAT(header.err, StartsWith("p.json: /packets/0/headers/etherne: found \"etherne\""));
  const Outcome port = run_racksim(folder, "switch l2l3-forwarding p.json --setup p.json");
  CHECK(port.status == 2);
  CHECK_THAT(port.err, Contains("a capture as PACKETS"));
}

}  // namespace switch_command_test
