// Every program to learn from, with random entries in its tables and random packets: fused and stepped passes come to the
// same verdicts, packets and registers, whatever its stages hold.
#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/registry.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/random_entries.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace examples_test {

using namespace racksim::p4;
using racksim::p4::testing::fill_tables;
using racksim::p4::testing::RandomNumbers;
using racksim::p4::testing::value_of;

namespace {

struct Outcome {
  Verdict verdict;
  std::string refused;  // an index outside of an array
  bool operator==(const Outcome&) const = default;
};

Outcome run(Pipeline& pipeline, Packet& packet, const IngressMetadata& metadata, bool fused) {
  try {
    if (fused) return {pipeline.run_ingress(packet, metadata), ""};
    Pass pass;
    pipeline.begin_ingress(pass, packet, metadata);
    for (int stage = 0; stage < pipeline.stages(); ++stage) pipeline.run_stage(pass, stage);
    return {pipeline.finish_ingress(pass), ""};
  } catch (const std::runtime_error& error) {
    return {{}, error.what()};
  }
}

}  // namespace

TEST_CASE("fused and stepped passes of every example agree") {
  std::size_t programs = 0;
  PacketPool pool;  // outlives the pipelines, which may keep a copy for a mirror
  for (const auto& entry : racksim::sim::Registry<ProgramEntry>::entries()) {
    if (entry.name.rfind("example-", 0) != 0) continue;
    ++programs;
    const auto program = entry.make();
    Pipeline fused(program), stepped(program);
    RandomNumbers random(programs);
    fill_tables(random, fused, stepped);
    std::size_t forwarded = 0;
    for (std::uint64_t n = 0; n < 400; ++n) {
      Ipv4 ipv4;
      ipv4.dscp = value_of(random, 6);
      ipv4.ttl = value_of(random, 8);
      ipv4.protocol = kProtocolUdp;
      ipv4.src = value_of(random, 32);
      ipv4.dst = value_of(random, 32);
      ipv4.identification = value_of(random, 16);
      const Ethernet ethernet{value_of(random, 48), value_of(random, 48), kEtherTypeIpv4};
      const Udp udp{value_of(random, 16), value_of(random, 16), 8, value_of(random, 16)};
      IngressMetadata metadata;
      metadata.port = static_cast<std::uint16_t>(random.below(8));
      metadata.resubmitted = random.below(4) == 0;
      metadata.resubmit_data = random.below(3);
      const auto make = [&] {
        auto packet = pool.make();
        packet->push(ethernet);
        packet->push(ipv4);
        packet->push(udp);
        return packet;
      };
      const auto a = make(), b = make();
      const auto one = run(fused, *a, metadata, true), other = run(stepped, *b, metadata, false);
      INFO(entry.name << ", packet " << n);
      REQUIRE(one == other);
      REQUIRE(a->byte_image() == b->byte_image());
      forwarded += one.verdict.ucast_port >= 0;
    }
    for (const auto& array : program->arrays()) {
      for (std::uint64_t i = 0; i < array.size; ++i) {
        REQUIRE(fused.registers().read(array.id, i) == stepped.registers().read(array.id, i));
      }
    }
    INFO(entry.name);
    if (entry.name == "example-routes" || entry.name == "example-slots" || entry.name == "example-shared-table" ||
        entry.name == "example-temporaries") {
      CHECK(forwarded > 0);
    }
  }
  CHECK(programs >= 17);
}

}  // namespace examples_test
