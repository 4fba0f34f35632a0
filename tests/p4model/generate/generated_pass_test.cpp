// Passes as generated functions against the interpreter: random programs and those to learn from, with random entries,
// registers and packets, come to the same verdicts, headers, registers and counters, and refuse the same.
#include "p4model/execute/generated_pass.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "p4model/execute/pipeline.hpp"
#include "p4model/execute/registry.hpp"
#include "p4model/generate/pass_writer.hpp"
#include "p4model/language/headers.hpp"
#include "tests/p4model/generate/random_programs.hpp"
#include "tests/p4model/random_entries.hpp"
#include "tests/p4model/random_numbers.hpp"

namespace generated_pass_test {

using namespace racksim::p4;
using racksim::p4::testing::fill_tables;
using racksim::p4::testing::RandomNumbers;
using racksim::p4::testing::value_of;

namespace {

/// The same program twice: as generated functions, and interpreted.
struct Pair {
  explicit Pair(std::shared_ptr<const Program> program) : generated(program), interpreted(program) {
    interpreted.interpret();
  }

  template <class Act>
  void both(const Act& act) {
    const auto refuses = [&](Pipeline& pipeline) {
      try {
        act(pipeline);
        return false;
      } catch (const std::runtime_error&) {
        return true;
      }
    };
    const bool refused = refuses(generated);
    REQUIRE(refuses(interpreted) == refused);
  }

  void fill(RandomNumbers& random) {
    const Program& program = generated.program();
    fill_tables(random, generated, interpreted);
    for (const auto& array : program.arrays()) {
      const unsigned bits = array.width.bits;
      for (std::uint64_t i = 0; i < array.size; ++i) {
        const auto value = value_of(random, bits) | (array.width.pair ? value_of(random, bits) << bits : 0);
        both([&](Pipeline& p) { p.registers().write(array.id, i, value); });
      }
    }
    for (const auto& set : program.value_sets()) {
      both([&](Pipeline& p) { p.add_value(set, kProtocolUdp & mask_of(set.bits)); });
    }
  }

