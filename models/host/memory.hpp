// A node's memory as its NIC sees it: regions that are registered for remote access, and the bytes in them.
//
// A region has a key and rights (ibv_reg_mr(3)). The NIC reads, writes and updates it without a CPU; programs on the
// node see the same bytes. What is 0 takes no room (sparse_words.hpp). A durable region, such as persistent memory,
// survives a crash of its node; what is in another is lost, and its registration with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "models/host/sparse_words.hpp"
#include "models/packets/rack_context.hpp"
#include "p4model/language/content.hpp"

namespace racksim::models {

/// What an atomic has done to the word at `address`: it may have left it as it was.
struct AtomicUpdate {
  NodeId from = 0;
  std::uint64_t address = 0, before = 0, after = 0;
  sim::OperationId operation = 0;  ///< that caused it
};

/// Watches a node's memory, as a thread does that polls it.
class MemoryObserver {
 public:
  virtual ~MemoryObserver() = default;
  /// A WRITE is in memory, all of it; no core has taken part. Called once a message, in the order of its queue pair. It
  /// must not end the region's registration.
  virtual void landed(NodeId from, std::uint64_t address, std::uint32_t bytes, const p4::Content& content) = 0;
  /// An atomic has been carried out.
  virtual void changed(const AtomicUpdate& update) { static_cast<void>(update); }
};

class Memory {
 public:
  enum class Access : std::uint8_t { read, write, atomic };
  /// What becomes of a remote access.
  enum class Verdict : std::uint8_t {
    allowed,
    refused,    ///< outside of the region or its rights, or no region has the key
    misaligned  ///< an atomic that is not aligned to its 8 bytes
  };
  /// What remote nodes may do with a region.
  struct Rights {
    bool read = true, write = true, atomic = true;
  };
  struct Region {
    std::uint64_t begin = 0, bytes = 0;
    Rights rights{};
    bool durable = false;
    std::vector<MemoryObserver*> observers{};  ///< told of each WRITE that has landed, in this order
    bool stored = true;     ///< false: what is written is for an observer to keep, and cannot be read
    std::uint32_t key = 0;  ///< given by `add`
  };

  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Registers a region and returns its key, which is never used twice. Regions may overlap. Throws
  /// std::invalid_argument if it is empty or ends beyond 2^64.
  std::uint32_t add(Region region);
  /// Ends a registration: its key is refused from now on.
  void remove(std::uint32_t key) { regions_.erase(key); }
  const Region* find(std::uint32_t key) const;

  /// Judges a remote access to `bytes` from `address` on with this key. Of no bytes neither is looked at.
  Verdict check(Access access, std::uint64_t address, std::uint32_t key, std::uint32_t bytes) const;

  /// The bytes from `address` on, wherever they lie: for the NIC after `check`, and for programs on the node.
  p4::Content read(std::uint64_t address, std::size_t bytes) const;
  void write(std::uint64_t address, std::span<const std::byte> bytes) { words_.write(address, bytes); }
  void write(std::uint64_t address, const p4::Content& content) { write(address, content.bytes()); }
  std::uint64_t word(std::uint64_t address) const { return words_.word(address); }
  void set_word(std::uint64_t address, std::uint64_t value) { words_.set_word(address, value); }
  /// Bytes that the simulator spends on what is not 0.
  std::size_t room() const { return words_.room(); }

  /// Calls `visit(address, word)` for each aligned word that is not 0, in no particular order.
  template <class Visit>
  void visit_words(const Visit& visit) const {
    words_.visit(visit);
  }
  /// The same of so many bytes from `address` on, in the order of addresses; both are multiples of 8.
  template <class Visit>
  void visit_words(std::uint64_t address, std::uint64_t bytes, const Visit& visit) const {
    words_.visit(address, bytes, visit);
  }

  /// Asks the processor for what a look at so many bytes will need.
  void prefetch(std::uint64_t address, std::uint64_t bytes) const { words_.prefetch(address, bytes); }

  /// The node has crashed: what is not in a durable region is 0, and all other regions are gone.
  void crash();

 private:
  std::map<std::uint32_t, Region> regions_;
  SparseWords words_;
  std::uint32_t next_key_ = 1;
};

}  // namespace racksim::models
