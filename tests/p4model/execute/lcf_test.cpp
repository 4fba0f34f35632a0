#include <catch2/catch.hpp>
#include <map>

#include "p4model/execute/pipeline.hpp"
#include "tests/p4model/execute/lcf_sketch.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace lcf_test {

using namespace racksim::p4;
using namespace racksim::p4::testing;

namespace {

/// A pipeline with the sketch, and packets for it.
struct SketchPipeline {
  explicit SketchPipeline(int ways, std::uint64_t entries = 64)
      : sketch(make_lcf_sketch(ways, entries)), pipeline(sketch.program) {}

  void install(int way, std::uint64_t index, std::uint64_t tag) {
    pipeline.registers().write(sketch.tag[static_cast<std::size_t>(way)]->id, index, tag);
  }
  PacketRef packet(const Coherence& header) {
    auto p = pool.make();
    p->push(Ethernet{1, 2, kEtherTypeCoherence});
    p->push(header);
    p->serial = ++serial;
    return p;
  }
  Verdict run(const Coherence& header, bool resubmitted = false, std::uint64_t data = 0) {
    auto p = packet(header);
    return pipeline.run_ingress(*p, {3, resubmitted, data});
  }
  std::uint64_t lock(int way, std::uint64_t index) {
    return pipeline.registers().read(sketch.lock[static_cast<std::size_t>(way)]->id, index);
  }

  LcfSketch sketch;
  PacketPool pool;
  Pipeline pipeline;
  std::uint64_t serial = 0;
};

Coherence request(std::uint64_t type, std::uint64_t node, std::uint64_t tag, std::uint64_t index) {
  Coherence h;
  h.type = type;
  h.node = node;
  h.tag_hi = tag >> 32;
  h.tag_lo = tag & 0xffffffff;
  h.index = index;
  h.node_bit = 1u << node;
  return h;
}

}  // namespace

