// Captures go through a program and come out again, byte by byte.
#include "tools/lone_switch/pcap.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/tools/lone_switch/examples.hpp"
#include "tests/tools/refusal.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace pcap_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using Catch::Contains;

namespace {

std::string file_with(const TemporaryFolder& folder, const std::string& bytes) {
  const auto path = (folder.path() / "in.pcap").string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// A frame of Ethernet and IPv4 to 10.0.0.9, with three bytes behind them.
std::vector<std::uint8_t> frame() {
  std::vector<std::uint8_t> bytes(14 + 20 + 3);
  bytes[5] = 0x0c;  // the destination's last byte
  bytes[12] = 0x08;
  bytes[14] = 0x45;
  bytes[30] = 10;
  bytes[33] = 9;
  bytes[34] = 0xca;
  bytes[35] = 0xfe;
  bytes[36] = 0x01;
  return bytes;
}

}  // namespace

TEST_CASE("frames become packets as the ingress parser reads them, and leave as the same bytes") {
  const TemporaryFolder folder;
  const auto program = program_named("l2l3-forwarding");
  const std::vector<CapturedFrame> captured{{sim::Time::from_ps(5'000'000), frame()},
                                            {sim::Time::from_ps(5'007'000), frame()}};
  const auto path = file_with(folder, pcap_bytes(captured));
  CHECK(is_pcap(path));
  const auto frames = read_pcap(path);
  REQUIRE(frames.size() == 2);
  CHECK(frames[1].at == sim::Time::from_ps(7000));
  auto setup = read_packet_file(
      parse_json(R"({"tables": [{"table": "forward_by_mac", "key": {"ethernet.dst": 12}, "action": "forward_to_port",
                     "data": {"port": 5}}]})",
                 "setup.json"),
      "setup.json", *program, true);
  setup.packets = packets_of(frames, *program, 2, path);
  REQUIRE(setup.packets.size() == 2);
  CHECK(setup.packets[0].headers.size() == 2);
  CHECK(setup.packets[0].payload_bytes == 3);
  const auto story = send_through_switch(program, setup);
  const auto left = all<DepartureStory>(story.packets[0]);
  REQUIRE(left.size() == 1);
  CHECK(left[0].second.port == 5);
  CHECK(left[0].second.bytes == frame());
}

TEST_CASE("a capture is read in either byte order, with microseconds too") {
  const TemporaryFolder folder;
  std::string bytes("\xa1\xb2\xc3\xd4\x00\x02\x00\x04\0\0\0\0\0\0\0\0\x00\x04\x00\x00\x00\x00\x00\x01", 24);
  const auto add = [&](char microseconds) {
    bytes += std::string("\0\0\0\0\0\0\0", 7) + microseconds + std::string("\0\0\0\x0e\0\0\0\x0e", 8) +
             std::string(14, '\0');
  };
  add(1);
  add(4);
  const auto frames = read_pcap(file_with(folder, bytes));
  REQUIRE(frames.size() == 2);
  CHECK(frames[0].at == sim::Time{});
  CHECK(frames[1].at == sim::Time::from_ps(3'000'000));
  CHECK(frames[0].bytes.size() == 14);
}

TEST_CASE("what is no capture, of another link type, cut or without the first header is refused") {
  const TemporaryFolder folder;
  const auto good = pcap_bytes(std::vector<CapturedFrame>{{sim::Time{}, frame()}});
  const auto refused = [&](const std::string& bytes) {
    const auto path = file_with(folder, bytes);
    return refusal([&] { read_pcap(path); });
  };
  CHECK_THAT(refused("{}"), Contains("byte 0: found 2 bytes to the end, expected 24 bytes"));
  CHECK_THAT(refused(std::string(24, 'x')), Contains("the magic number of a capture"));
  auto other = good;
  other[20] = 113;
  CHECK_THAT(refused(other), Contains("byte 20: found link type 113"));
  CHECK_THAT(refused(good.substr(0, good.size() - 1)), Contains("byte 40"));
  CHECK_THAT(refused(good.substr(0, 24)), Contains("found no frames"));
  CHECK_THAT(refusal([&] { is_pcap(folder.path().string()); }), Contains("found a folder"));
  CHECK_THAT(refusal([&] { read_pcap((folder.path() / "none").string()); }), Contains("found nothing"));
  const std::vector<CapturedFrame> tiny{{sim::Time{}, std::vector<std::uint8_t>(13)}};
  CHECK_THAT(refusal([&] { packets_of(tiny, *program_named("l2l3-forwarding"), 0, "tiny.pcap"); }),
             Contains("tiny.pcap: frame 1: found 13 bytes"));
}

}  // namespace pcap_test
