// A packet: a stack of typed headers held as 64-bit words, and a payload that is counted but not stored.
//
// Packets are pooled and reference-counted, so that a multicast packet is stored once however many copies of its
// descriptor are in flight (docs/hardware.md 6.6). Bytes exist only when somebody asks for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "p4model/language/content.hpp"
#include "p4model/language/header.hpp"
#include "sim/kernel/invariant.hpp"
#include "sim/kernel/time.hpp"
#include "sim/record/ids.hpp"

namespace racksim::p4 {

class PacketPool;
class PacketRef;

/// Frame check sequence, preamble with inter-packet gap, and the smallest frame, in bytes (docs/hardware.md 7.1).
inline constexpr std::uint32_t kFcsBytes = 4, kPreambleAndGapBytes = 20, kMinFrameBytes = 64;

/// Who asked for a mirror copy.
enum class MirrorKind : std::uint8_t { none, ingress, egress };

/// Headers, outermost first, and the metadata that travels with a packet. Made by a PacketPool.
class Packet {
 public:
  static constexpr std::size_t kMaxHeaders = 8, kMaxWords = 48;

  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;

  /// Appends a header inside the ones already there. Throws PacketError beyond 8 headers or 48 fields in all. A
  /// reference stays valid until its header is popped.
  template <Header H>
  H& push(const H& values) {
    return *::new (append(H::kLayout)) H(values);
  }
  /// The same with the header's defaults, made in place.
  template <Header H>
  H& push() {
    return *::new (append(H::kLayout)) H();
  }
  /// Gives a packet without headers these, outermost first: a stack that is known when it is written.
  template <Header... H>
  void set_headers(const H&... headers) {
    using Known = Stack<H...>;
    RACKSIM_INVARIANT(header_count_ == 0, "a packet that gets its headers has none");
    header_count_ = static_cast<std::uint8_t>(sizeof...(H));
    used_bytes_ = Known::kUsedBytes;
    header_bytes_ = Known::kHeaderBytes;
    std::memcpy(offsets_.data(), Known::kOffsets.data(), sizeof Known::kOffsets);
    std::memcpy(layouts_.data(), Known::kLayouts.data(), sizeof Known::kLayouts);
    std::size_t place = 0;
    (::new (storage_ + Known::kOffsets[place++]) H(headers), ...);
  }
  /// The outermost header of type H, or null.
  template <Header H>
  H* find() {
    const auto i = position(H::kLayout);
    return i < header_count_ ? std::launder(reinterpret_cast<H*>(bytes_of(i))) : nullptr;
  }
  template <Header H>
  const H* find() const {
    return const_cast<Packet*>(this)->find<H>();
  }
  /// The outermost header of type H. Throws PacketError, naming it, when the packet has none.
  template <Header H>
  H& get() {
    if (H* header = find<H>()) return *header;
    throw_missing(H::kLayout);
  }
  template <Header H>
  const H& get() const {
    return const_cast<Packet*>(this)->get<H>();
  }
  /// Header number `place`, outermost 0, if it is of type H, or null: for stacks that the caller knows.
  template <Header H>
  H* find_at(std::size_t place) {
    if (place >= header_count_ || layouts_[place] != &H::kLayout) [[unlikely]]
      return nullptr;
    return std::launder(reinterpret_cast<H*>(bytes_of(place)));
  }
  /// The same. Throws PacketError, naming H, when it is not there.
  template <Header H>
  H& get_at(std::size_t place) {
    if (H* header = find_at<H>(place)) return *header;
    throw_missing(H::kLayout);
  }
  /// Removes the innermost header. Throws PacketError when there is none.
  void pop();

  std::size_t header_count() const { return header_count_; }
  const HeaderLayout& layout(std::size_t header) const { return *layouts_[header]; }
  /// All fields of header number `header`, one word each, copied out and in by machines that know no C++ type.
  void read_words(std::size_t header, std::uint64_t* out) const {
    std::memcpy(out, bytes_of(header), layouts_[header]->count * sizeof(std::uint64_t));
  }
  /// The fields of one header as words; valid until the header is popped.
  class Words {
   public:
    std::uint64_t get(std::size_t field) const {
      std::uint64_t value;
      std::memcpy(&value, bytes_ + field * sizeof value, sizeof value);
      return value;
    }
    void set(std::size_t field, std::uint64_t value) const {
      std::memcpy(bytes_ + field * sizeof value, &value, sizeof value);
    }

   private:
    friend class Packet;
    explicit Words(std::byte* bytes) : bytes_(bytes) {}
    std::byte* bytes_;
  };
  Words words(std::size_t header) { return Words(bytes_of(header)); }
  std::uint64_t word(std::size_t header, std::size_t field) const {
    return const_cast<Packet*>(this)->words(header).get(field);
  }
  void set_word(std::size_t header, std::size_t field, std::uint64_t value) { words(header).set(field, value); }
  /// Appends a header given as words, one per field of the layout.
  void push_words(const HeaderLayout& layout, const std::uint64_t* words) {
    std::memcpy(append(layout), words, layout.count * sizeof(std::uint64_t));
  }
  /// Whether both have the same stack of headers with the same fields.
  bool same_headers(const Packet& other) const {
    return header_count_ == other.header_count_ && used_bytes_ == other.used_bytes_ &&
           std::equal(layouts_.begin(), layouts_.begin() + header_count_, other.layouts_.begin()) &&
           std::memcmp(storage_, other.storage_, used_bytes_) == 0;
  }
  /// Removes all headers but the first `keep`.
  void truncate_headers(std::size_t keep);

