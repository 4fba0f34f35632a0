// Encoding and decoding. See messages.hpp.
#include "models/applications/transactions/two_phase_commit/messages.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>

namespace racksim::app::two_phase_commit {

namespace {

struct RequestHead {
  TransactionId transaction;
  std::uint64_t key;
  std::uint32_t table;
  std::uint32_t rows;
  Verb verb;
  models::LockMode mode;
  bool first;
  std::uint8_t doublings;
  std::uint32_t count;
};
static_assert(sizeof(RequestHead) == kRequestBytes);

struct RowHead {
  std::uint64_t key;
  std::uint32_t table;
  std::uint32_t bytes;
};
static_assert(sizeof(RowHead) == kRowHeaderBytes);

struct ReplyHead {
  Answer answer;
  std::uint8_t syncs;
  std::uint8_t unused[6];
};
static_assert(sizeof(ReplyHead) == kReplyBytes);

/// Puts one after the other into bytes that are long enough.
class Writer {
 public:
  explicit Writer(std::span<std::byte> to) : left_(to) {}
  template <class T>
  void put(const T& head) {
    put_bytes(std::as_bytes(std::span(&head, 1)));
  }
  void put_bytes(std::span<const std::byte> bytes) {
    std::copy(bytes.begin(), bytes.end(), left_.begin());
    left_ = left_.subspan(bytes.size());
  }

 private:
  std::span<std::byte> left_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> from) : left_(from) {}
  template <class T>
  T take() {
    T head;
    std::memcpy(&head, take_bytes(sizeof head).data(), sizeof head);
    return head;
  }
  std::span<const std::byte> take_bytes(std::size_t count) {
    if (left_.size() < count) throw std::logic_error("a message of two-phase commit that is cut off");
    const auto taken = left_.first(count);
    left_ = left_.subspan(count);
    return taken;
  }
  std::span<const std::byte> take_rest() { return take_bytes(left_.size()); }
  void end() const {
    if (!left_.empty()) throw std::logic_error("a message of two-phase commit that is too long");
  }

 private:
  std::span<const std::byte> left_;
};

}  // namespace

models::Content encoded(const Request& request) {
  std::size_t bytes = sizeof(RequestHead);
  for (const RowImage& row : request.rows) bytes += sizeof(RowHead) + row.bytes.size();
  return models::Content::filled(bytes, [&](std::span<std::byte> to) {
    Writer writer(to);
    writer.put(RequestHead{request.transaction, request.row.key, request.row.table,
                           static_cast<std::uint32_t>(request.rows.size()), request.verb, request.mode, request.first,
                           request.doublings, request.count});
    for (const RowImage& row : request.rows) {
      writer.put(RowHead{row.row.key, row.row.table, static_cast<std::uint32_t>(row.bytes.size())});
      writer.put_bytes(row.bytes);
    }
  });
}

models::Content encoded(const Reply& reply) {
  return models::Content::filled(sizeof(ReplyHead) + reply.image.size(), [&](std::span<std::byte> to) {
    Writer writer(to);
    writer.put(ReplyHead{reply.answer, reply.syncs, {}});
    writer.put_bytes(reply.image);
  });
}

Request request_from(const models::Content& content) {
  Reader reader(content.bytes());
  const auto head = reader.take<RequestHead>();
  Request request{.verb = head.verb,
                  .transaction = head.transaction,
                  .first = head.first,
                  .doublings = head.doublings,
                  .mode = head.mode,
                  .row = {head.table, head.key},
                  .count = head.count,
                  .rows = {}};
  for (std::uint32_t i = 0; i < head.rows; ++i) {
    const auto row = reader.take<RowHead>();
    const auto image = reader.take_bytes(row.bytes);
    request.rows.push_back({{row.table, row.key}, {image.begin(), image.end()}});
  }
  reader.end();
  return request;
}

Reply reply_from(const models::Content& content) {
  Reader reader(content.bytes());
  const auto head = reader.take<ReplyHead>();
  const auto image = reader.take_rest();
  return {.answer = head.answer, .syncs = head.syncs, .image = {image.begin(), image.end()}};
}

}  // namespace racksim::app::two_phase_commit
