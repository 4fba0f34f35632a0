// See trace_conversion.hpp.
#include "tools/trace/trace_conversion.hpp"

#include <iterator>

#include "models/workloads/trace/trace_binary.hpp"
#include "models/workloads/trace/trace_error.hpp"
#include "sim/random/random.hpp"
#include "tools/files/write_file.hpp"
#include "tools/processes/interruption.hpp"

namespace racksim::tools {

namespace {

constexpr const char* kHeader = "time_ns,node,thread,op,key,size\n";
constexpr std::size_t kPiece = std::size_t{1} << 16;

void write(DraftFile& file, fmt::memory_buffer& piece) {
  file.stream().write(piece.data(), static_cast<std::streamsize>(piece.size()));
  piece.clear();
}

}  // namespace

void append_trace_line(fmt::memory_buffer& out, const models::TraceRecord& record) {
  fmt::format_to(std::back_inserter(out), "{}.{:03},{},{},{},{},{}\n", record.at_ps / 1000, record.at_ps % 1000,
                 record.node, record.thread, to_string(record.operation), record.key.value(), record.size);
}

std::uint64_t convert_trace(models::TraceReader& reader, const std::filesystem::path& path,
                            const ConversionOptions& options) {
  const bool binary = path.extension() == ".bin";
  DraftFile file(path, "racksim trace convert", "OUT");
  fmt::memory_buffer piece;
  if (binary) {
    models::append_trace_head(piece, models::kUntilTheEnd);
  } else {
    piece.append(std::string_view(kHeader));
  }
  models::TraceKeys keys(options.keys, options.key_space);
  models::TraceRecord record, written;
  const models::TraceContents contents = reader.contents();
  std::uint64_t records = 0;
  for (; reader.next(record); ++records) {
    written.at_ps = record.at_ps;
    written.operation = record.operation;
    written.size = record.size;
    written.node = record.node;
    written.thread = record.thread;
    if (!contents.sessions) {
      const std::uint64_t turn = contents.clients ? sim::name_hash(record.client) : records;
      const std::uint64_t session = turn % (options.nodes * options.threads);
      written.node = static_cast<std::uint32_t>(session / options.threads);
      written.thread = static_cast<std::uint32_t>(session % options.threads);
    }
    written.key = keys.number_of(record);
    if (!written.key) {
      const bool given = options.keys == models::TraceKeying::given;
      throw models::TraceError(reader.file(), reader.place_of(reader.position()),
                               given ? fmt::format("the key \"{}\"", record.key_text) : "a key too many",
                               given ? "a number, or --keys hashed or numbered" : "at most --key-space of them");
    }
    if (binary) {
      models::append_trace_record(piece, written);
    } else {
      append_trace_line(piece, written);
    }
    if (piece.size() < kPiece) continue;
    write(file, piece);
    stop_if_interrupted([&] { return fmt::format("{} records have been converted", records); });
  }
  write(file, piece);
  // What is no regular file, such as a pipe, cannot be gone back in.
  if (binary && !file.draft().empty()) {
    file.stream().seekp(0);
    models::append_trace_head(piece, records);
    write(file, piece);
  }
  file.keep();
  return records;
}

}  // namespace racksim::tools