  std::uint32_t header_bytes() const { return header_bytes_; }
  /// Bytes from the Ethernet header to the FCS, at least 64.
  std::uint32_t frame_bytes() const {
    const auto bytes = header_bytes() + payload_bytes + kFcsBytes;
    return bytes < kMinFrameBytes ? kMinFrameBytes : bytes;
  }
  /// What the packet occupies on a wire: the frame, preamble and gap.
  std::uint32_t wire_bytes() const { return frame_bytes() + kPreambleAndGapBytes; }

  /// The headers in network order, each field cut to its width, and the payload as zeros (no FCS, no padding).
  std::vector<std::uint8_t> byte_image() const;
  /// Appends a header of type H parsed from the front of `bytes`; returns what is left. Throws PacketError when short.
  template <Header H>
  std::span<const std::uint8_t> parse(std::span<const std::uint8_t> bytes) {
    return parse_header(H::kLayout, bytes);
  }

  std::uint32_t payload_bytes = 0;  ///< what follows the headers, trailers such as an ICRC included
  Content content;                  ///< what the payload means to its protocol, e.g. block and version
  sim::OperationId operation = 0;   ///< id of the application operation that caused the packet
  std::uint64_t serial = 0;         ///< id of the packet in its run, given by its sender
  /// What hardware sends with a packet from a deparser to the egress parser: of a mirror copy, ...
  MirrorKind mirror_kind = MirrorKind::none;
  std::array<std::uint64_t, kMirrorWords> mirror_values{};
  /// ... and, where a program has a clock, of its queue. Not set otherwise.
  sim::Time enqueued;
  std::uint32_t queue_cells = 0;

  /// Another packet that is the same.
  inline PacketRef clone() const;
  /// Cuts what follows the first `bytes` bytes; a header that is cut becomes payload, whose meaning is lost.
  void truncate(std::uint32_t bytes);

 private:
  friend class PacketPool;
  friend class PacketRef;
  Packet() = default;

  /// Where the headers of a known stack lie.
  template <Header... H>
  struct Stack {
    static constexpr std::size_t kCount = sizeof...(H);
    static constexpr std::array<const HeaderLayout*, kCount> kLayouts{&H::kLayout...};
    static constexpr std::array<std::uint16_t, kCount> kOffsets = [] {
      std::array<std::uint16_t, kCount> offsets{};
      std::size_t at = 0;
      for (std::size_t i = 0; i < kCount; ++i) {
        offsets[i] = static_cast<std::uint16_t>(at);
        at += kLayouts[i]->count * sizeof(std::uint64_t);
      }
      return offsets;
    }();
    static constexpr std::uint16_t kUsedBytes = (0 + ... + H::kLayout.count) * sizeof(std::uint64_t);
    static constexpr std::uint16_t kHeaderBytes = (0 + ... + H::kLayout.bytes());
    static_assert(kCount <= kMaxHeaders && kUsedBytes <= kMaxWords * sizeof(std::uint64_t),
                  "a packet has no such room");
  };

  std::byte* bytes_of(std::size_t header) { return storage_ + offsets_[header]; }
  const std::byte* bytes_of(std::size_t header) const { return storage_ + offsets_[header]; }
  std::size_t position(const HeaderLayout& layout) const {
    std::size_t i = 0;
    while (i < header_count_ && layouts_[i] != &layout) ++i;
    return i;
  }
  std::byte* append(const HeaderLayout& layout) {
    const auto bytes = layout.count * sizeof(std::uint64_t);
    if (header_count_ == kMaxHeaders || used_bytes_ + bytes > sizeof storage_) throw_full(layout);
    offsets_[header_count_] = used_bytes_;
    layouts_[header_count_] = &layout;
    used_bytes_ = static_cast<std::uint16_t>(used_bytes_ + bytes);
    header_bytes_ = static_cast<std::uint16_t>(header_bytes_ + layout.bytes());
    return bytes_of(header_count_++);
  }
  std::span<const std::uint8_t> parse_header(const HeaderLayout& layout, std::span<const std::uint8_t> bytes);
  [[noreturn]] static void throw_full(const HeaderLayout& layout);
  [[noreturn]] static void throw_missing(const HeaderLayout& layout);
  void copy_from(const Packet& other) {
    header_count_ = other.header_count_;
    used_bytes_ = other.used_bytes_;
    header_bytes_ = other.header_bytes_;
    offsets_ = other.offsets_;
    layouts_ = other.layouts_;
    std::memcpy(storage_, other.storage_, other.used_bytes_);
    payload_bytes = other.payload_bytes;
    content = other.content;
    operation = other.operation;
    serial = other.serial;
    mirror_kind = other.mirror_kind;
    mirror_values = other.mirror_values;
    enqueued = other.enqueued;
    queue_cells = other.queue_cells;
  }

