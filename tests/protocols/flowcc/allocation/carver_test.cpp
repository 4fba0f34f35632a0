// Pieces that a thread carves out of chunks (size_classes.hpp, carver.hpp) and those in use (pieces.hpp), against a map
// of all words, which knows no classes and no lists.
#include "protocols/flowcc/allocation/carver.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "protocols/flowcc/allocation/pieces.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/random/random.hpp"

namespace carver_test {

using namespace racksim;
using namespace racksim::flowcc;
using models::GlobalAddress;

namespace {

constexpr std::uint64_t kWord = 8;

std::uint64_t blocks_of(std::uint64_t first, std::uint64_t bytes, std::uint64_t block) {
  return (first + bytes - 1) / block - first / block + 1;
}

/// Which words of the chunks are in use, word by word.
class WordMap {
 public:
  void add_chunk(std::uint64_t first, std::uint64_t bytes) {
    for (std::uint64_t at = first; at < first + bytes; at += kWord) REQUIRE(used_.emplace(at, false).second);
  }
  /// Whether all these words are a chunk's, and nobody has used one of them.
  bool use(std::uint64_t first, std::uint64_t bytes) { return change(first, bytes, false); }
  bool give_back(std::uint64_t first, std::uint64_t bytes) { return change(first, bytes, true); }

 private:
  bool change(std::uint64_t first, std::uint64_t bytes, bool from) {
    for (std::uint64_t at = first / kWord * kWord; at < first + bytes; at += kWord) {
      const auto word = used_.find(at);
      if (word == used_.end() || word->second != from) return false;
      word->second = !from;
    }
    return true;
  }
  std::map<std::uint64_t, bool> used_;
};

}  // namespace

TEST_CASE("A class holds what was asked, and up to a block as many of it fit as of what was asked") {
  for (const std::uint64_t block : {64, 1024, 4096}) {
    const SizeClasses classes(block, 16 * block);
    std::set<std::uint64_t> below;
    for (std::uint64_t bytes = 1; bytes <= block; ++bytes) {
      const std::uint64_t piece = classes.piece_of(bytes), words = (bytes + kWord - 1) / kWord * kWord;
      REQUIRE(piece >= bytes);
      REQUIRE(piece % kWord == 0);
      REQUIRE(block / piece == block / words);
      REQUIRE(classes.piece_of(piece) == piece);
      below.insert(piece);
    }
    // Twice the root of the number of words: block / n takes no more values.
    CHECK(below.size() * below.size() <= 4 * block / kWord);
    for (std::uint64_t bytes = block + 1; bytes <= 33 * block; bytes += 8) {
      const std::uint64_t piece = classes.piece_of(bytes);
      REQUIRE(piece == (bytes + block - 1) / block * block);
      REQUIRE(classes.chunks_for(piece) == (bytes + 16 * block - 1) / (16 * block) * 16 * block);
    }
    CHECK(classes.chunks_for(8) == 16 * block);
  }
}

TEST_CASE("Pieces never overlap, lie in chunks and in no block needlessly, and are used again") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    sim::RandomStream random(seed, "carving");
    const std::uint64_t block = seed % 3 == 0 ? 64 : seed % 3 == 1 ? 256 : 4096;
    const std::uint64_t chunk = block * (seed % 2 == 0 ? 16 : 5);
    const SizeClasses classes(block, chunk);
    Carver carver(classes);
    WordMap words;
    std::uint64_t chunks = 0, have = 0, in_use = 0;
    struct Piece {
      GlobalAddress first;
      std::uint64_t bytes, piece;
    };
    std::vector<Piece> pieces;
    for (int step = 0; step < 400; ++step) {
      if (pieces.empty() || random.chance(step < 200 ? 0.65 : 0.4)) {
        const std::uint64_t most = random.chance(0.1) ? 3 * chunk : random.chance(0.3) ? 4 * block : block;
        const std::uint64_t bytes = 1 + random.below(most);
        const std::uint64_t piece = classes.piece_of(bytes);
        auto first = carver.take(piece);
        if (!first) {
          // A chunk of which no neighbour is given, so that what runs over its end is seen.
          const GlobalAddress next = GlobalAddress::at(3, have + ++chunks * block);
          const std::uint64_t given = classes.chunks_for(piece);
          carver.add(next, given);
          words.add_chunk(next.value, given);
          have += given;
          first = carver.take(piece);
        }
        REQUIRE(first);
        REQUIRE(words.use(first->value, piece));
        REQUIRE(blocks_of(first->value, bytes, block) == (bytes + block - 1) / block);
        in_use += piece;
        pieces.push_back({*first, bytes, piece});
      } else {
        const auto freed = pieces.begin() + static_cast<std::ptrdiff_t>(random.below(pieces.size()));
        carver.give_back(freed->first, freed->piece);
        REQUIRE(words.give_back(freed->first.value, freed->piece));
        in_use -= freed->piece;
        // Of less than a block, what was given back last is taken first.
        if (freed->piece < block) {
          REQUIRE(carver.take(freed->piece) == freed->first);
          carver.give_back(freed->first, freed->piece);
        }
        pieces.erase(freed);
      }
      REQUIRE(carver.free_bytes() <= have - in_use);  // the rest of a block that is cut is lost
    }
    // All that was in use can be had again without another chunk, in the order in which it was had.
    const std::vector<Piece> before = pieces;
    for (const Piece& piece : before) carver.give_back(piece.first, piece.piece);
    for (const Piece& piece : before) CHECK(carver.take(piece.piece).has_value());
  }
}

