// The small programs that come with the switch, each with packets that show what it is about (scenarios/switch).
#include <catch2/catch.hpp>

#include "tests/tools/lone_switch/examples.hpp"

namespace example_programs_test {

using namespace racksim;
using namespace racksim::tools;
using namespace racksim::tools::testing;
using namespace racksim::sim::literals;

namespace {

using Type = StageStep::Type;
using Ports = std::vector<unsigned>;

/// The ones' complement sum of some bytes, folded (RFC 1071): 0xffff where a checksum among them is right.
unsigned sum_of(const std::vector<std::uint8_t>& bytes, std::size_t from, std::size_t to, unsigned more = 0) {
  unsigned sum = more;
  for (std::size_t i = from; i < to; i += 2) sum += bytes.at(i) << 8 | bytes.at(i + 1);
  while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
  return sum;
}

}  // namespace

TEST_CASE("chain: a register's output goes to the field of its index in one stage, and no port gets no packet") {
  const auto story = story_of_example("example-chain", "chain");
  const auto& walker = story.packets.at(0);
  const auto accesses = steps(walker, Type::access);
  REQUIRE(accesses.size() == 2);
  CHECK(accesses[0].index == 3);
  CHECK(accesses[0].output == "7");
  CHECK(accesses[1].index == 7);
  CHECK(accesses[1].output == "9");
  // Round once, and one copy for each port of the group's node, though it lists port 2 twice.
  CHECK(ports_of(walker) == Ports{4, 2, 1});
  CHECK(field_of(all<DepartureStory>(walker).back().second.headers, "ipv4", "dscp") == "9");

  const auto& nowhere = story.packets.at(1);
  CHECK(ports_of(nowhere).empty());
  CHECK(all<PassStory>(nowhere).at(0).second.outcome == "dropped");
  CHECK(all<DropStory>(nowhere).at(0).second.reason == "switch_program");
}

TEST_CASE("mirror: ingress copies as received, egress as deparsed and cut, and a dropped packet is copied too") {
  const auto story = story_of_example("example-mirrors", "mirror");
  const auto& received = story.packets.at(0);
  // The copy goes first (docs/hardware.md 6.6), by another port; both reach the traffic manager together.
  CHECK(ports_of(received) == Ports{2, 1});
  const auto both = all<DepartureStory>(received);
  CHECK(both[0].first == both[1].first);
  CHECK(field_of(both[0].second.headers, "ipv4", "ttl") == "64");
  CHECK(field_of(both[0].second.headers, "ipv4", "identification") == "77");
  CHECK(field_of(both[1].second.headers, "ipv4", "ttl") == "63");
  CHECK(field_of(both[1].second.headers, "ipv4", "identification") == "0");
  CHECK(both[0].second.frame_bytes == 138);

  const auto& deparsed = story.packets.at(1);
  CHECK(ports_of(deparsed) == Ports{1, 3});
  const auto later = all<DepartureStory>(deparsed);
  CHECK(field_of(later[1].second.headers, "ipv4", "ttl") == "63");
  CHECK(field_of(later[1].second.headers, "ipv4", "identification") == "79");
  CHECK(later[1].second.bytes.size() == 40);
  // The copy's second way: an ingress latency to the traffic manager, through it, and egress.
  CHECK(later[1].first - later[0].first == story.ingress_latency + 100_ns + story.egress_latency);

  const auto& dropped = story.packets.at(2);
  CHECK(ports_of(dropped) == Ports{2});
  CHECK(all<DropStory>(dropped).size() == 1);
}

TEST_CASE("digest: an unknown source is told to the control CPU, after PCIe and its latency") {
  const auto story = story_of_example("example-digests", "digest");
  REQUIRE(story.digests.size() == 1);
  const auto& digest = story.digests[0];
  CHECK(digest.name == "learn");
  CHECK(digest.values == NamedValues{{"ethernet.src", "02:00:00:00:00:0a"}, {"ingress_port", "1"}});
  // Eight bytes at 31.5 Gbit/s, rounded up, and 900 ns.
  CHECK(digest.at == sim::Time{} + story.ingress_latency + sim::Duration::from_ps(2032) + 900_ns);
  CHECK(ports_of(story.packets.at(0)) == Ports{2});
  CHECK(ports_of(story.packets.at(1)) == Ports{0, 1, 3});
}

TEST_CASE("stamps: packets tell when they came, how long they waited and behind how many cells") {
  const auto story = story_of_example("example-stamps", "stamps");
  const auto ns = [](sim::Duration length) { return length.ps() / 1000; };
  const auto value = [](const std::string& text) {
    return text.starts_with("0x") ? std::stoll(text.substr(2), nullptr, 16) : std::stoll(text);
  };
  const auto address = [](const std::string& text) {  // of up to two bytes, as IPv4
    const auto last = text.rfind('.');
    const auto before = text.rfind('.', last - 1);
    return std::stoll(text.substr(before + 1)) * 256 + std::stoll(text.substr(last + 1));
  };
  sim::Time free_at;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto left = all<DepartureStory>(story.packets.at(i)).at(0);
    const auto& headers = left.second.headers;
    const auto slot = sim::Time::from_ps(5'000'000) + sim::Duration::from_ps(820) * static_cast<std::int64_t>(i);
    const auto queued = slot + story.ingress_latency + 100_ns;
    const auto began = std::max(queued, free_at);
    free_at = began + sim::Duration::from_ps((538 + 20) * 800);          // at 10 Gbit/s
    CHECK(field_of(headers, "ethernet", "src") == "00:00:00:00:13:88");  // 5,000 ns
    CHECK(address(field_of(headers, "ipv4", "src")) == ns(queued - sim::Time{}));
    CHECK(address(field_of(headers, "ipv4", "dst")) == ns(began - queued));
    CHECK(value(field_of(headers, "ipv4", "identification")) == static_cast<long long>(7 * i));  // 538 bytes: 7 cells
    CHECK(value(field_of(headers, "ipv4", "checksum")) == ns(began - sim::Time{}));
  }
}

