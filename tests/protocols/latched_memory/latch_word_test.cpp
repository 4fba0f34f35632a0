// The latch word's algebra (SELCC §4.3.1, Figure 4; §4.4).
#include "protocols/latched_memory/latch_word.hpp"

#include <catch2/catch.hpp>
#include <vector>

namespace latch_word_test {

using namespace racksim::latched_memory;

TEST_CASE("A word names its owner or its readers, and ids begin at 1") {
  CHECK(LatchWord().free());
  for (NodeId node = 0; node < LatchWord::kMostNodes; ++node) {
    const LatchWord owned(LatchWord::modified(node)), read(LatchWord::shared(node));
    CHECK(owned.bits() == (std::uint64_t{node} + 1) * (std::uint64_t{1} << 58));
    CHECK(owned.names_owner());
    CHECK(owned.owner() == node);
    CHECK(owned.readers() == 0);
    CHECK_FALSE(read.names_owner());
    CHECK(read.names(node));
    CHECK_FALSE(read.free());
  }
}

TEST_CASE("58 readers fill the bitmap and leave the id alone") {
  std::uint64_t all = 0;
  for (NodeId node = 0; node < LatchWord::kMostNodes; ++node) all += LatchWord::shared(node);
  const LatchWord word(all);
  CHECK_FALSE(word.names_owner());
  std::vector<NodeId> readers;
  word.for_each_reader([&](NodeId node) { readers.push_back(node); });
  REQUIRE(readers.size() == 58);
  for (NodeId node = 0; node < 58; ++node) CHECK(readers[node] == node);
}

TEST_CASE("A handover adds (A - B, 0), whichever id is larger") {
  for (const auto& [from, to] : {std::pair<NodeId, NodeId>{0, 57}, {57, 0}, {3, 4}}) {
    CHECK(LatchWord::modified(from) + LatchWord::hand_over(from, to) == LatchWord::modified(to));
  }
}

TEST_CASE("Sharing adds (-B, bits A and B)") {
  const LatchWord word(LatchWord::modified(5) + LatchWord::share(5, 57));
  CHECK_FALSE(word.names_owner());
  CHECK(word.readers() == ((std::uint64_t{1} << 5) | (std::uint64_t{1} << 57)));
}

TEST_CASE("A reader's bit that is added twice carries into its neighbour's, and beyond the last into the id") {
  CHECK(LatchWord(2 * LatchWord::shared(4)).names(5));
  CHECK(LatchWord(2 * LatchWord::shared(57)).owner() == 0);
}

TEST_CASE("The bits of 42 nodes, each fewer than 2^16 times in a word, leave the id alone, those of 43 do not") {
  for (unsigned nodes = 1; nodes <= 48; ++nodes) {
    std::uint64_t most = 0;
    for (NodeId node = 0; node < nodes; ++node) most += 0xffff * LatchWord::shared(node);
    INFO(nodes);
    CHECK(LatchWord(most).names_owner() == LatchWord::readers_reach_id(nodes));
    CHECK(LatchWord::readers_reach_id(nodes) == (nodes > 42));
  }
  CHECK(LatchWord::readers_reach_id(LatchWord::kMostNodes));
}

TEST_CASE("A bit that is taken away too early borrows from the id: the first node's becomes nobody's") {
  const LatchWord word(LatchWord::modified(0) - LatchWord::shared(3));
  CHECK_FALSE(word.names_owner());
}

}  // namespace latch_word_test
