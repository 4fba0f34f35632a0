// What the payload of a packet or a work request means to its protocol: a value of any trivially copyable type.
//
// How long a payload is on a wire and what it means are two things: a block of 4 KB may be told by its tag and value. A
// value of up to 16 bytes lies in the content itself, as nearly all do; a longer one in a block that all copies share
// and that goes back to a free list, so that in the long run nothing is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

namespace racksim::p4 {

/// A value, immutable, with the type that it was made of. Copies are cheap and equal.
class Content {
 public:
  /// Values up to so many bytes need no block.
  static constexpr std::size_t kInlineBytes = 16;

  /// No value.
  Content() = default;
  template <class T>
  static Content of(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>, "a message is copied as bytes");
    Content content;
    content.assign(&value, sizeof value, &kType<T>);
    return content;
  }
  /// Bytes of no particular type, as memory holds them. They can be read as a value of any type of that size.
  static Content of_bytes(std::span<const std::byte> bytes) {
    Content content;
    content.assign(bytes.data(), bytes.size(), nullptr);
    return content;
  }
  /// The same of so many bytes, which `fill(std::span<std::byte>)` writes, every one of them.
  template <class Fill>
  static Content filled(std::size_t bytes, Fill&& fill) {
    Content content;
    fill(std::span(content.make_room(bytes), bytes));
    return content;
  }
  Content(const Content& other) : words_(other.words_), type_(other.type_), bytes_(other.bytes_), block_(other.block_) {
    if (block_) share();
  }
  Content(Content&& other) noexcept
      : words_(other.words_),
        type_(std::exchange(other.type_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)),
        block_(std::exchange(other.block_, nullptr)) {}
  Content& operator=(const Content& other) { return *this = Content(other); }
  Content& operator=(Content&& other) noexcept {
    std::swap(words_, other.words_);
    std::swap(type_, other.type_);
    std::swap(bytes_, other.bytes_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~Content() {
    if (block_) release();
  }

  bool empty() const { return bytes_ == 0; }
  /// How long the value is.
  std::size_t size() const { return bytes_; }
  std::span<const std::byte> bytes() const { return {data(), bytes_}; }
  /// Whether it is a value of this type, or bytes of its size.
  template <class T>
  bool holds() const {
    return type_ == &kType<T> || (type_ == nullptr && bytes_ == sizeof(T));
  }
  /// The value. Throws std::logic_error if it is of another type: two ends of a message that disagree.
  template <class T>
  T as() const {
    static_assert(std::is_trivially_copyable_v<T> && std::is_default_constructible_v<T>);
    if (!holds<T>()) throw_mismatch(sizeof(T));
    T value;
    std::memcpy(&value, data(), sizeof value);
    return value;
  }
  /// Whether both have the same bytes.
  bool operator==(const Content& other) const {
    return bytes_ == other.bytes_ && (bytes_ == 0 || std::memcmp(data(), other.data(), bytes_) == 0);
  }

 private:
  struct Block;
  template <class T>
  static constexpr char kType = 0;  // its address stands for the type

  void assign(const void* value, std::size_t bytes, const char* type) {
    std::byte* to = make_room(bytes);
    if (bytes > 0) std::memcpy(to, value, bytes);
    type_ = type;
  }
  std::byte* make_room(std::size_t bytes) {
    std::byte* to = bytes > kInlineBytes ? allocate(bytes) : reinterpret_cast<std::byte*>(words_.data());
    bytes_ = static_cast<std::uint32_t>(bytes);
    return to;
  }
  const std::byte* data() const { return block_ ? in_block() : reinterpret_cast<const std::byte*>(words_.data()); }
  const std::byte* in_block() const;
  std::byte* allocate(std::size_t bytes);
  void share() const;
  void release();
  [[noreturn]] void throw_mismatch(std::size_t wanted) const;

  std::array<std::uint64_t, kInlineBytes / sizeof(std::uint64_t)> words_{};
  const char* type_ = nullptr;
  std::uint32_t bytes_ = 0;
  Block* block_ = nullptr;
};

}  // namespace racksim::p4
