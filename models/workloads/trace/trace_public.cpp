// See trace_public.hpp.
#include "models/workloads/trace/trace_public.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "models/workloads/trace/trace_csv.hpp"
#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_numbers.hpp"

namespace racksim::models {

namespace {

struct Word {
  std::string_view name;
  TraceOperation operation;
};

/// What they have in common: lines, and times in seconds from the first record on.
class LineReader : public TraceReader {
 public:
  using TraceReader::TraceReader;

  std::uint64_t position() const override { return bytes().line_number(); }
  void rewind() override {
    bytes().rewind();
    first_.reset();
  }

 protected:
  template <std::size_t count>
  TraceOperation operation(std::string_view name, const std::array<Word, count>& words) const {
    const auto found = std::find_if(words.begin(), words.end(), [&](const Word& word) { return word.name == name; });
    if (found != words.end()) return found->operation;
    std::string names;
    for (const Word& word : words) names += (names.empty() ? "" : ", ") + std::string(word.name);
    refuse(fmt::format("the operation \"{}\"", name), "one of " + names);
  }
  std::uint64_t since_first(std::string_view text) {
    const auto at = instant(text, 1'000'000'000'000);
    if (!at) refuse(fmt::format("the time \"{}\"", text), "seconds");
    if (!first_) first_ = *at;
    if (*at < *first_) refuse(fmt::format("the time \"{}\"", text), "one that is not before the first record's");
    if (*at - *first_ > kLastInstant) refuse(fmt::format("the time \"{}\"", text), "less than 100 days of trace");
    return static_cast<std::uint64_t>(*at - *first_);
  }
  std::uint32_t size_of(std::string_view text) const {
    const auto number = whole_number(text);
    if (!number || *number >> 32 != 0) refuse(fmt::format("the size \"{}\"", text), "a whole number of bytes");
    return static_cast<std::uint32_t>(*number);
  }
  static void set_key(TraceRecord& record, std::string_view text) {
    record.key = key_number(text);
    if (!record.key) record.key_text = text;
  }

 private:
  std::optional<Picoseconds> first_;
};

constexpr std::array<Word, 11> kTwitterWords = {{{"get", TraceOperation::get},
                                                 {"gets", TraceOperation::get},
                                                 {"set", TraceOperation::put},
                                                 {"add", TraceOperation::put},
                                                 {"replace", TraceOperation::put},
                                                 {"cas", TraceOperation::put},
                                                 {"append", TraceOperation::put},
                                                 {"prepend", TraceOperation::put},
                                                 {"delete", TraceOperation::remove},
                                                 {"incr", TraceOperation::put},
                                                 {"decr", TraceOperation::put}}};

class TwitterReader final : public LineReader {
 public:
  using LineReader::LineReader;
  TraceContents contents() const override {
    return {.times = true, .sessions = false, .clients = true, .numbers = false};
  }
  TraceFormat format() const override { return TraceFormat::twitter; }

  bool next(TraceRecord& record) override {
    const auto line = bytes().line();
    if (!line) return false;
    std::string_view left = *line;
    std::array<std::string_view, 5> last;  // time to live, operation, client, value's bytes, key's bytes
    const auto short_line = [&] { refuse("a line of fewer fields", "the seven of a Twitter trace"); };
    for (std::string_view& field : last) {
      const std::size_t comma = left.rfind(',');
      if (comma == std::string_view::npos) short_line();
      field = left.substr(comma + 1);
      left = left.substr(0, comma);
    }
    const std::size_t comma = left.find(',');
    if (comma == std::string_view::npos) short_line();
    record.at_ps = since_first(left.substr(0, comma));
    set_key(record, left.substr(comma + 1));
    record.operation = operation(last[1], kTwitterWords);
    record.client = last[2];
    record.size = size_of(last[3]);
    return true;
  }
};

constexpr std::array<Word, 5> kCacheLibWords = {{{"GET", TraceOperation::get},
                                                 {"GET_LEASE", TraceOperation::get},
                                                 {"SET", TraceOperation::put},
                                                 {"SET_LEASE", TraceOperation::put},
                                                 {"DELETE", TraceOperation::remove}}};

class CacheLibReader final : public LineReader {
 public:
  explicit CacheLibReader(std::unique_ptr<TraceBytes> of) : LineReader(std::move(of)) { read_header(); }
  TraceContents contents() const override {
    return {.times = time_.has_value(), .sessions = false, .clients = false, .numbers = false};
  }
  TraceFormat format() const override { return TraceFormat::cachelib; }
  void rewind() override {
    LineReader::rewind();
    read_header();
    again_ = 0;
  }

