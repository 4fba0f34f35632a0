#include "models/host/sparse_words.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <random>
#include <vector>

namespace sparse_words_test {

using racksim::models::SparseWords;

namespace {

constexpr std::uint64_t kBytes = 1 << 15;

/// Sparse words and a plain array of bytes, to which the same is done, from a given address on.
struct Compared {
  explicit Compared(std::uint64_t from) : origin(from) {}
  void write(std::uint64_t offset, const std::vector<std::byte>& bytes) {
    sparse.write(origin + offset, bytes);
    std::copy(bytes.begin(), bytes.end(), plain.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void set_word(std::uint64_t offset, std::uint64_t value) {
    sparse.set_word(origin + offset, value);
    std::memcpy(plain.data() + offset, &value, sizeof value);
  }
  std::uint64_t word(std::uint64_t offset) const {
    std::uint64_t value = 0;
    std::memcpy(&value, plain.data() + offset, sizeof value);
    return value;
  }
  bool same(std::uint64_t offset, std::size_t length) const {
    std::vector<std::byte> read(length, std::byte{0xee});
    sparse.read(origin + offset, read);
    return std::equal(read.begin(), read.end(), plain.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  std::size_t pages_not_zero() const {
    std::size_t pages = 0;
    for (std::size_t at = 0; at < kBytes; at += SparseWords::kPageBytes) {
      const auto begin = plain.begin() + static_cast<std::ptrdiff_t>(at);
      pages += std::any_of(begin, begin + SparseWords::kPageBytes, [](std::byte b) { return b != std::byte{}; });
    }
    return pages;
  }
  std::uint64_t origin;
  SparseWords sparse;
  std::vector<std::byte> plain = std::vector<std::byte>(kBytes);
};

}  // namespace

TEST_CASE("Sparse words are what a plain array of bytes is, at any offset and length, where they are 0 again too") {
  for (const std::uint64_t origin : {std::uint64_t{0}, std::uint64_t{1} << 48, ~std::uint64_t{0} - kBytes + 1}) {
    INFO("from " << origin << " on");
    Compared t(origin);
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t offset = random() % (kBytes - 700), kind = random() % 8;
      const std::uint64_t value = random() % 3 == 0 ? 0 : random();
      if (kind < 2) {
        std::vector<std::byte> bytes(random() % 700);
        const bool zeros = random() % 2 == 0;
        for (std::byte& b : bytes) b = zeros ? std::byte{} : static_cast<std::byte>(random());
        t.write(offset, bytes);
      } else if (kind < 5) {
        t.set_word(offset / 8 * 8, value);
      } else if (kind == 5) {
        t.set_word(offset, value);
      } else {
        REQUIRE(t.same(offset, random() % 700));
        REQUIRE(t.sparse.word(origin + offset) == t.word(offset));
        REQUIRE(t.sparse.word(origin + offset / 8 * 8) == t.word(offset / 8 * 8));
      }
      if (i % 1000 == 0) REQUIRE(t.sparse.pages() == t.pages_not_zero());
    }
    CHECK(t.same(0, kBytes));
  }
}

TEST_CASE(
    "Rewriting visits each page that is not 0 once, with its number and its words, and keeps what is left there") {
  Compared t(0);
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) t.set_word(random() % (kBytes / 8) * 8, random());
  std::vector<std::uint64_t> visited;
  t.sparse.rewrite([&](std::uint64_t number, SparseWords::Page& page) {
    visited.push_back(number);
    const std::uint64_t at = number * SparseWords::kPageBytes;
    CHECK(std::memcmp(page.data(), t.plain.data() + at, SparseWords::kPageBytes) == 0);
    if (number % 2 == 1) page = {};
    std::memcpy(t.plain.data() + at, page.data(), SparseWords::kPageBytes);
  });
  std::sort(visited.begin(), visited.end());
  CHECK(std::adjacent_find(visited.begin(), visited.end()) == visited.end());
  CHECK(visited.size() > t.sparse.pages());
  CHECK(t.sparse.pages() == t.pages_not_zero());
  CHECK(t.same(0, kBytes));
}

TEST_CASE("Each word that is not 0 is visited once, with its address") {
  Compared t(std::uint64_t{1} << 40);
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) t.set_word(random() % (kBytes / 8) * 8, random() % 3);
  std::map<std::uint64_t, std::uint64_t> expected, visited;
  for (std::uint64_t at = 0; at < kBytes; at += 8) {
    if (t.word(at) != 0) expected[t.origin + at] = t.word(at);
  }
  t.sparse.visit([&](std::uint64_t address, std::uint64_t word) { CHECK(visited.emplace(address, word).second); });
  CHECK(visited == expected);
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t from = random() % (kBytes / 8) * 8, bytes = random() % ((kBytes - from) / 8 + 1) * 8;
    INFO(bytes << " bytes from " << from << " on");
    std::vector<std::pair<std::uint64_t, std::uint64_t>> in_order;
    t.sparse.visit(t.origin + from, bytes,
                   [&](std::uint64_t at, std::uint64_t word) { in_order.emplace_back(at, word); });
    CHECK(in_order == std::vector<std::pair<std::uint64_t, std::uint64_t>>(
                          expected.lower_bound(t.origin + from), expected.lower_bound(t.origin + from + bytes)));
  }
}

TEST_CASE("A page with one word costs at most 30 bytes, and words that are 0 again give their room to others") {
  // The latch words of 2 KB lines with their latch behind them.
  constexpr std::uint64_t kLines = 200'000, kLine = 2048 + 8;
  SparseWords words;
  for (std::uint64_t line = 0; line < kLines; ++line) {
    words.set_word(line * kLine + 2048, line + 1);
    if (line >= 1000) CHECK(words.room() <= words.pages() * 31);
  }
  CHECK(words.pages() == kLines);
  const std::size_t room = words.room();
  CHECK(room <= kLines * 30 + 1000);
  // Released, and taken elsewhere.
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t line = 0; line < kLines; ++line) words.set_word(line * kLine + 2048, 0);
    CHECK(words.pages() == 0);
    for (std::uint64_t line = 0; line < kLines; ++line) words.set_word((kLines + line) * kLine, line + 1);
    CHECK(words.room() == room);
    for (std::uint64_t line = 0; line < kLines; ++line) words.set_word((kLines + line) * kLine, 0);
    for (std::uint64_t line = 0; line < kLines; ++line) words.set_word(line * kLine + 2048, line + 1);
  }
  CHECK(words.room() == room);
  for (std::uint64_t line = 0; line < kLines; ++line) REQUIRE(words.word(line * kLine + 2048) == line + 1);
  words.clear();
  CHECK(words.room() == 0);
}

TEST_CASE("A page costs the words that are not 0, rounded up to a power of two, a quarter for indices, and one more") {
  SparseWords words;
  words.set_word(0, 1);
  const std::size_t one = words.room();
  const std::vector<std::size_t> blocks{0, 4, 6, 6, 11, 11, 11, 11, 21};  // words of 8 bytes
  for (std::size_t count = 1; count <= blocks.size(); ++count) {
    words.set_word((count - 1) * 8, count);
    CHECK(words.room() == one + 8 * blocks[count - 1]);
  }
  for (std::size_t count = blocks.size(); count > 1; --count) {
    words.set_word((count - 1) * 8, 0);
    CHECK(words.room() == one + 8 * blocks[count - 2]);
  }
  CHECK(words.word(0) == 1);
}

}  // namespace sparse_words_test
