// UTF-8, character by character (RFC 3629). See printable.hpp.
#include "tools/text/printable.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace racksim::tools {
namespace {

bool is_printable(std::uint32_t code) {
  const auto within = [code](std::uint32_t from, std::uint32_t to) { return code >= from && code <= to; };
  const bool controls = code < 0x20 || within(0x7f, 0x9f);
  const bool separators = within(0x2028, 0x2029);
  const bool directions = code == 0x61c || within(0x200e, 0x200f) || within(0x202a, 0x202e) || within(0x2066, 0x2069);
  return !controls && !separators && !directions;
}

std::string escaped(std::string_view text, const std::optional<Character>& character) {
  return character ? fmt::format("\\u{:04x}", character->code)
                   : fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_of_word(char c) {
  return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
}

}  // namespace

std::optional<Character> first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return Character{first, 1};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first > 0xf7 || text.size() < bytes) return std::nullopt;
  std::uint32_t code = first & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return std::nullopt;
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (code < kLeast[bytes - 2] || code > 0x10ffff || is_surrogate) return std::nullopt;
  return Character{code, bytes};
}

std::size_t first_unprintable(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto character = first_character(text.substr(at));
    if (!character || !is_printable(character->code)) return at;
    at += character->bytes;
  }
  return std::string_view::npos;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    if (shown.size() >= limit) return shown + "...";
    const auto rest = text.substr(at);
    const auto character = first_character(rest);
    const std::size_t bytes = character ? character->bytes : 1;
    shown += character && is_printable(character->code) ? std::string(rest.substr(0, bytes)) : escaped(rest, character);
    at += bytes;
  }
  return shown;
}

std::string unprintable_in_words(std::string_view text) {
  const auto rest = text.substr(first_unprintable(text));
  const auto character = first_character(rest);
  if (character) return fmt::format("the control character {}", escaped(rest, character));
  return fmt::format("the byte {}, which is no UTF-8", escaped(rest, character));
}

bool is_word(std::string_view name) {
  return !name.empty() && is_letter_or_digit(name.front()) && std::all_of(name.begin(), name.end(), is_of_word);
}

bool is_path_of_words(std::string_view name) {
  const auto slash = name.find('/');
  if (slash == std::string_view::npos) return is_word(name);
  return is_word(name.substr(0, slash)) && is_path_of_words(name.substr(slash + 1));
}

std::string word_of(std::string_view text) {
  std::string word(std::find_if(text.begin(), text.end(), is_letter_or_digit), text.end());
  std::erase_if(word, [](char c) { return (c & 0xc0) == 0x80; });  // one "-" for a character of several bytes
  std::replace_if(
      word.begin(), word.end(), [](char c) { return !is_of_word(c); }, '-');
  return word.empty() ? "unnamed" : word;
}

}  // namespace racksim::tools