  bool next(TraceRecord& record) override {
    if (again_ > 0) {
      --again_;
      return true;
    }
    const auto line = bytes().line();
    if (!line) return false;
    split_fields(*line, fields_);
    if (fields_.size() < columns_) {
      refuse(fmt::format("{} fields", fields_.size()), fmt::format("at least {}", columns_));
    }
    if (time_) record.at_ps = since_first(fields_[*time_]);
    set_key(record, fields_[key_]);
    record.operation = operation(fields_[op_], kCacheLibWords);
    record.size = size_of(fields_[size_]);
    const auto count = whole_number(fields_[count_]);
    if (!count || *count == 0) refuse(fmt::format("op_count \"{}\"", fields_[count_]), "a whole number from 1");
    again_ = *count - 1;
    return true;
  }

 private:
  void read_header() {
    const auto header = bytes().line();
    if (!header || !is_cachelib_header(*header)) {
      throw TraceError(file(), "line 1", header ? "no header of CacheLib's" : "nothing",
                       "key, op, size and op_count among the names of its columns");
    }
    split_fields(*header, fields_);
    columns_ = 0;
    const auto place = [&](std::string_view name) {
      const auto at = static_cast<std::size_t>(std::find(fields_.begin(), fields_.end(), name) - fields_.begin());
      if (at < fields_.size()) columns_ = std::max(columns_, at + 1);
      return at;
    };
    key_ = place("key");
    op_ = place("op");
    size_ = place("size");
    count_ = place("op_count");
    const std::size_t time = place("op_time");
    if (time < fields_.size()) time_ = time;
  }

  std::size_t key_ = 0, op_ = 0, size_ = 0, count_ = 0, columns_ = 0;
  std::optional<std::size_t> time_;
  std::vector<std::string_view> fields_;
  std::uint64_t again_ = 0;
};

constexpr std::array<Word, 5> kYcsbWords = {{{"READ", TraceOperation::get},
                                             {"UPDATE", TraceOperation::put},
                                             {"INSERT", TraceOperation::put},
                                             {"SCAN", TraceOperation::scan},
                                             {"DELETE", TraceOperation::remove}}};

class YcsbReader final : public LineReader {
 public:
  using LineReader::LineReader;
  TraceContents contents() const override { return {}; }
  TraceFormat format() const override { return TraceFormat::ycsb; }

  bool next(TraceRecord& record) override {
    while (const auto line = bytes().line()) {
      const std::size_t space = std::min(line->find(' '), line->size());
      const auto word = std::find_if(kYcsbWords.begin(), kYcsbWords.end(),
                                     [&](const Word& known) { return known.name == line->substr(0, space); });
      if (word == kYcsbWords.end()) continue;
      record.operation = word->operation;
      read_rest(record, line->substr(std::min(space + 1, line->size())));
      return true;
    }
    return false;
  }

 private:
  static std::string_view next_word(std::string_view& text) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    return word;
  }
  /// "usertable user17 [ field0=... ]".
  void read_rest(TraceRecord& record, std::string_view text) {
    const std::string_view table = next_word(text), key = next_word(text);
    if (table.empty() || key.empty()) refuse("an operation without a key", "a table and a key");
    set_key(record, key);
    record.size = 0;
    if (record.operation == TraceOperation::scan) {
      const std::string_view items = next_word(text);
      const auto number = whole_number(items);
      if (!number || *number >> 32 != 0) refuse(fmt::format("a scan of \"{}\" items", items), "their number");
      record.size = static_cast<std::uint32_t>(*number);
    } else if (record.operation == TraceOperation::put) {
      record.size = bytes_of_fields(text);
    }
  }
  /// The bytes of the values in "[ field0=... field1=... ]". A value may hold blanks; a field's name is "field" and a
  /// number.
  static std::uint32_t bytes_of_fields(std::string_view text) {
    if (text.starts_with("[ ")) text.remove_prefix(2);
    if (text.ends_with(" ]")) text.remove_suffix(2);
    std::size_t bytes = text.size();
    for (std::size_t at = 0; (at = text.find("field", at)) != std::string_view::npos;) {
      std::size_t end = at + 5;
      while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
      const bool begins = at == 0 || text[at - 1] == ' ';
      if (begins && end > at + 5 && end < text.size() && text[end] == '=') bytes -= end + 1 - at + (at == 0 ? 0 : 1);
      at = end;
    }
    return static_cast<std::uint32_t>(bytes);
  }
};

}  // namespace

bool is_cachelib_header(std::string_view line) {
  constexpr std::array<std::string_view, 4> kCacheLibColumns = {"key", "op", "size", "op_count"};
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::vector<std::string_view> names;
  split_fields(line, names);
  return std::all_of(kCacheLibColumns.begin(), kCacheLibColumns.end(),
                     [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); });
}

std::unique_ptr<TraceReader> open_twitter(std::unique_ptr<TraceBytes> bytes) {
  return std::make_unique<TwitterReader>(std::move(bytes));
}

std::unique_ptr<TraceReader> open_cachelib(std::unique_ptr<TraceBytes> bytes) {
  return std::make_unique<CacheLibReader>(std::move(bytes));
}

std::unique_ptr<TraceReader> open_ycsb(std::unique_ptr<TraceBytes> bytes) {
  return std::make_unique<YcsbReader>(std::move(bytes));
}

}  // namespace racksim::models
