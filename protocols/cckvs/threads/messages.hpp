// The messages between nodes (ccKVS §6.3, §8.2), what they hold, and how long they are.
//
// Lengths follow those of the paper's model (§8.7), which counts 33 bytes of header: request and response 113 bytes
// together, an update 83, an invalidation, an acknowledgement and an update 183. So there are 47 bytes of payload in a
// request and its response, 50 in an update, and 17 in each of the others, for keys of 8 bytes and values of 40. Reads
// and writes of the store take the same bytes (§8.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "models/packets/rack_context.hpp"
#include "p4model/language/content.hpp"
#include "protocols/cckvs/keys/timestamp.hpp"
#include "sim/record/ids.hpp"

namespace racksim::cckvs {

/// What packets are counted by (Figure 11).
enum class MessageClass : std::uint8_t { request, response, invalidation, acknowledgement, update, credits, count };
inline constexpr std::size_t kMessageClasses = static_cast<std::size_t>(MessageClass::count);

/// As names of metrics have it.
constexpr const char* name_of(MessageClass message) {
  switch (message) {
    case MessageClass::request:
      return "requests";
    case MessageClass::response:
      return "responses";
    case MessageClass::invalidation:
      return "invalidations";
    case MessageClass::acknowledgement:
      return "acknowledgements";
    case MessageClass::update:
      return "updates";
    case MessageClass::credits:
      return "credits";
    case MessageClass::count:
      break;
  }
  return "";
}

/// A request in a packet, and its answer.
struct StoreRequest {
  sim::Key key = 0;
  sim::Value value = 0;  ///< that a put writes; in an answer, what a get has read
  /// In an answer: the value that a part of what a get has read belongs to, `value` unless a write tore it.
  sim::Value other = 0;
  std::uint64_t id = 0;   ///< by which the cache thread knows it
  std::uint64_t put = 0;  ///< 1 if it writes
  sim::OperationId operation = 0;
  /// In an answer, where keys come into the caches and go (hand_over.hpp): the timestamp of what the home has.
  Timestamp timestamp = {};
};

/// The requests or answers of a packet, which is never empty.
template <class Fill>
p4::Content coalesced(std::size_t requests, Fill&& fill) {
  return p4::Content::filled(requests * sizeof(StoreRequest), [&](std::span<std::byte> bytes) {
    for (std::size_t i = 0; i < requests; ++i) {
      const StoreRequest request = fill(i);
      std::memcpy(bytes.data() + i * sizeof request, &request, sizeof request);
    }
  });
}
inline std::size_t requests_in(const p4::Content& content) {
  return content.size() / sizeof(StoreRequest);
}
inline StoreRequest request_of(const p4::Content& content, std::size_t place) {
  StoreRequest request;
  std::memcpy(static_cast<void*>(&request), content.bytes().data() + place * sizeof request, sizeof request);
  return request;
}

/// Payload bytes, of keys and values of these lengths.
struct MessageSizes {
  std::uint32_t key_bytes = 8;
  std::uint32_t value_bytes = 40;

  /// A get brings the key and what is asked for; a put the value too, which a get has in its answer.
  std::uint32_t request(bool put) const { return put ? request_and_response() : key_bytes + 1; }
  std::uint32_t response(bool put) const { return put ? 0 : request_and_response() - request(false); }
  std::uint32_t update() const { return key_bytes + value_bytes + 2; }
  /// Of an acknowledgement too: the key, the 8-byte header, and what it is.
  std::uint32_t invalidation() const { return key_bytes + 9; }

 private:
  std::uint32_t request_and_response() const { return key_bytes + value_bytes - 1; }
};

}  // namespace racksim::cckvs
