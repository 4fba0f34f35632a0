// The forms of traces, read as their documentation says: our own, and the public ones in lines and records as they are
// published (twitter/cache-trace, CacheLib's CacheBench, YCSB's basic binding, libCacheSim's oracleGeneral).
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "models/workloads/trace/trace_binary.hpp"
#include "models/workloads/trace/trace_bytes.hpp"
#include "models/workloads/trace/trace_csv.hpp"
#include "models/workloads/trace/trace_error.hpp"
#include "models/workloads/trace/trace_keys.hpp"
#include "models/workloads/trace/trace_numbers.hpp"
#include "models/workloads/trace/trace_opening.hpp"
#include "models/workloads/trace/trace_reader.hpp"
#include "tests/tools/temporary_folder.hpp"

namespace trace_readers_test {

using namespace racksim;
using namespace racksim::models;
using tools::testing::TemporaryFolder;

namespace {

/// A record in short: "time/node/thread op key size client".
std::string in_short(const TraceRecord& record) {
  return fmt::format("{}/{}/{} {} {} {} {}", record.at_ps, record.node, record.thread, to_string(record.operation),
                     record.key ? std::to_string(*record.key) : "'" + record.key_text + "'", record.size,
                     record.client);
}

struct Read {
  std::vector<std::string> records;
  std::string refused;  ///< at which place
  TraceFormat format{};
  TraceContents contents;
};

Read read(const std::string& bytes, TraceFormat format = TraceFormat::automatic, const std::string& columns = {}) {
  const TemporaryFolder folder;
  const std::string file = folder.write("trace", bytes);
  Read result;
  try {
    const auto reader = open_trace(file, format, columns);
    result.format = reader->format();
    result.contents = reader->contents();
    TraceRecord record;
    while (reader->next(record)) result.records.push_back(in_short(record));
    // A second time all is the same.
    reader->rewind();
    for (const std::string& first : result.records) {
      CHECK(reader->next(record));
      CHECK(in_short(record) == first);
    }
    CHECK_FALSE(reader->next(record));
  } catch (const TraceError& error) {
    CHECK(error.file() == file);
    result.refused = error.place() + ": " + error.there();
  }
  return result;
}

using Records = std::vector<std::string>;
constexpr std::uint64_t kSecond = 1'000'000'000'000;

std::string little_endian(std::uint64_t number, unsigned bytes) {
  std::string text;
  for (unsigned i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xff);
  return text;
}
std::string head(std::uint64_t records) {
  return "RACKSOPS" + little_endian(1, 4) + little_endian(32, 4) + little_endian(records, 8) + little_endian(0, 8);
}
std::string record(std::uint64_t at, std::uint64_t key, std::uint64_t node, std::uint64_t thread, std::uint64_t size,
                   std::uint64_t operation) {
  return little_endian(at, 8) + little_endian(key, 8) + little_endian(node, 4) + little_endian(thread, 4) +
         little_endian(size, 4) + little_endian(operation, 4);
}
std::string oracle_general(std::uint64_t time, std::uint64_t object, std::uint64_t size) {
  return little_endian(time, 4) + little_endian(object, 8) + little_endian(size, 4) + little_endian(~0ULL, 8);
}

}  // namespace

TEST_CASE("a CSV file may have its columns in any order, and others beside") {
  const Read ours = read("time_ns,node,thread,op,key,size\n0.000,0,1,read,17,4096\n12.345,3,0,shared lock,5,64\n");
  CHECK(ours.format == TraceFormat::csv);
  CHECK(ours.contents.times);
  CHECK(ours.contents.sessions);
  CHECK(ours.records == Records{"0/0/1 read 17 4096 ", "12345/3/0 shared lock 5 64 "});
  CHECK(read("op,x,key\r\nget,1,2\r\nPUT,1,\"a,b\"\r\n").records == Records{"0/0/0 get 2 0 ", "0/0/0 put 'a,b' 0 "});
  // As recordings have them.
  CHECK(read("time_ns,node,thread,op,key,size,end_ns,answered_by,in_window\n7.5,1,2,compare-and-swap,9,8,,switch,1\n")
            .records == Records{"7500/1/2 compare-and-swap 9 8 "});
  CHECK_FALSE(read("op,key\nget,1\n").contents.times);
  CHECK(read("op,key\nget,1").records == Records{"0/0/0 get 1 0 "});  // the last line has no end
}

TEST_CASE("operations have one name, in capitals or not, with hyphens, underscores or blanks") {
  for (std::uint8_t number = 0; number < kTraceOperations; ++number) {
    const auto operation = static_cast<TraceOperation>(number);
    CHECK(trace_operation(to_string(operation)) == operation);
    if (number < 12) CHECK(kind_of(operation) == static_cast<sim::OperationKind>(number));
  }
  CHECK(trace_operation("COMPARE_AND_SWAP") == TraceOperation::compare_and_swap);
  CHECK(trace_operation("lock_shared") == TraceOperation::lock_shared);
  CHECK(trace_operation("shared-try-lock") == TraceOperation::try_lock_shared);
  CHECK(trace_operation("delete") == TraceOperation::remove);
  CHECK_FALSE(trace_operation("frobnicate"));
  CHECK(kind_of(TraceOperation::get) == sim::OperationKind::read);
  CHECK(kind_of(TraceOperation::put) == sim::OperationKind::write);
  CHECK_FALSE(kind_of(TraceOperation::scan));
}

TEST_CASE("what is no record is refused with its line") {
  const std::string header = "time_ns,node,thread,op,key,size\n0,0,0,get,1,1\n";
  CHECK(read(header + "1,0,0,frobnicate,1,1\n").refused == "line 3: the operation \"frobnicate\"");
  CHECK(read(header + "1,0,0,get,1\n").refused == "line 3: 5 fields");
  CHECK(read(header + "x,0,0,get,1,1\n").refused == "line 3: the time \"x\"");
  CHECK(read(header + "1.0001,0,0,get,1,1\n").refused == "line 3: the time \"1.0001\"");
  CHECK(read(header + "-1,0,0,get,1,1\n").refused == "line 3: the time \"-1\"");
  CHECK(read(header + "1,-1,0,get,1,1\n").refused == "line 3: a node \"-1\"");
  CHECK(read(header + "1,0,0,get,1,4294967296\n").refused == "line 3: a size \"4294967296\"");
  CHECK(read(header + "18446744073709551615,0,0,get,1,1\n").refused == "line 3: the time \"18446744073709551615\"");
  CHECK(read(header + std::string((1 << 20) + 1, 'x')).refused == "line 3: more than 1048576 bytes");
  CHECK(read("hello\n").refused == "line 1: no header of a trace");
  CHECK(read("").refused == ": nothing");
  CHECK(read("a,b\n1,2\n", TraceFormat::csv).refused == "line 1: no header of a trace");
}

TEST_CASE("a binary trace has a header and records of 32 bytes") {
  const Read both = read(head(2) + record(5, 17, 3, 1, 64, 1) + record(9, ~0ULL, 0, 0, 0, 17));
  CHECK(both.format == TraceFormat::binary);
  CHECK(both.records == Records{"5/3/1 write 17 64 ", "9/0/0 commit 18446744073709551615 0 "});
  CHECK(read(head(~0ULL) + record(5, 17, 3, 1, 64, 12)).records == Records{"5/3/1 get 17 64 "});
  CHECK(read(head(2) + record(5, 17, 3, 1, 64, 1)).refused == "header: 2 records in a file of 64 bytes");
  CHECK(read(head(0) + record(5, 17, 3, 1, 64, 1)).refused == "header: 0 records in a file of 64 bytes");
  CHECK(read(head(~0ULL) + record(5, 17, 3, 1, 64, 1).substr(1)).refused == "record 1: 31 bytes");
  CHECK(read(head(1) + record(5, 17, 3, 1, 64, 18)).refused == "record 1: operation 18");
  CHECK(read(head(1) + record(5, 17, 3, 1, 64, 256)).refused == "record 1: bytes that are not 0 at its end");
  CHECK(read(head(1) + record(1ULL << 63, 17, 3, 1, 64, 1)).refused == "record 1: time 9223372036854775808");
  CHECK(read(head(0).substr(0, 20)).refused == "header: 20 bytes");
  CHECK(read("RACKSOPS" + little_endian(2, 4) + head(0).substr(12)).refused == "header: version 2");
  CHECK(read("something else", TraceFormat::binary).refused == "header: no such magic");
}

TEST_CASE("what is written is what is read") {
  TraceRecord written;
  written.at_ps = 0x1122'3344'5566;
  written.key = 0x0807'0605'0403'0201;
  written.node = 3;
  written.thread = 12;
  written.size = 4096;
  written.operation = TraceOperation::scan;
  fmt::memory_buffer out;
  append_trace_head(out, 1);
  append_trace_record(out, written);
  CHECK(to_string(out) == head(1) + record(0x1122'3344'5566, 0x0807'0605'0403'0201, 3, 12, 4096, 15));
}

TEST_CASE("Twitter's lines are read from their ends, since keys may hold commas") {
  const Read lines = read(
      "3,nz:u:eeW511W3dcH3de3d15ec,22,0,6,get,0\n"
      "5,a,b,,c,22,304,13,set,86400\n5,17,2,9,13,delete,0\n",
      TraceFormat::twitter);
  CHECK(lines.contents.clients);
  CHECK_FALSE(lines.contents.sessions);
  CHECK(lines.records == Records{"0/0/0 get 'nz:u:eeW511W3dcH3de3d15ec' 0 6",
                                 fmt::format("{}/0/0 put 'a,b,,c' 304 13", 2 * kSecond),
                                 fmt::format("{}/0/0 delete 17 9 13", 2 * kSecond)});
  for (const char* op : {"gets", "add", "replace", "cas", "append", "prepend", "incr", "decr"}) {
    CHECK(read(fmt::format("0,k,1,2,3,{},0\n", op), TraceFormat::twitter).refused.empty());
  }
  CHECK(read("0,k,1,2,3,touch,0\n", TraceFormat::twitter).refused == "line 1: the operation \"touch\"");
  CHECK(read("0,k,1,2,get,0\n", TraceFormat::twitter).refused == "line 1: a line of fewer fields");
  CHECK(read("9,k,1,2,3,get,0\n8,k,1,2,3,get,0\n", TraceFormat::twitter).refused == "line 2: the time \"8\"");
}

TEST_CASE("CacheLib's lines, of either header, come as often as they count") {
  const Read older = read("key,op,size,op_count,key_size\n1668757755,SET,82,1,40\n1665497896,GET,169,3,78\n");
  CHECK(older.format == TraceFormat::cachelib);
  CHECK_FALSE(older.contents.times);
  CHECK(older.records == Records{"0/0/0 put 1668757755 82 ", "0/0/0 get 1665497896 169 ", "0/0/0 get 1665497896 169 ",
                                 "0/0/0 get 1665497896 169 "});
  const Read newer = read(
      "op_time,key,key_size,op,op_count,size,cache_hits,ttl,usecase,sub_usecase\n"
      "604038471,82131353f9ddc8c6,48,GET_LEASE,1,87,1,0,366387042,3003229276\n"
      "604038473,828769c1e1ce3a29,67,SET,2,65,0,7200,2777918327,655456894\n"
      "604038474,5,67,DELETE,1,0,0,0,1,1\n");
  CHECK(newer.contents.times);
  CHECK(newer.records == Records{"0/0/0 get '82131353f9ddc8c6' 87 ",
                                 fmt::format("{}/0/0 put '828769c1e1ce3a29' 65 ", 2 * kSecond),
                                 fmt::format("{}/0/0 put '828769c1e1ce3a29' 65 ", 2 * kSecond),
                                 fmt::format("{}/0/0 delete 5 0 ", 3 * kSecond)});
  const std::string header = "key,op,size,op_count,key_size\n";
  CHECK(read(header + "1,SAT,1,1,1\n").refused == "line 2: the operation \"SAT\"");
  CHECK(read(header + "1,GET,1,0,1\n").refused == "line 2: op_count \"0\"");
  CHECK(read(header + "1,GET,1\n").refused == "line 2: 3 fields");
  CHECK(read("1,GET,1,1,1\n", TraceFormat::cachelib).refused == "line 1: no header of CacheLib's");
}

TEST_CASE("of YCSB's log the operations are read, and the rest is skipped") {
  const Read log = read(
      "***************** properties *****************\n\"readproportion\"=\"0.5\"\n"
      "**********************************************\n"
      "INSERT usertable user6284781860667377211 [ field1=ab cd= field0=xyz ]\n"
      "READ usertable user6284781860667377211 [ <all fields>]\n"
      "UPDATE usertable user7 [ field3=0123456789 ]\nSCAN usertable user123 17 [ <all fields>]\n"
      "DELETE usertable user9\n[OVERALL], RunTime(ms), 10\nREADING nothing\n",
      TraceFormat::ycsb);
  CHECK_FALSE(log.contents.times);
  CHECK(log.records == Records{"0/0/0 put 'user6284781860667377211' 9 ", "0/0/0 get 'user6284781860667377211' 0 ",
                               "0/0/0 put 'user7' 10 ", "0/0/0 scan 'user123' 17 ", "0/0/0 delete 'user9' 0 "});
  CHECK(read("SCAN usertable user123 many [ ]\n", TraceFormat::ycsb).refused == "line 1: a scan of \"many\" items");
  CHECK(read("READ usertable\n", TraceFormat::ycsb).refused == "line 1: an operation without a key");
}

TEST_CASE("libCacheSim's records are gets") {
  const Read records =
      read(oracle_general(100, 1ULL << 63, 4096) + oracle_general(103, 7, 0), TraceFormat::oracle_general);
  CHECK(records.contents.times);
  CHECK(records.contents.numbers);
  CHECK(records.records == Records{"0/0/0 get 9223372036854775808 4096 ", fmt::format("{}/0/0 get 7 0 ", 3 * kSecond)});
  CHECK(read(oracle_general(1, 2, 3).substr(1), TraceFormat::oracle_general).refused == ": 23 bytes");
  CHECK(read(oracle_general(5, 2, 3) + oracle_general(4, 2, 3), TraceFormat::oracle_general).refused ==
        "record 2: time 4");
}

TEST_CASE("a list says which columns of any CSV file are what") {
  const std::string list = "time_us=ts op=verb key=id size=bytes client=host count=n";
  const Read named =
      read("n,ts,id,verb,bytes,host\n2,1700000000000000.5,x/1,GET,10,web1\n1,1700000000000001,5,set,7,w\n",
           TraceFormat::columns, list);
  CHECK(named.contents.clients);
  CHECK(named.records == Records{"0/0/0 get 'x/1' 10 web1", "0/0/0 get 'x/1' 10 web1", "500000/0/0 put 5 7 w"});
  CHECK(read("7,a,b\n8,c,d\n", TraceFormat::columns, "time_s=1 key=3").records ==
        Records{"0/0/0 get 'b' 0 ", fmt::format("{}/0/0 get 'd' 0 ", kSecond)});
  CHECK(read("a,b\n1,2\n", TraceFormat::columns, "key=c").refused == "line 1: no column \"c\"");
  CHECK(read("key,n\n1,0\n", TraceFormat::columns, "key=key count=n").refused == "line 2: the count \"0\"");
  for (const char* wrong : {"", "op=x", "key", "key=", "key=a key=b", "time_h=a key=b", "time_s=a time_ms=b key=c"}) {
    CHECK_THROWS_AS(read("a,b\n1,2\n", TraceFormat::columns, wrong), sim::OptionError);
  }
}

TEST_CASE("lines and pieces come whole, however they lie in the buffer") {
  const TemporaryFolder folder;
  std::string text;
  std::vector<std::string> lines;
  for (int i = 0; i < 20'000; ++i) {
    lines.push_back(std::string(static_cast<std::size_t>(i % 97), 'a') + std::to_string(i));
    text += lines.back() + (i % 3 == 0 ? "\r\n" : "\n");
  }
  TraceBytes bytes(folder.write("lines", text));
  CHECK(bytes.length() == text.size());
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::string& line : lines) REQUIRE(bytes.line() == line);
    CHECK_FALSE(bytes.line());
    CHECK(bytes.line_number() == lines.size());
    bytes.rewind();
  }
  std::string pieces;
  for (;;) {
    const std::string_view piece = bytes.take(4099);
    if (piece.empty()) break;
    CHECK(bytes.peek(10).size() <= 10);
    pieces += piece;
    if (piece.size() < 4099) break;
  }
  CHECK(pieces == text);
  CHECK_THROWS_AS(TraceBytes(folder.path().string()), TraceError);
  CHECK_THROWS_AS(TraceBytes((folder.path() / "none").string()), TraceError);
}

TEST_CASE("keys are given, hashed or numbered") {
  const auto of = [](const std::string& text) {
    TraceRecord record;
    record.key = key_number(text);
    record.key_text = record.key ? "" : text;
    return record;
  };
  TraceKeys given(TraceKeying::given, 10);
  CHECK(given.number_of(of("18446744073709551615")) == ~std::uint64_t{0});
  CHECK_FALSE(given.number_of(of("x")));
  CHECK_FALSE(given.number_of(of("007")));  // a text: written back it would be another
  TraceKeys numbered(TraceKeying::numbered, 3);
  CHECK(numbered.number_of(of("x")) == 0);
  CHECK(numbered.number_of(of("17")) == 1);
  CHECK(numbered.number_of(of("x")) == 0);
  CHECK(numbered.number_of(of("017")) == 2);
  CHECK_FALSE(numbered.number_of(of("y")));
  CHECK(numbered.number_of(of("17")) == 1);
  TraceKeys hashed(TraceKeying::hashed, 1000);
  std::vector<std::uint64_t> counts(10);
  for (int i = 0; i < 10'000; ++i) ++counts[*hashed.number_of(of("key" + std::to_string(i))) / 100];
  for (const std::uint64_t count : counts) CHECK(std::abs(static_cast<double>(count) - 1000) < 4 * 30);
  CHECK(hashed.number_of(of("a")) == hashed.number_of(of("a")));
}

}  // namespace trace_readers_test
