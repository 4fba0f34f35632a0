// Order and exactly-once over wires that lose, double and reorder packets, against a slow reference: the same work
// requests, one after the other, on a plain memory.
//
// What the specification leaves open (InfiniBand, volume 1, table 79 and chapter 9.7.5): a READ that is carried out
// again, because its response was lost, may see what was posted behind it. All else is as if there were no network.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <vector>

#include "models/nic/verbs.hpp"
#include "tests/models/nic/two_nics.hpp"

namespace exactly_once_test {

using namespace racksim;
using namespace racksim::models;
using namespace racksim::models::test;
using namespace racksim::sim::literals;

namespace {

constexpr std::uint64_t kMemory = 4096, kWords = 4;
constexpr std::uint32_t kMtu = 256;

/// Word by word, in the order of posting, with all values that a word has had.
struct Reference {
  struct Write {
    std::uint64_t request, value;
  };
  void write(std::uint64_t request, std::uint64_t word, std::uint64_t value) {
    history[word].push_back({request, value});
  }
  std::uint64_t value(std::uint64_t word) { return history[word].empty() ? 0 : history[word].back().value; }
  /// Whether a READ posted as number `request` may bring this: the value of before, or one that came later.
  bool may_see(std::uint64_t request, std::uint64_t word, std::uint64_t seen) {
    std::uint64_t before = 0;
    bool later = false;
    for (const Write& write : history[word]) {
      if (write.request < request) before = write.value;
      later = later || (write.request > request && write.value == seen);
    }
    return seen == before || later;
  }
  std::map<std::uint64_t, std::vector<Write>> history;
};

/// What a requester's completions and its peer's receives must be.
struct Expected {
  std::map<std::uint64_t, std::uint64_t> read_words, old_values;  // by request
  std::vector<std::uint64_t> completed;
  struct Received {
    std::uint64_t bytes, immediate;
    bool operator==(const Received&) const = default;
  };
  std::vector<Received> received;
};

struct Sequence {
  Sequence(TwoNics& owner, std::uint64_t seed) : t(owner), random(seed, "verbs") {}

  /// One more work request, of any kind, at random.
  WorkRequest next() {
    const std::uint64_t id = ++requests, word = random.below(kWords);
    const std::uint64_t address = kMemory + 8 * word;
    WorkRequest made = t.request(static_cast<Opcode>(random.below(7)), id, address);
    made.fenced = random.below(4) == 0;
    made.signalled = random.below(3) != 0;
    made.immediate = static_cast<std::uint32_t>(id);
    const auto length = static_cast<std::uint32_t>(8 + random.below(3 * kMtu));
    switch (made.opcode) {
      case Opcode::write:
      case Opcode::write_imm:
        made.fenced = true;  // else it may pass a READ before it, of whose value nothing could be said
        [[fallthrough]];
      case Opcode::send:
      case Opcode::send_imm: {
        made.content = Content::of(id);
        made.bytes = length;
        const bool writes = made.opcode == Opcode::write || made.opcode == Opcode::write_imm;
        const bool immediate = made.opcode == Opcode::send_imm || made.opcode == Opcode::write_imm;
        if (writes) reference.write(id, word, id);
        if (!writes || immediate) expected.received.push_back({length, immediate ? id : 0});
        break;
      }
      case Opcode::read:
        made.bytes = length;
        made.signalled = true;
        expected.read_words[id] = word;
        break;
      default: {
        made.old_value_at = 8 * id;  // in its own node's memory, whether it makes a completion or not
        const std::uint64_t old = reference.value(word);
        expected.old_values[id] = old;
        made.compare = old + random.below(2);
        made.swap_or_add = id;
        if (made.opcode == Opcode::fetch_add) {
          reference.write(id, word, old + id);
        } else if (made.compare == old) {
          reference.write(id, word, id);
        }
      }
    }
    if (made.signalled) expected.completed.push_back(id);
    return made;
  }

  TwoNics& t;
  sim::RandomStream random;
  Reference reference;
  Expected expected;
  std::uint64_t requests = 0;
};

void check(Sequence& sequence) {
  TwoNics& t = sequence.t;
  std::vector<std::uint64_t> completed;
  for (const Completion& c : t.a.all) {
    INFO(name_of(c.opcode) << " " << c.wr_id);
    CHECK(c.status == Status::success);
    completed.push_back(c.wr_id);
    if (c.opcode == Opcode::read) {
      std::uint64_t first = 0;
      std::memcpy(&first, c.content.bytes().data(), sizeof first);
      CHECK(sequence.reference.may_see(c.wr_id, sequence.expected.read_words.at(c.wr_id), first));
    }
    if (c.opcode == Opcode::fetch_add || c.opcode == Opcode::compare_swap) {
      CHECK(c.old_value == sequence.expected.old_values.at(c.wr_id));
    }
  }
  CHECK(completed == sequence.expected.completed);
  std::vector<Expected::Received> received;
  for (const Completion& c : t.b.all) {
    CHECK(c.status == Status::success);
    received.push_back({c.bytes, c.immediate.value_or(0)});
  }
  CHECK(received == sequence.expected.received);
  for (const auto& [id, old] : sequence.expected.old_values) CHECK(t.a.nic.memory().word(8 * id) == old);
  for (std::uint64_t word = 0; word < kWords; ++word) {
    CHECK(t.b.nic.memory().word(kMemory + 8 * word) == sequence.reference.value(word));
  }
  CHECK(t.counters.failures.value == 0);
  CHECK(t.accounting.expected_in_flight() == 0);
  CHECK(t.packets.live() == 0);
}

}  // namespace

TEST_CASE("Verbs are carried out once and in order under loss, duplication and reordering") {
  std::uint64_t sent_again = 0, repeated = 0, out_of_order = 0, not_ready = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    NicOptions options;
    options.mtu_bytes = kMtu;
    options.rnr_timer = 1;
    options.rc_retry_count = 100;
    options.outstanding_reads = seed % 3 == 0 ? 1 : 4;
    TwoNics t(options);
    t.context.seed = seed;
    WireFaults faults;
    faults.loss = seed % 2 == 0 ? 0.03 : 0.1;
    faults.duplicate = 0.05;
    faults.reorder = 0.1;
    faults.reorder_delay = 5_us;
    t.ab.set_faults(faults);
    t.ba.set_faults(faults);
    Sequence sequence(t, seed);
    for (int i = 0; i < 200; ++i) {
      // Sometimes a list with one doorbell, sometimes an instant later, and receives when they are nearly too late.
      std::vector<WorkRequest> list;
      for (std::uint64_t k = sequence.random.below(4); k < 4; ++k) list.push_back(sequence.next());
      REQUIRE(t.rc_a.post(list) == list.size());
      const std::uint64_t ready = sequence.random.below(3);
      t.rc_b.post_receive(ready);
      t.calendar.run_until(t.calendar.now() +
                           sim::Duration::from_ps(1'000'000) * static_cast<int>(sequence.random.below(8)));
    }
    t.rc_b.post_receive(1'000);
    t.calendar.run_until();
    check(sequence);
    sent_again += t.counters.retransmitted.value;
    repeated += t.counters.duplicates.value;
    out_of_order += t.counters.out_of_order.value;
    not_ready += t.counters.not_ready.value;
  }
  CHECK(sent_again > 10'000);
  CHECK(repeated > 10'000);
  CHECK(out_of_order > 10'000);
  CHECK(not_ready > 20);
}

}  // namespace exactly_once_test
