// racksim switch prints the way of packets through a program, and refuses what it cannot send.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/tools/run_racksim.hpp"
#include "tools/lone_switch/pcap.hpp"

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
  CHECK(read_pcap((folder.path() / "captures" / "port1.pcap").string()).size() == 2);
  CHECK(!std::filesystem::exists(folder.path() / "captures" / "port3.pcap"));
  const Outcome json = run_racksim(folder, "switch l2l3-forwarding switch/forwarding.json --json");
  CHECK(json.status == 0);
  CHECK_THAT(json.out, StartsWith("{") && Contains("\"program\": \"l2l3-forwarding\""));
  const Outcome again = run_racksim(folder, "switch l2l3-forwarding captures/port1.pcap --port 3");
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Contains("packet 2: by port 3"));
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