TEST_CASE("nine ways of 41,667 entries fit twelve stages, and ten do not") {
  const auto nine = make_lcf_sketch(9, 41'667);
  const Placement placement(*nine.program, {});
  CHECK(placement.stages_used() == 12);
  for (std::size_t w = 0; w < 9; ++w) {
    CHECK(placement.stage_of(*nine.lock[w]) > placement.stage_of(*nine.tag[w]));
    CHECK(placement.stage_of(*nine.status[w]) == placement.stage_of(*nine.lock[w]));
    CHECK(placement.stage_of(*nine.copyset[w]) == placement.stage_of(*nine.lock[w]));
  }
  // 375,003 blocks of 15 bytes, LAST_UNLOCK and SCOREBOARD: the paper's "about 6 MB".
  CHECK(placement.register_bytes() == 9 * 41'667 * 15 + 256 * 4 + 256 * 2);
  const auto pinned = make_lcf_sketch(9, 41'667, true);
  CHECK(Placement(*pinned.program, {}).stage_of(*pinned.lock[8]) == 9);
  CHECK_THROWS_AS(Placement(*make_lcf_sketch(10, 37'500).program, {}), DoesNotFit);
}

TEST_CASE("a reader-writer lock admits readers together and a writer alone") {
  SketchPipeline rig(3);
  rig.install(1, 5, 0x1234567890abcdef);
  const auto tag = 0x1234567890abcdefu;
  CHECK(rig.run(request(kRead, 1, tag, 5)).ucast_port == kAckPort);
  CHECK(rig.run(request(kRead, 2, tag, 5)).ucast_port == kAckPort);
  CHECK(rig.lock(1, 5) == 2);
  CHECK(rig.run(request(kWrite, 3, tag, 5)).ucast_port == kFailPort);
  CHECK(rig.lock(1, 5) == 2);
  CHECK(rig.lock(0, 5) == 0);
  CHECK(rig.lock(2, 5) == 0);
  CHECK(rig.run(request(kRead, 1, tag + 1, 5)).ucast_port == kHomePort);
  CHECK(rig.run(request(kRead, 1, tag, 6)).ucast_port == kHomePort);
}

TEST_CASE("an unlock reads its score, is resubmitted with it and releases that much") {
  SketchPipeline rig(3);
  rig.install(2, 9, 77);
  rig.run(request(kRead, 1, 77, 9));
  rig.run(request(kRead, 1, 77, 9));  // a retransmission: score 2, lock 2
  REQUIRE(rig.lock(2, 9) == 2);
  auto unlock = request(kUnlockRead, 1, 77, 9);
  unlock.seq = 1;
  unlock.copyset = 2;
  const auto first = rig.run(unlock);
  REQUIRE(first.resubmit);
  CHECK(first.resubmit_data == 2);
  CHECK(rig.lock(2, 9) == 2);
  const auto verdict = rig.run(unlock, true, first.resubmit_data);
  CHECK(verdict.ucast_port == kAckPort);
  CHECK(rig.lock(2, 9) == 0);
  CHECK(rig.pipeline.registers().read(rig.sketch.copyset[2]->id, 9) == 2);
  CHECK(rig.pipeline.registers().read(rig.pipeline.registers().array("LAST_UNLOCK"), 1) == 1);
}

TEST_CASE("fused passes and stepped passes in flight together leave the same packets, verdicts and registers") {
  constexpr int kWays = 3, kPackets = 3000;
  SketchPipeline fused(kWays, 8), stepped(kWays, 8);
  RandomNumbers random(7);
  struct Writes final : StateWriteObserver {
    void register_written(const StateWrite& w) override {
      by_packet[w.packet_serial].emplace_back(w.array, w.index, w.value, w.stage);
    }
    std::map<std::uint64_t, std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, int>>> by_packet;
  } fused_writes, stepped_writes;
  fused.pipeline.add_observer(fused_writes);
  stepped.pipeline.add_observer(stepped_writes);
  for (auto* rig : {&fused, &stepped}) {
    for (int w = 0; w < kWays; ++w) {
      for (std::uint64_t i = 0; i < 8; ++i) rig->install(w, i, static_cast<std::uint64_t>(w) + 1);
    }
  }
  std::vector<PacketRef> a, b;
  std::vector<IngressMetadata> metadata;
  for (int k = 0; k < kPackets; ++k) {
    auto h = request(1 + random.below(4), random.below(8), 1 + random.below(kWays + 1), random.below(8));
    h.seq = random.below(1000);
    h.copyset = random.below(256);
    h.status = random.below(2);
    a.push_back(fused.packet(h));
    b.push_back(stepped.packet(h));
    metadata.push_back({static_cast<std::uint16_t>(random.below(8)), random.below(2) == 1, random.below(3)});
  }
  std::vector<Verdict> va, vb(kPackets);
  for (std::size_t k = 0; k < kPackets; ++k) va.push_back(fused.pipeline.run_ingress(*a[k], metadata[k]));
  // A packet enters in every cycle, as in hardware: in cycle c packet k is in stage c - k.
  const auto stages = stepped.pipeline.stages();
  std::vector<std::unique_ptr<Pass>> passes(kPackets);
  for (int cycle = 0; cycle < kPackets + stages; ++cycle) {
    for (int k = std::max(0, cycle - stages + 1); k <= std::min(cycle, kPackets - 1); ++k) {
      const auto i = static_cast<std::size_t>(k);
      if (cycle == k) {
        passes[i] = std::make_unique<Pass>();
        stepped.pipeline.begin_ingress(*passes[i], *b[i], metadata[i]);
      }
      stepped.pipeline.run_stage(*passes[i], cycle - k);
      if (cycle - k == stages - 1) {
        vb[i] = stepped.pipeline.finish_ingress(*passes[i]);
        passes[i].reset();
      }
    }
  }
  CHECK(va == vb);
  for (std::size_t k = 0; k < kPackets; ++k) REQUIRE(a[k]->byte_image() == b[k]->byte_image());
  for (const auto& array : fused.sketch.program->arrays()) {
    for (std::uint64_t i = 0; i < array.size; ++i) {
      REQUIRE(fused.pipeline.registers().read(array.id, i) == stepped.pipeline.registers().read(array.id, i));
    }
  }
  CHECK(fused_writes.by_packet.size() > 100);
  CHECK(fused_writes.by_packet == stepped_writes.by_packet);
}

}  // namespace lcf_test