TEST_CASE("generator: an application fires, and fires again after its period, batch by batch") {
  const auto story = story_of_example("example-generator", "generator");
  std::vector<std::int64_t> arrivals;
  for (const auto& packet : story.packets) {
    arrivals.push_back(packet.arrival.ps() / 1000);
    CHECK(packet.port == 4);
    const auto batch = field_of(packet.headers, "generated", "batch");
    CHECK(field_of(packet.headers, "generated", "app") == "3");
    CHECK(ports_of(packet) == Ports{batch == "0" ? 1U : 2U});
    CHECK(all<DepartureStory>(packet).at(0).second.headers.size() == 1);
  }
  CHECK(arrivals == std::vector<std::int64_t>{1000, 1200, 2000, 2200, 6000, 6200, 7000, 7200});
}

TEST_CASE("dice: where packets go follows from the seed") {
  const auto ports = [](std::uint64_t seed) {
    auto document = read_json_file((scenarios_folder() / "switch" / "dice.json").string());
    document.set("seed", seed);
    Ports all_ports;
    for (const auto& packet : story_of("example-dice", document).packets) {
      for (const auto port : ports_of(packet)) all_ports.push_back(port);
    }
    return all_ports;
  };
  CHECK(ports(7).size() == 4);
  CHECK(ports(7) == ports(7));
  std::size_t others = 0;
  for (std::uint64_t seed = 8; seed < 16; ++seed) others += ports(seed) != ports(7);
  CHECK(others >= 6);  // each equals it with a probability of 1 in 256
}

TEST_CASE("selection: hashes choose a node of an ECMP set and a member of a LAG, an exclusion id leaves out nodes") {
  const auto story = story_of_example("example-selection", "selection");
  CHECK(ports_of(story.packets.at(0)) == Ports{0, 2, 4});
  CHECK(ports_of(story.packets.at(1)) == Ports{1, 3, 4});
  CHECK(ports_of(story.packets.at(2)) == Ports{0, 2});
}

