// See trace_binary.hpp.
#include "models/workloads/trace/trace_binary.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_numbers.hpp"

namespace racksim::models {

namespace {

void append_number(fmt::memory_buffer& out, std::uint64_t number, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> 8 * i & 0xff));
}

std::uint64_t number_at(std::string_view bytes, std::size_t offset, unsigned length) {
  std::uint64_t number = 0;
  for (unsigned i = 0; i < length; ++i) {
    number |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[offset + i])) << 8 * i;
  }
  return number;
}

/// What both have in common: records of one length behind a header of another.
class RecordReader : public TraceReader {
 public:
  RecordReader(std::unique_ptr<TraceBytes> of, std::size_t head, std::size_t record)
      : TraceReader(std::move(of)), head_(head), record_(record) {}

  std::uint64_t position() const override { return read_; }
  std::string place_of(std::uint64_t position) const override { return fmt::format("record {}", position); }
  void rewind() override {
    bytes().rewind();
    bytes().take(head_);
    read_ = 0;
  }

 protected:
  /// The bytes of the next record; nothing at the end.
  std::optional<std::string_view> next_bytes() {
    const std::string_view piece = bytes().take(record_);
    if (piece.empty()) return std::nullopt;
    ++read_;
    if (piece.size() < record_) {
      refuse(fmt::format("{} bytes", piece.size()), fmt::format("a whole record of {}", record_));
    }
    return piece;
  }
  std::uint64_t read() const { return read_; }

 private:
  std::size_t head_, record_;
  std::uint64_t read_ = 0;
};

class BinaryReader final : public RecordReader {
 public:
  BinaryReader(std::unique_ptr<TraceBytes> of, std::uint64_t records)
      : RecordReader(std::move(of), kTraceRecordBytes, kTraceRecordBytes), records_(records) {}

  TraceContents contents() const override {
    return {.times = true, .sessions = true, .clients = false, .numbers = true};
  }
  TraceFormat format() const override { return TraceFormat::binary; }
  std::uint64_t records() const override { return records_ == kUntilTheEnd ? 0 : records_; }

  bool next(TraceRecord& record) override {
    const auto piece = next_bytes();
    if (!piece) {
      if (records_ != kUntilTheEnd && read() < records_) {
        throw TraceError(file(), "", fmt::format("{} records", read()), fmt::format("the {} of its header", records_));
      }
      return false;
    }
    if (read() > records_) refuse("a record too many", fmt::format("the {} of its header", records_));
    record.at_ps = number_at(*piece, 0, 8);
    record.key = number_at(*piece, 8, 8);
    record.node = static_cast<std::uint32_t>(number_at(*piece, 16, 4));
    record.thread = static_cast<std::uint32_t>(number_at(*piece, 20, 4));
    record.size = static_cast<std::uint32_t>(number_at(*piece, 24, 4));
    const std::uint64_t operation = number_at(*piece, 28, 1);
    if (operation >= kTraceOperations) {
      refuse(fmt::format("operation {}", operation), fmt::format("one from 0 to {}", kTraceOperations - 1));
    }
    if (number_at(*piece, 29, 3) != 0) refuse("bytes that are not 0 at its end", "a record of a trace");
    if (record.at_ps > kLastInstant) refuse(fmt::format("time {}", record.at_ps), "at most 2^63 picoseconds");
    record.operation = static_cast<TraceOperation>(operation);
    return true;
  }

 private:
  std::uint64_t records_;
};

class OracleGeneralReader final : public RecordReader {
 public:
  static constexpr std::size_t kBytes = 24;
  explicit OracleGeneralReader(std::unique_ptr<TraceBytes> of) : RecordReader(std::move(of), 0, kBytes) {}

  TraceContents contents() const override {
    return {.times = true, .sessions = false, .clients = false, .numbers = true};
  }
  TraceFormat format() const override { return TraceFormat::oracle_general; }
  void rewind() override {
    RecordReader::rewind();
    first_.reset();
  }

  bool next(TraceRecord& record) override {
    const auto piece = next_bytes();
    if (!piece) return false;
    const std::uint64_t seconds = number_at(*piece, 0, 4);
    if (!first_) first_ = seconds;
    if (seconds < *first_) refuse(fmt::format("time {}", seconds), "one that is not before the first record's");
    if (seconds - *first_ > kLastInstant / 1'000'000'000'000) {
      refuse(fmt::format("time {}", seconds), "at most 2^63 picoseconds behind the first record's");
    }
    record.at_ps = (seconds - *first_) * 1'000'000'000'000;
    record.key = number_at(*piece, 4, 8);
    record.size = static_cast<std::uint32_t>(number_at(*piece, 12, 4));
    record.operation = TraceOperation::get;
    return true;
  }

 private:
  std::optional<std::uint64_t> first_;
};

}  // namespace

void append_trace_head(fmt::memory_buffer& out, std::uint64_t records) {
  out.append(kTraceMagic);
  append_number(out, kTraceVersion, 4);
  append_number(out, kTraceRecordBytes, 4);
  append_number(out, records, 8);
  append_number(out, 0, 8);
}

void append_trace_record(fmt::memory_buffer& out, const TraceRecord& record) {
  append_number(out, record.at_ps, 8);
  append_number(out, record.key.value(), 8);
  append_number(out, record.node, 4);
  append_number(out, record.thread, 4);
  append_number(out, record.size, 4);
  append_number(out, static_cast<std::uint64_t>(record.operation), 4);
}

std::unique_ptr<TraceReader> open_binary_trace(std::unique_ptr<TraceBytes> bytes) {
  const std::string_view head = bytes->take(kTraceRecordBytes);
  const auto refuse = [&](const std::string& found, const std::string& expected) {
    throw TraceError(bytes->file(), "header", found, expected);
  };
  if (head.size() < kTraceRecordBytes || !head.starts_with(kTraceMagic)) {
    refuse(head.starts_with(kTraceMagic) ? fmt::format("{} bytes", head.size()) : "no such magic",
           fmt::format("\"{}\" and {} bytes in all", kTraceMagic, kTraceRecordBytes));
  }
  const std::uint64_t version = number_at(head, 8, 4), record = number_at(head, 12, 4),
                      records = number_at(head, 16, 8);
  if (version != kTraceVersion) refuse(fmt::format("version {}", version), fmt::format("version {}", kTraceVersion));
  if (record != kTraceRecordBytes) {
    refuse(fmt::format("records of {} bytes", record), fmt::format("of {}", kTraceRecordBytes));
  }
  if (const auto length = bytes->length(); length && records != kUntilTheEnd) {
    const std::uint64_t there = (*length - kTraceRecordBytes) / kTraceRecordBytes;
    if (there != records || *length % kTraceRecordBytes != 0) {
      refuse(fmt::format("{} records in a file of {} bytes", records, *length),
             fmt::format("a file of {} for each and {} for the header", kTraceRecordBytes, kTraceRecordBytes));
    }
  }
  return std::make_unique<BinaryReader>(std::move(bytes), records);
}

std::unique_ptr<TraceReader> open_oracle_general(std::unique_ptr<TraceBytes> bytes) {
  if (const auto length = bytes->length(); length && *length % OracleGeneralReader::kBytes != 0) {
    throw TraceError(bytes->file(), "", fmt::format("{} bytes", *length),
                     fmt::format("whole records of {}", OracleGeneralReader::kBytes));
  }
  return std::make_unique<OracleGeneralReader>(std::move(bytes));
}

}  // namespace racksim::models