  Pipeline generated, interpreted;
};

/// What a pass through the ingress came to, and through the egress behind it.
struct Outcome {
  Verdict verdict;
  std::optional<bool> leaves;
  std::string refused;  // an index outside of an array
  bool operator==(const Outcome&) const = default;
};

Outcome run(Pipeline& pipeline, Packet& packet, const IngressMetadata& metadata) {
  Outcome outcome;
  try {
    outcome.verdict = pipeline.run_ingress(packet, metadata);
    if (!outcome.verdict.dropped() && !outcome.verdict.resubmit) {
      outcome.leaves = pipeline.run_egress(packet, {.port = 5, .rid = 3, .packet_length = 64});
    }
  } catch (const std::runtime_error& error) {
    outcome.refused = error.what();
  }
  return outcome;
}

PacketRef random_packet(RandomNumbers& random, PacketPool& pool) {
  auto packet = pool.make();
  const bool cut = random.below(16) == 0;
  packet->push(Ethernet{value_of(random, 48), value_of(random, 48),
                        random.below(16) == 0 ? std::uint64_t{7} : std::uint64_t{kEtherTypeIpv4}});
  if (cut) return packet;
  Ipv4 ipv4;
  ipv4.dscp = value_of(random, 6);
  ipv4.ttl = value_of(random, 8);
  ipv4.protocol = random.below(8) == 0 ? 6 : kProtocolUdp;
  ipv4.src = value_of(random, 32);
  ipv4.dst = value_of(random, 32);
  ipv4.identification = value_of(random, 16);
  packet->push(ipv4);
  packet->push(Udp{value_of(random, 16), value_of(random, 16), 8, value_of(random, 16)});
  return packet;
}

void compare(const std::string& name, const std::shared_ptr<const Program>& program, std::uint64_t seed) {
  INFO(name << " with seed " << seed);
  PacketPool pool;
  Pair pair(program);
  REQUIRE(pair.generated.runs_generated());
  RandomNumbers random(seed);
  pair.fill(random);
  for (std::uint64_t n = 0; n < 300; ++n) {
    IngressMetadata metadata;
    metadata.port = static_cast<std::uint16_t>(random.below(8));
    metadata.resubmitted = random.below(4) == 0;
    metadata.may_resubmit = random.below(4) != 0;
    metadata.resubmit_data = random.below(3);
    const auto one = random_packet(random, pool);
    const auto other = one->clone();
    INFO("packet " << n);
    REQUIRE(run(pair.generated, *one, metadata) == run(pair.interpreted, *other, metadata));
    REQUIRE(one->same_headers(*other));
  }
  for (const auto& array : program->arrays()) {
    for (std::uint64_t i = 0; i < array.size; ++i) {
      REQUIRE(pair.generated.registers().read(array.id, i) == pair.interpreted.registers().read(array.id, i));
    }
  }
  for (const auto& table : program->tables()) {
    CHECK(pair.generated.counters(table).hits == pair.interpreted.counters(table).hits);
    CHECK(pair.generated.counters(table).misses == pair.interpreted.counters(table).misses);
  }
  const auto &a = pair.generated.counters(), &b = pair.interpreted.counters();
  CHECK(a.ingress_passes == b.ingress_passes);
  CHECK(a.egress_passes == b.egress_passes);
  CHECK(a.parser_rejects == b.parser_rejects);
  CHECK(a.ingress_drops == b.ingress_drops);
  CHECK(a.egress_drops == b.egress_drops);
  CHECK(a.resubmits == b.resubmits);
  CHECK(a.refused_resubmits == b.refused_resubmits);
}

}  // namespace

TEST_CASE("generated passes of random programs do what the interpreter does") {
  for (std::uint64_t i = 0; i < racksim::p4::testing::kRandomPrograms; ++i) {
    const auto name = racksim::p4::testing::random_program_name(i);
    const auto program = racksim::sim::Registry<ProgramEntry>::find(name)->make();
    for (std::uint64_t seed = 0; seed < 5; ++seed) compare(name, program, seed);
  }
}

TEST_CASE("generated passes of the programs to learn from do what the interpreter does, where they can be generated") {
  std::size_t generated = 0, left = 0;
  for (const auto& entry : racksim::sim::Registry<ProgramEntry>::entries()) {
    if (!entry.name.starts_with("example-")) continue;
    const auto program = entry.make();
    const auto loaded = std::make_shared<const LoadedProgram>(program);
    if (!loaded->form().can_be_generated) {
      CHECK_FALSE(Pipeline(loaded).runs_generated());
      CHECK_THROWS_AS(passes_as_source(loaded->form(), entry.name), std::logic_error);
      ++left;
      continue;
    }
    ++generated;
    compare(entry.name, program, generated);
  }
  CHECK(generated >= 8);
  CHECK(left >= 5);  // meters, counters, digests, mirrors, stamps, draws, checksums
}

namespace {

/// The form of a program of one table and one register, with these numbers.
PassForm form_of(unsigned array_size, unsigned table_size, std::uint64_t constant, unsigned bits) {
  auto program = std::make_shared<Program>("small");
  auto& p = *program;
  p.parser_state<Udp>(Gress::ingress, "udp");
  auto& array = p.register_array("A", Width::single(bits), array_size);
  auto& add = array.action("add").update(kLo, AluOperation::add, kLo, AluWord(constant));
  auto& count = p.action("count").execute(add, 0);
  auto& table = p.table("t").key(p.header_field(&Udp::src_port)).action(count).size(table_size);
  p.ingress().apply(table);
  return LoadedProgram(program).form();
}

}  // namespace

TEST_CASE("a form's fingerprint is that of its code: sizes and entries are none of it") {
  const auto one = fingerprint(form_of(16, 8, 1, 16));
  CHECK(fingerprint(form_of(64, 8, 1, 16)) == one);
  CHECK(fingerprint(form_of(16, 4096, 1, 16)) == one);
  CHECK(fingerprint(form_of(16, 8, 2, 16)) != one);
  CHECK(fingerprint(form_of(16, 8, 1, 32)) != one);
}

TEST_CASE("a pipeline whose form nobody generated is interpreted, and so is one that is told to be") {
  auto program = std::make_shared<Program>("unknown");
  program->parser_state<Udp>(Gress::ingress, "udp");
  program->ingress().apply(program->action("a").set(program->intrinsics().ucast_egress_port, 291));
  CHECK_FALSE(Pipeline(program).runs_generated());
  Pipeline known(racksim::sim::Registry<ProgramEntry>::find("random-0")->make());
  CHECK(known.runs_generated());
  known.interpret();
  CHECK_FALSE(known.runs_generated());
}

TEST_CASE("each change of a form changes its fingerprint") {
  const auto form = form_of(16, 8, 1, 16);
  const auto changed = [&](const auto& change) {
    auto other = form;
    change(other);
    return fingerprint(other) != fingerprint(form);
  };
  CHECK(changed([](PassForm& f) { ++f.code.initial_phv.back(); }));
  CHECK(changed([](PassForm& f) { ++f.code.data_slot; }));
  CHECK(changed([](PassForm& f) { f.code.gress[0].fused.front().extra += 1; }));
  CHECK(changed([](PassForm& f) { f.code.gress[0].parser.front().next = ParseCode::kRejectState; }));
  CHECK(changed([](PassForm& f) { f.code.arrays.front().alu.update[0].truth ^= 1; }));
  CHECK(changed([](PassForm& f) { f.code.arrays.front().output_mask ^= 1; }));
  CHECK(changed([](PassForm& f) { f.code.tables.front().key_slots.front() += 1; }));
  CHECK(changed([](PassForm& f) { f.tables.front().parts.front().shift += 1; }));
  CHECK(changed([](PassForm& f) { f.arrays.front().pair = true; }));
  CHECK(changed([](PassForm& f) { f.headers.front().members.front() += 1; }));
  CHECK(changed([](PassForm& f) { f.words[PassForm::rid] += 1; }));
  CHECK(changed([](PassForm& f) { f.selects = true; }));
}

}  // namespace generated_pass_test