TEST_CASE("predicates: one access compares with both ends of a window") {
  const auto story = story_of_example("example-predicates", "predicates");
  for (unsigned i = 0; i < 3; ++i) CHECK(ports_of(story.packets.at(i)) == Ports{i + 1});
  CHECK(steps(story.packets.at(1), Type::access).at(0).output == "8");
}

TEST_CASE("meters: bytes and packets are coloured by their rates, red is dropped, and all is counted") {
  const auto story = story_of_example("example-meters", "meters");
  const std::vector<std::string> ttl = {"0", "0", "1", "", "0", "1", "0", ""};
  for (std::size_t i = 0; i < ttl.size(); ++i) {
    INFO(story.packets.at(i).name);
    const auto left = all<DepartureStory>(story.packets[i]);
    CHECK(left.size() == (ttl[i].empty() ? 0U : 1U));
    if (!left.empty()) CHECK(field_of(left[0].second.headers, "ipv4", "ttl") == ttl[i]);
  }
  const auto marks = steps(story.packets.at(3), Type::meter);
  REQUIRE(marks.size() == 2);
  CHECK(marks[0].after == "red");
  CHECK(marks[1].after == "red");  // what the second meter sees comes from the first
  std::vector<std::tuple<std::string, std::uint64_t, std::uint64_t, std::uint64_t>> counters;
  for (const auto& c : story.counters) counters.emplace_back(c.counter, c.index, c.packets, c.bytes);
  CHECK(counters == decltype(counters){{"COLOURS", 0, 4, 400},
                                       {"COLOURS", 1, 2, 200},
                                       {"COLOURS", 3, 2, 200},
                                       {"SENT_TO", 0, 6, 600},
                                       {"SENT_TO", 1, 2, 200}});
}

TEST_CASE("checksums: those of IPv4 and UDP are right behind a translation, and a broken packet goes aside as it is") {
  const auto story = story_of_example("example-checksums", "checksums");
  const auto translated = all<DepartureStory>(story.packets.at(0)).at(0).second;
  CHECK(translated.port == 1);
  CHECK(field_of(translated.headers, "ipv4", "dst") == "192.168.0.7");
  CHECK(field_of(translated.headers, "ipv4", "ttl") == "63");
  CHECK(sum_of(translated.bytes, 14, 34) == 0xffff);
  // Addresses of the pseudo header, UDP and payload; its protocol and length.
  CHECK(sum_of(translated.bytes, 26, 46, 17 + 12) == 0xffff);
  const auto no_udp = all<DepartureStory>(story.packets.at(1)).at(0).second;
  CHECK(no_udp.port == 1);
  CHECK(sum_of(no_udp.bytes, 14, 34) == 0xffff);
  const auto broken = all<DepartureStory>(story.packets.at(2)).at(0).second;
  CHECK(broken.port == 3);
  CHECK(sum_of(broken.bytes, 14, 34) != 0xffff);
  CHECK(field_of(broken.headers, "ipv4", "ttl") == "64");
}

TEST_CASE("value sets: the parser goes on behind ports that the set has, and behind no other") {
  const auto story = story_of_example("example-value-sets", "value_sets");
  CHECK(ports_of(story.packets.at(0)) == Ports{1});
  CHECK(ports_of(story.packets.at(1)) == Ports{2});
  CHECK(ports_of(story.packets.at(2)) == Ports{3});
  CHECK(all<PassStory>(story.packets[0]).at(0).second.parsed.size() == 4);
  CHECK(all<PassStory>(story.packets[2]).at(0).second.parsed.size() == 3);
}

