// The entries of one table in TCAM at run time: ternary, longest-prefix and range keys.
//
// An entry with range keys takes a row for each combination of the prefixes that make up its ranges: hardware takes
// several rows for a range too, how many is not published (p4 discussions of Open-Tofino, issue 15), and prefixes are
// what every TCAM can do. Lookups go through the entries in the order of their importance, which is obviously right and
// fast enough for the few entries that such tables have; where the first key is a short exact one, through those of its
// value. Where all keys together are short, what that comes to stands in a list by their values; else, if there are no
// ranges, every four bits of a key that an entry asks for have a bitmap of the entries that they may match, as packet
// classifiers in software do it (Lakshman and Stiliadis, SIGCOMM '98).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "p4model/language/key_match.hpp"

namespace racksim::p4 {

class TernaryTable {
 public:
  static constexpr std::int32_t kMiss = -1;
  struct Field {
    unsigned bits = 0;
    MatchKind kind = MatchKind::exact;
  };

  /// `rows` of TCAM, `data_words` of action data an entry.
  TernaryTable(std::string name, std::vector<Field> fields, std::uint32_t rows, std::size_t data_words);

  /// The most important entry that matches the fields' values, or kMiss. Of several the one with the lowest priority
  /// number wins, then the one added first; in a table whose other keys are exact, the longest prefix.
  std::int32_t find(const std::uint64_t* values) const {
    if (has_bitmaps_) return look_up(values);
    if (by_values_.empty()) return search(values);
    if (!listed_) [[unlikely]]
      list_values();
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < fields_.size(); ++i) place = place << fields_[i].bits | values[i];
    return by_values_[place];
  }
  std::uint32_t action(std::int32_t entry) const { return entries_[static_cast<std::size_t>(entry)].action; }
  const std::uint64_t* data(std::int32_t entry) const { return entries_[static_cast<std::size_t>(entry)].data.data(); }

  /// Adds an entry. Throws std::runtime_error when the rows do not suffice, the entry is there, or the key does not
  /// suit the fields; priority must be 0 where prefixes decide.
  void add(std::span<const KeyMatch> key, std::uint32_t priority, std::uint32_t action,
           std::span<const std::uint64_t> data);
  /// Changes or removes the entry with this key and priority; false when there is none.
  bool modify(std::span<const KeyMatch> key, std::uint32_t priority, std::uint32_t action,
              std::span<const std::uint64_t> data);
  bool remove(std::span<const KeyMatch> key, std::uint32_t priority);
  /// The entry with this key and priority, or kMiss.
  std::int32_t entry_of(std::span<const KeyMatch> key, std::uint32_t priority) const;

  /// Entries, and rows that they take.
  std::uint32_t size() const { return size_; }
  std::uint32_t rows_used() const { return rows_used_; }

 private:
  /// A field v matches when first <= (v & mask) <= last.
  struct Term {
    std::uint64_t mask = 0, first = 0, last = 0;
    bool operator==(const Term&) const = default;
  };
  struct Entry {
    std::vector<Term> terms;
    std::uint64_t importance = 0;  // lower goes first
    std::uint32_t rows = 0;
    std::uint32_t action = 0;
    std::vector<std::uint64_t> data;
  };
  /// Four bits of a key, and by their value which entries of a list they may match: bit 0 is the most important.
  struct Nibble {
    std::uint8_t field, shift;
    std::array<std::uint64_t, 16> matching;
  };
  /// What a list is looked up by, once it has been searched so often that they pay.
  struct Bitmaps {
    bool made = false;
    unsigned searches = 0;  ///< since its entries changed last
    std::vector<Nibble> nibbles;
  };

  std::int32_t search(const std::uint64_t* values) const;
  /// The same by bitmaps.
  std::int32_t look_up(const std::uint64_t* values) const;
  void make_bitmaps(Bitmaps& bitmaps, std::size_t list) const;
  /// Searches for all values that the keys can have.
  void list_values() const;
  /// Entries of this list have changed.
  void forget(std::size_t list);
  /// Terms, importance and rows. Throws as `add` does for a key that does not suit.
  Entry make(std::span<const KeyMatch> key, std::uint32_t priority) const;
  Term term_of(std::size_t field, const KeyMatch& match) const;
  [[noreturn]] void refuse(std::size_t field, const std::string& what) const;
  /// The numbers of the entries among which one with these terms is.
  std::size_t list_of(const Entry& entry) const { return first_is_exact_ ? entry.terms.front().first : 0; }
  /// Where in its list the entry is, or the list's size.
  std::size_t place_of(const Entry& like) const;
  void store(Entry& entry, std::uint32_t action, std::span<const std::uint64_t> data) const;

  std::string name_;
  std::vector<Field> fields_;
  std::uint32_t rows_, rows_used_ = 0;
  std::size_t data_words_;
  bool by_prefix_;                  // one lpm key, the others exact
  bool first_is_exact_;             // the first key, and short
  std::vector<Entry> entries_;      // by number, gaps included
  std::vector<std::int32_t> free_;  // gaps
  /// Numbers, the most important first: a list for each value of the first key if that is exact and short, else one.
  std::vector<std::vector<std::int32_t>> order_;
  std::uint32_t size_ = 0;
  /// What is found, by the keys' values in a row, since entries changed last; empty where keys are long.
  mutable std::vector<std::int32_t> by_values_;
  mutable bool listed_ = false;
  bool has_bitmaps_;                      // keys are longer, and none is a range
  mutable std::vector<Bitmaps> bitmaps_;  // by list
};

}  // namespace racksim::p4