TEST_CASE("Whole blocks that are free and neighbours serve a larger piece, across chunks that are neighbours too") {
  const SizeClasses classes(64, 256);
  Carver carver(classes);
  carver.add(GlobalAddress::at(1, 512), 256);
  std::vector<GlobalAddress> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(*carver.take(64));
  CHECK_FALSE(carver.take(64));
  for (const int i : {3, 1, 2}) carver.give_back(blocks[static_cast<std::size_t>(i)], 64);
  carver.add(GlobalAddress::at(1, 768), 256);
  CHECK(carver.take(7 * 64) == blocks[1]);
}

TEST_CASE("A chunk is carved to its last block, and no further") {
  const SizeClasses classes(64, 256);
  Carver carver(classes);
  CHECK_FALSE(carver.take(8));
  carver.add(GlobalAddress::at(1, 512), 256);
  CHECK(carver.take(128) == GlobalAddress::at(1, 512));
  CHECK(carver.take(32) == GlobalAddress::at(1, 640));
  CHECK(carver.take(32) == GlobalAddress::at(1, 672));
  CHECK_FALSE(carver.take(128));
  CHECK(carver.take(64) == GlobalAddress::at(1, 704));
  CHECK_FALSE(carver.take(64));
  CHECK_FALSE(carver.take(8));
  CHECK(carver.free_bytes() == 0);
  carver.give_back(GlobalAddress::at(1, 704), 64);
  CHECK(carver.free_bytes() == 64);
  CHECK(carver.take(8) == GlobalAddress::at(1, 704));  // a block that was a piece can be cut
}

TEST_CASE("What was carved wrongly breaks an invariant: a piece over another, or over a block's end") {
  const sim::InvariantChecks checked(true);
  Pieces pieces(64);
  pieces.use({128}, 64);
  pieces.use({192}, 16);
  pieces.use({208}, 48);
  pieces.use({320}, 128);
  CHECK(pieces.bytes() == 256);
  for (const auto& [first, bytes] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {128, 64}, {128, 8}, {184, 8}, {64, 128}, {240, 8}, {384, 64}, {96, 64}}) {
    Pieces copy = pieces;
    CHECK_THROWS_AS(copy.use({first}, bytes), sim::BrokenInvariant);
  }
  CHECK(pieces.free({192}) == 16);
  pieces.use({192}, 16);
}

TEST_CASE("Only a piece in use can be freed, once, by its first address") {
  Pieces pieces(64);
  pieces.use({128}, 64);
  for (const std::uint64_t wrong : {0, 64, 136, 192}) CHECK_THROWS_AS(pieces.free({wrong}), std::invalid_argument);
  CHECK(pieces.free({128}) == 64);
  CHECK_THROWS_WITH(pieces.free({128}), "address 0x80 is no allocation's");
  CHECK(pieces.bytes() == 0);
}

}  // namespace carver_test
