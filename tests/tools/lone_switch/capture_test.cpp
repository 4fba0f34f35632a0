// Captures as they are in the field go through a program: in either format and byte order, with whatever is wrong with
// them. Bytes are laid out here as the formats' documents have them.
#include "tools/lone_switch/capture.hpp"

#include <catch2/catch.hpp>

#include "tests/tools/lone_switch/examples.hpp"
#include "tests/tools/refusal.hpp"
#include "tools/lone_switch/captured_packets.hpp"

namespace capture_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using namespace sim::literals;
using Catch::Contains;
using Remarks = std::vector<std::pair<std::string, std::uint64_t>>;

namespace {

/// A file that is put together, numbers in one of both orders.
struct File {
  bool big = false;
  std::string bytes{};

  File& number(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) bytes.push_back(static_cast<char>(value >> 8 * (big ? count - 1 - i : i) & 0xff));
    return *this;
  }
  File& word(std::uint64_t value) { return number(value, 4); }
  File& text(const std::string& more) {
    bytes += more;
    return *this;
  }

  // The classic format.
  File& head(std::uint32_t magic = 0xa1b2c3d4, std::uint32_t link = 1) {
    return word(magic).number(2, 2).number(4, 2).word(0).word(0).word(65535).word(link);
  }
  File& frame(std::uint32_t seconds, std::uint32_t fraction, const std::string& what, std::uint32_t whole = 0) {
    return word(seconds).word(fraction).word(what.size()).word(whole != 0 ? whole : what.size()).text(what);
  }

  // pcapng: a block's body is filled up to four bytes.
  File& block(std::uint32_t type, std::string body) {
    body.resize((body.size() + 3) / 4 * 4);
    const auto length = body.size() + 12;
    return word(type).word(length).text(body).word(length);
  }
  File part() const { return File{big}; }
  File& section() {
    return block(0x0a0d0d0a, part().word(0x1a2b3c4d).number(1, 2).number(0, 2).number(~0ULL, 8).bytes);
  }
  File& interface(std::uint32_t link, const std::string& options = "") {
    return block(1, part().number(link, 2).number(0, 2).word(0).text(options).bytes);
  }
  std::string option(std::uint32_t code, std::uint64_t value, int size) const {
    std::string filled = part().number(value, size).bytes;
    filled.resize((filled.size() + 3) / 4 * 4);
    return part().number(code, 2).number(static_cast<std::uint64_t>(size), 2).text(filled).bytes;
  }
  File& packet(std::uint32_t by, std::uint64_t time, const std::string& what, std::uint32_t whole = 0,
               const std::string& options = "") {
    std::string filled = what;
    filled.resize((filled.size() + 3) / 4 * 4);
    return block(6, part()
                        .word(by)
                        .word(time >> 32)
                        .word(time & 0xffffffff)
                        .word(what.size())
                        .word(whole != 0 ? whole : what.size())
                        .text(filled)
                        .text(options)
                        .bytes);
  }
};

/// A frame of Ethernet and IPv4 to 10.0.0.9, with so many bytes behind them.
std::string frame(std::size_t payload = 3) {
  std::string bytes(14 + 20 + payload, '\0');
  bytes[5] = 0x0c;  // the destination's last byte
  bytes[12] = 0x08;
  bytes[14] = 0x45;
  bytes[30] = 10;
  bytes[33] = 9;
  for (std::size_t i = 34; i < bytes.size(); ++i) bytes[i] = static_cast<char>(0xca + i);
  return bytes;
}

std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

Capture read(const File& file) {
  REQUIRE(is_capture(file.bytes));
  return read_capture(file.bytes, "in.pcap");
}

std::vector<sim::Time> instants(const Capture& capture) {
  std::vector<sim::Time> all;
  for (const CapturedFrame& one : capture.frames) all.push_back(one.at);
  return all;
}

sim::Time at(sim::Duration since_start) {
  return sim::Time{} + since_start;
}

std::string refused(const std::string& bytes) {
  return refusal([&] { read_capture(bytes, "in.pcap"); });
}

}  // namespace

TEST_CASE("frames become packets as the ingress parser reads them, and leave as the same bytes") {
  const auto program = program_named("l2l3-forwarding");
  const std::vector<CapturedFrame> captured{{at(5_us), bytes_of(frame())}, {at(5_us + 7_ns), bytes_of(frame())}};
  const auto written = pcap_bytes(captured);
  auto capture = read_capture(written, "in.pcap");
  REQUIRE(instants(capture) == std::vector{at(0_ns), at(7_ns)});
  auto setup = read_packet_file(
      parse_json(R"({"tables": [{"table": "forward_by_mac", "key": {"ethernet.dst": 12}, "action": "forward_to_port",
                     "data": {"port": 5}}]})",
                 "setup.json"),
      "setup.json", *program, true);
  setup.packets = packets_of(capture, *program, 2, "in.pcap");
  REQUIRE(setup.packets.size() == 2);
  CHECK(setup.packets[0].headers.size() == 2);
  CHECK(setup.packets[0].payload_bytes == 3);
  const auto story = send_through_switch(program, setup);
  const auto left = all<DepartureStory>(story.packets[0]);
  REQUIRE(left.size() == 1);
  CHECK(left[0].second.port == 5);
  CHECK(left[0].second.bytes == bytes_of(frame()));
}