  std::uint32_t references_ = 0;
  std::uint8_t header_count_ = 0;
  std::uint16_t used_bytes_ = 0;
  std::uint16_t header_bytes_ = 0;  // on the wire
  std::array<std::uint16_t, kMaxHeaders> offsets_{};
  std::array<const HeaderLayout*, kMaxHeaders> layouts_{};
  PacketPool* pool_ = nullptr;
  Packet* next_free_ = nullptr;
  alignas(std::uint64_t) std::byte storage_[kMaxWords * sizeof(std::uint64_t)];
};

/// Thrown when a packet has no room for a header, or lacks one.
class PacketError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Owns one reference to a packet. Moves cheaply; another reference is an explicit `share()`.
class PacketRef {
 public:
  PacketRef() = default;
  PacketRef(PacketRef&& other) noexcept : packet_(std::exchange(other.packet_, nullptr)) {}
  PacketRef& operator=(PacketRef&& other) noexcept {
    PacketRef(std::move(other)).swap(*this);
    return *this;
  }
  ~PacketRef() { drop(); }

  Packet& operator*() const { return *packet_; }
  Packet* operator->() const { return packet_; }
  Packet* get() const { return packet_; }
  explicit operator bool() const { return packet_ != nullptr; }

  /// Another reference to the same packet: a change through one is seen through all.
  PacketRef share() const {
    if (packet_) ++packet_->references_;
    return PacketRef(packet_);
  }
  /// Whether this is the only reference.
  bool unique() const { return packet_ && packet_->references_ == 1; }
  /// Hands the reference out as a plain pointer, to travel inside an event; `adopt` takes it back.
  [[nodiscard]] Packet* release() { return std::exchange(packet_, nullptr); }
  static PacketRef adopt(Packet* packet) { return PacketRef(packet); }
  void reset() { PacketRef().swap(*this); }
  void swap(PacketRef& other) noexcept { std::swap(packet_, other.packet_); }

 private:
  friend class PacketPool;
  explicit PacketRef(Packet* packet) : packet_(packet) {}
  inline void drop();
  Packet* packet_ = nullptr;
};

/// Where packets come from and go back to; must outlive them. Frees those that are still inside events when a run is
/// cut short. Under AddressSanitizer every packet is a heap object of its own, so that a use after the last reference
/// is seen.
class PacketPool {
 public:
  PacketPool() = default;
  ~PacketPool();
  PacketPool(const PacketPool&) = delete;
  PacketPool& operator=(const PacketPool&) = delete;

  /// An empty packet.
  PacketRef make() {
    auto* packet = take();
    packet->header_count_ = 0;
    packet->used_bytes_ = 0;
    packet->header_bytes_ = 0;
    packet->payload_bytes = 0;
    packet->operation = 0;
    packet->serial = 0;
    packet->mirror_kind = MirrorKind::none;
    return PacketRef(packet);
  }
  /// A packet with the same headers, payload and ids, for a copy whose headers must differ from the original's.
  PacketRef clone_headers(const Packet& original) {
    auto* packet = take();
    packet->copy_from(original);
    return PacketRef(packet);
  }
  /// Packets that somebody still holds.
  std::size_t live() const { return live_; }
  /// Calls `visit(packet)` for each of them, in no particular order: nothing that is observed may depend on it.
  template <class Visit>
  void for_each_live(Visit&& visit) const {
    for (const auto& chunk : chunks_) {
      for (const Packet* packet = chunk.get(); packet != chunk.get() + kPacketsPerChunk; ++packet) {
        if (packet->references_ > 0) visit(*packet);
      }
    }
    for (const Packet* packet : on_heap_) {
      if (packet->references_ > 0) visit(*packet);
    }
  }

 private:
  friend class PacketRef;
  static constexpr std::size_t kPacketsPerChunk = 256;
  Packet* take() {
    if (!free_) [[unlikely]]
      allocate();
    auto* packet = std::exchange(free_, free_->next_free_);
    packet->references_ = 1;
    ++live_;
    return packet;
  }
  void give_back(Packet* packet) {
    --live_;
    packet->content = {};
    if (!on_heap_.empty()) [[unlikely]]
      return free_from_heap(packet);
    packet->next_free_ = std::exchange(free_, packet);
  }
  /// Adds free packets: a chunk of them, or one under AddressSanitizer.
  void allocate();
  void free_from_heap(Packet* packet);

  std::vector<std::unique_ptr<Packet[]>> chunks_;
  std::unordered_set<Packet*> on_heap_;  // under AddressSanitizer, instead of chunks
  Packet* free_ = nullptr;
  std::size_t live_ = 0;
};

inline PacketRef Packet::clone() const {
  return pool_->clone_headers(*this);
}

inline void PacketRef::drop() {
  if (packet_ && --packet_->references_ == 0) packet_->pool_->give_back(packet_);
}

}  // namespace racksim::p4