TEST_CASE("triggers: a port that goes down and a packet that comes round have the generator send") {
  const auto story = story_of_example("example-triggers", "triggers");
  const auto arrivals = [](const PacketStory& packet) { return packet.arrival.ps() / 1000; };
  std::vector<std::tuple<std::int64_t, std::string, std::string>> of_ports;
  const PacketStory* of_recirculation = nullptr;
  for (const auto& packet : story.packets) {
    if (packet.name != "generated") continue;
    if (field_of(packet.headers, "generated", "app") == "5") {
      CHECK(of_recirculation == nullptr);
      of_recirculation = &packet;
      continue;
    }
    CHECK(ports_of(packet) == Ports{0});
    of_ports.emplace_back(arrivals(packet), field_of(packet.headers, "generated", "batch"),
                          field_of(packet.headers, "generated", "packet"));
  }
  CHECK(of_ports == decltype(of_ports){{3000, "2", "0"},
                                       {3100, "2", "1"},
                                       {3200, "3", "0"},
                                       {3300, "3", "1"},
                                       {12000, "2", "0"},
                                       {12100, "2", "1"}});
  REQUIRE(of_recirculation != nullptr);
  CHECK(ports_of(*of_recirculation) == Ports{1});
  CHECK(field_of(of_recirculation->headers, "generated", "key_msb") == "171");
  CHECK(field_of(of_recirculation->headers, "generated", "batch") == "4660");
  const auto round = all<DepartureStory>(story.packets.at(0)).at(0).second;
  CHECK(round.recirculates);
  // The packet itself has the slot of that instant, and what it has triggered the next one.
  CHECK(of_recirculation->arrival == round.arrival + sim::Duration::from_ps(820));
}

TEST_CASE("what the small programs send is the same whether passes are fused or stepped") {
  const std::pair<const char*, const char*> examples[] = {
      {"example-visits", "visits"},       {"example-chain", "chain"},         {"example-mirrors", "mirror"},
      {"example-digests", "digest"},      {"example-digests", "learning"},    {"example-digests", "aging"},
      {"example-cache", "cache"},         {"example-stamps", "stamps"},       {"example-dice", "dice"},
      {"example-generator", "generator"}, {"example-selection", "selection"}, {"example-predicates", "predicates"},
      {"example-meters", "meters"},       {"example-triggers", "triggers"},   {"example-value-sets", "value_sets"},
      {"example-checksums", "checksums"}};
  for (const auto& example : examples) {
    const std::string name = example.first, file = example.second;
    INFO(name);
    const auto program = program_named(name);
    auto setup = read_packet_file(read_json_file((scenarios_folder() / "switch" / (file + ".json")).string()),
                                  "packets.json", *program);
    struct Seen {
      std::vector<std::tuple<std::size_t, sim::Time, unsigned, std::vector<std::uint8_t>>> departures{};
      std::vector<std::pair<sim::Time, NamedValues>> digests{};
      std::vector<std::tuple<sim::Time, NamedValues, sim::Time, sim::Time, std::string>> control{};
      bool operator==(const Seen&) const = default;
    };
    const auto seen = [&](models::PassMode passes) {
      setup.options.passes = passes;
      Seen found;
      const auto story = send_through_switch(program, setup);
      CHECK(story.failures == std::vector<std::string>{});
      for (std::size_t i = 0; i < story.packets.size(); ++i) {
        for (const auto& [at, departure] : all<DepartureStory>(story.packets[i])) {
          found.departures.emplace_back(i, at, departure.port, departure.bytes);
        }
      }
      for (const auto& digest : story.digests) found.digests.emplace_back(digest.at, digest.values);
      for (const auto& control : story.control) {
        for (const auto& answer : control.answers) {
          found.control.emplace_back(control.at, control.key, answer.acted, answer.answered, answer.text);
        }
      }
      return found;
    };
    const auto fused = seen(models::PassMode::fused);
    CHECK(!fused.departures.empty());
    CHECK(fused == seen(models::PassMode::stepped));
  }
}

}  // namespace example_programs_test