TEST_CASE("both formats are read in either byte order, whatever the unit of their instants") {
  for (const bool big : {false, true}) {
    CAPTURE(big);
    const std::vector expected{at(0_ns), at(3_us)};
    CHECK(instants(read(File{big}.head().frame(9, 1, frame()).frame(9, 4, frame()))) == expected);
    CHECK(instants(read(File{big}.head(0xa1b23c4d).frame(9, 1000, frame()).frame(9, 4000, frame()))) == expected);
    const auto ng = [&](const std::string& options, std::uint64_t first, std::uint64_t second) {
      return read(File{big}.section().interface(1, options).packet(0, first, frame()).packet(0, second, frame()));
    };
    const File one{big};
    constexpr std::uint64_t kLate = std::uint64_t{1} << 40;  // both halves of an instant count
    CHECK(instants(ng("", kLate, kLate + 3)) == expected);
    CHECK(instants(ng(one.option(9, 9, 1), kLate, kLate + 3000)) == expected);
    CHECK(instants(ng(one.option(9, 0x80 | 20, 1), 0, 1U << 20)) == std::vector{at(0_ns), at(1000_ms)});
    CHECK(instants(ng(one.option(9, 12, 1) + one.option(14, 5, 8), 5, 3'000'005)) == expected);
    const auto frames = ng("", 1, 2).frames;
    CHECK(frames[1].bytes == bytes_of(frame()));
  }
}

