// Text that comes from outside: UTF-8 that a terminal shows and does not obey, and names that are words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace racksim::tools {

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};
/// The character that begins with the first byte of a text that is not empty; nothing if none does. Overlong forms and
/// surrogates are none.
std::optional<Character> first_character(std::string_view text);

/// The first place of a text that is no printable UTF-8: control characters (also those of ISO 6429 from U+0080 on),
/// separators of lines, marks that turn the direction of writing, and bytes that are no character. npos if all of it is.
std::size_t first_unprintable(std::string_view text);

/// The text with all that is not printable escaped, cut before a character after about `limit` bytes.
std::string printable(std::string_view text, std::size_t limit = std::string_view::npos);

/// What `first_unprintable` finds, for errors: "the control character \u001b" or "the byte \xff, which is no UTF-8".
std::string unprintable_in_words(std::string_view text);

/// What is expected instead.
inline constexpr const char* kPrintableText = "text in UTF-8 without control characters";

/// A name that may be a file's: ASCII letters, digits, "-", "_" and ".", the first of them a letter or a digit.
bool is_word(std::string_view name);
/// One such word or several, with "/" between them.
bool is_path_of_words(std::string_view name);
/// The word that is made of a text, such as a file's name: with "-" for what cannot stand in one.
std::string word_of(std::string_view text);

/// What is expected of a word, and the regular expression of one.
inline constexpr const char* kWord = "a name of letters, digits, \"-\", \"_\" and \".\", a letter or digit first";
inline constexpr const char* kWordPattern = "^[A-Za-z0-9][A-Za-z0-9._-]*$";
inline constexpr const char* kPathOfWordsPattern = "^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$";

}  // namespace racksim::tools
