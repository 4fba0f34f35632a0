// See sha256.hpp.
#include "tools/files/sha256.hpp"

#include <fmt/core.h>

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace racksim::tools {
namespace {

constexpr std::size_t kShaBlock = 64;

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2).
constexpr std::array<std::uint32_t, 64> kShaRounds{
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using ShaState = std::array<std::uint32_t, 8>;

std::uint32_t big_endian_word(const char* bytes) {
  std::uint32_t word = 0;
  for (int i = 0; i < 4; ++i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

void take_in(ShaState& state, const char* block) {
  std::array<std::uint32_t, 64> words{};
  for (std::size_t i = 0; i < 16; ++i) words[i] = big_endian_word(block + 4 * i);
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t a = words[i - 15], b = words[i - 2];
    words[i] = words[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + words[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t first =
        h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + kShaRounds[i] + words[i];
    const std::uint32_t second =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const ShaState step{a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += step[i];
}

constexpr ShaState kFirstState{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/// Takes in all whole blocks; returns what is left.
std::string_view take_in_blocks(ShaState& state, std::string_view bytes) {
  const std::size_t whole = bytes.size() / kShaBlock * kShaBlock;
  for (std::size_t at = 0; at < whole; at += kShaBlock) take_in(state, bytes.data() + at);
  return bytes.substr(whole);
}

/// What is left behind the last whole block, of so many bytes in all.
std::string finished(ShaState& state, std::string_view left, std::uint64_t bytes) {
  std::string last(left);
  last += '\x80';
  while (last.size() % kShaBlock != kShaBlock - 8) last += '\0';
  for (int shift = 56; shift >= 0; shift -= 8) last += static_cast<char>(bytes * 8 >> shift & 0xff);
  take_in_blocks(state, last);
  std::string text;
  for (const std::uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace

std::string sha256(std::string_view bytes) {
  ShaState state = kFirstState;
  const std::string_view left = take_in_blocks(state, bytes);
  return finished(state, left, bytes.size());
}

std::string sha256_of_file(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return "";
  std::ifstream in(file, std::ios::binary);
  ShaState state = kFirstState;
  std::string piece(kShaBlock << 10, '\0');
  std::uint64_t bytes = 0;
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto got = static_cast<std::size_t>(in.gcount());
    bytes += got;
    const std::string_view there = std::string_view(piece).substr(0, got);
    // Only the last piece is shorter.
    const std::string_view left = take_in_blocks(state, there);
    if (got < piece.size() && in.eof()) return finished(state, left, bytes);
  }
  return "";
}

}  // namespace racksim::tools