TEST_CASE("a capture may be longer than a second, and out of order") {
  const auto capture = read(
      File{}.head().frame(1000, 7, frame(1)).frame(999, 7, frame(2)).frame(999, 8, frame(2)).frame(4000, 7, frame(3)));
  CHECK(instants(capture) == std::vector{at(0_ns), at(1_us), at(1000_ms), at(3001 * 1000_ms)});
  CHECK(capture.frames[0].bytes == bytes_of(frame(2)));
  CHECK(capture.remarks.all() ==
        Remarks{{"captured after later ones: all are sent in the order of their instants", 2}});
  CHECK_THAT(refused(File{}.head().frame(0, 0, frame()).frame(100 * 86'400 + 1, 0, frame()).bytes),
             Contains("in.pcap: frame 2 of those that can be sent: found 100 days") && Contains("picoseconds"));
}

TEST_CASE("an announced check sequence is taken off, of a whole frame and of one in part") {
  constexpr std::uint32_t kFourBytes = 0x2400'0001;  // two units of 16 bits, and the bit that says so
  auto capture = read(File{}
                          .head(0xa1b2c3d4, kFourBytes)
                          .frame(0, 0, frame() + "FCS!")
                          .frame(0, 1, frame() + "FC", 37 + 4)
                          .frame(0, 2, frame(), 37 + 3 + 4));
  for (const auto& one : capture.frames) CHECK(one.bytes == bytes_of(frame()));
  CHECK(capture.frames[1].missing == 0);
  CHECK(capture.frames[2].missing == 3);
  CHECK(capture.remarks.all().front() ==
        Remarks::value_type{"captured with their check sequence, which is taken off", 3});
  // Without the bit the number in front means nothing.
  CHECK(read(File{}.head(0xa1b2c3d4, 0x2000'0001).frame(0, 0, frame())).frames[0].bytes == bytes_of(frame()));
  // In pcapng an interface has one, or a packet of its own.
  const File one{};
  for (const bool of_packet : {false, true}) {
    const auto ng = read(File{}
                             .section()
                             .interface(1, of_packet ? "" : one.option(13, 4, 1))
                             .packet(0, 0, frame() + "FCS!", 0, of_packet ? one.option(2, 4U << 5, 4) : ""));
    CHECK(ng.frames.at(0).bytes == bytes_of(frame()));
  }
}

TEST_CASE("a frame captured in part is sent in its length, if its headers are there") {
  auto capture = read(File{}
                          .head()
                          .frame(0, 0, frame().substr(0, 35), 1000)
                          .frame(0, 1, frame().substr(0, 20), 1000)
                          .frame(0, 2, frame(), 1));  // says less than it gives
  const auto packets = packets_of(capture, *program_named("l2l3-forwarding"), 0, "in.pcap");
  REQUIRE(packets.size() == 2);
  CHECK(packets[0].payload_bytes == 1000 - 34);
  CHECK(packets[0].payload.size() == 1000 - 34);
  CHECK(packets[0].payload[0] == std::byte{0xca + 34});
  CHECK(packets[0].payload[1] == std::byte{0});
  CHECK(packets[1].payload_bytes == 3);
  CHECK(capture.found == 3);
  CHECK(capture.remarks.all() == Remarks{{"captured in part: what is missing at their end is sent as zeros", 2},
                                         {"skipped: their headers were not captured whole", 1}});
}

TEST_CASE("what cannot be sent is skipped and counted") {
  const auto program = program_named("l2l3-forwarding");
  const std::string good = File{}.head().frame(0, 0, frame()).bytes;
  SECTION("the end of the file cuts a frame") {
    const std::string twice = File{}.head().frame(0, 0, frame()).frame(0, 1, frame()).bytes;
    for (std::size_t size = good.size() + 1; size < twice.size(); ++size) {
      CAPTURE(size);
      const auto capture = read_capture(twice.substr(0, size), "in.pcap");
      CHECK(capture.frames.size() == 1);
      CHECK(capture.found == 2);
      CHECK(capture.remarks.all() == Remarks{{"skipped: cut by the end of the file", 1}});
    }
    const auto ng = File{}.section().interface(1).packet(0, 0, frame());
    const std::string more = File{ng}.packet(0, 1, frame()).bytes;
    for (std::size_t size = ng.bytes.size() + 4; size < more.size(); ++size) {
      CAPTURE(size);
      const auto capture = read_capture(more.substr(0, size), "in.pcap");
      CHECK(capture.frames.size() == 1);
      CHECK(capture.remarks.all() == Remarks{{"skipped: cut by the end of the file", 1}});
    }
  }
  SECTION("runts and giants") {
    auto capture = read(File{}.head().frame(0, 0, "runt").frame(0, 1, frame()).frame(0, 2, frame(65'000)));
    CHECK(packets_of(capture, *program, 0, "in.pcap").size() == 1);
    REQUIRE(capture.remarks.all().size() == 2);
    CHECK_THAT(capture.remarks.text(), Contains("1 frame skipped: longer than 16384 bytes, which no port takes") &&
                                           Contains("1 frame skipped: too short for the first header"));
  }
  SECTION("other links, blocks of other types, simple packets and a second section of another order") {
    File file = File{}.section().block(5, "statistics").interface(113).interface(1);
    file.packet(0, 0, "cooked").packet(1, 5, frame(1)).block(0x8000'0abc, "somebody's own");
    file.big = true;
    file.section().interface(1).block(3, file.part().word(frame(2).size()).text(frame(2)).bytes);
    file.block(2, file.part().number(0, 2).number(0, 2).word(0).word(9).word(37).word(37).text(frame(3)).bytes);
    const auto capture = read(file);
    CHECK(instants(capture) == std::vector{at(0_ns), at(0_ns), at(4_us)});
    for (std::size_t i = 0; i < 3; ++i) CHECK(capture.frames.at(i).bytes == bytes_of(frame(i + 1)));
    CHECK(capture.found == 4);
    CHECK(capture.remarks.all() ==
          Remarks{{"skipped: of link type 113, not Ethernet", 1}, {"without an instant: sent with the one before", 1}});
  }
}

TEST_CASE("what is no capture, of another link type or damaged is refused at its byte") {
  CHECK_FALSE(is_capture("{}"));
  CHECK_FALSE(is_capture(""));
  CHECK_THAT(refused(std::string(24, 'x')),
             Contains("byte 0: found 0x78787878, expected the magic number of a capture"));
  CHECK_THAT(refused(File{}.head().bytes.substr(0, 20)), Contains("byte 0: found 20 bytes, expected the 24"));
  CHECK_THAT(refused(File{}.head(0xa1b2c3d4, 113).bytes), Contains("byte 20: found link type 113, expected Ethernet"));
  CHECK_THAT(refused(File{}.head().bytes), Contains("found no frames"));
  CHECK_THAT(refused(File{}.head().word(0).word(0).word(400'000).word(1).bytes),
             Contains("byte 32: found 400000 bytes of one frame, expected at most 262144"));
  CHECK_THAT(refused(File{}.head().frame(0, 0, std::string(20'000, 'x')).bytes),
             Contains("found no frame to send: 1 frame skipped: longer than"));
  CHECK_THAT(refused(File{}.section().packet(3, 0, frame()).bytes), Contains("byte 36: found interface 3"));
  CHECK_THAT(refused(File{}.section().word(1).word(10).word(0).bytes), Contains("byte 32: found a block of 10 bytes"));
  CHECK_THAT(refused(File{}.word(0x0a0d0d0a).word(28).word(5).bytes), Contains("byte 8: found 0x00000005"));
  // A packet that is said to be longer than its block.
  std::string lying = File{}.section().interface(1).packet(0, 0, frame()).bytes;
  lying[28 + 20 + 20] = 100;
  CHECK_THAT(refused(lying), Contains("byte 68: found 100 bytes of a packet"));
  Capture tiny{.found = 1, .frames = {{sim::Time{}, std::vector<std::uint8_t>(13)}}};
  CHECK_THAT(refusal([&] { packets_of(tiny, *program_named("l2l3-forwarding"), 0, "tiny.pcap"); }),
             Contains("tiny.pcap: /: found no frame to send: 1 frame skipped: too short"));
}

}  // namespace capture_test
