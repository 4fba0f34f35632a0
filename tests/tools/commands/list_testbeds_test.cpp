// racksim list testbeds.
#include <catch2/catch.hpp>
#include <sstream>

#include "tools/commands/command_line.hpp"
#include "tools/json/json_document.hpp"
#include "tools/scenario/catalogue.hpp"
#include "tools/scenario/testbed_list.hpp"

namespace list_testbeds_test {

using namespace racksim::tools;

namespace {

std::string list(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "list");
  std::ostringstream out, err;
  CHECK(run_command_line(std::move(arguments), built_in_catalogue(), out, err) == exit_ok);
  CHECK(err.str().empty());
  return out.str();
}

}  // namespace

TEST_CASE("list testbeds tells what each is made of, its rates and what was fitted") {
  const auto text = list({"testbeds"});
  CHECK_THAT(text, Catch::Contains(R"(concordia-8
  The cluster of the Concordia paper: 8 servers with ConnectX-5 NICs on a Tofino switch with 32 ports of 100 Gb/s.
  parts  server, connectx-5, tofino-1, rack
  rates  8 nodes, links of 100Gbps, NICs of 100 M messages/s
  calibrated
    nic.transmit_latency  110ns  on: small-packet round trip of 2170 ns through a switch

gam-8
)"));
  CHECK_THAT(text, Catch::Contains("nic.transmit_latency     199.3ns   on: "));
  CHECK_THAT(text, Catch::Contains("rates  9 nodes, links of 54Gbps, NICs of 59.5 M messages/s\n"));
  CHECK_THAT(text, !Catch::Contains("parts/") && !Catch::Contains("unreadable"));
}

TEST_CASE("list testbeds --json has the constants as members") {
  const auto document = parse_json(list({"testbeds", "--json"}), "list");
  std::vector<std::string> names;
  for (const auto& testbed : *document.elements()) {
    const auto& name = *testbed.find("name")->string();
    names.push_back(name);
    CHECK(!testbed.find("doc")->string()->empty());
    if (name != "selcc-16") continue;
    CHECK(to_canonical_json(*testbed.find("parts")) == R"(["server","connectx-3","forwarding-switch","rack"])");
    CHECK(testbed.find("nodes")->natural() == 16);
    CHECK(*testbed.find("link")->find("rate")->string() == "54.5Gbps");
    CHECK(testbed.find("nic")->find("message_rate")->natural() == 22'200'000);
    const auto& fitted = *testbed.find("calibrated")->elements();
    REQUIRE(fitted.size() == 3);
    CHECK(to_canonical_json(fitted[1]) ==
          R"({"constant":"nic.queue_pair_cache","on":"7.7 M READs/s a machine of 32 B, 11 machines","value":74})");
  }
  CHECK(names ==
        std::vector<std::string>{"cckvs-9", "concordia-8", "gam-8", "selcc-16", "selcc-16-infiniband", "starcache-8"});
}

TEST_CASE("a testbed that cannot be read is listed with what is wrong with it") {
  ListedTestbed broken;
  broken.name = "broken";
  broken.error = "broken.json: /nodes: found the number 0";
  CHECK(testbeds_text({broken}) == "broken\n  (unreadable) broken.json: /nodes: found the number 0\n");
  CHECK(to_canonical_json(testbeds_json({broken})) ==
        R"([{"error":"broken.json: /nodes: found the number 0","name":"broken"}])");
}

}  // namespace list_testbeds_test
