// Names and sizes of GAM's messages. See messages.hpp; the sizes are those of the public implementation's encoding.
#include "protocols/gam/rules/messages.hpp"

#include <cstddef>

namespace racksim::gam {

namespace {

constexpr struct {
  MessageKind kind;
  std::string_view name;
  std::uint32_t bytes;
  Receiver receiver;
} kMessages[] = {{MessageKind::read, "READ", 40, Receiver::home},
                 {MessageKind::write, "WRITE", 52, Receiver::home},
                 {MessageKind::write_permission_only, "WRITE_PERMISSION_ONLY", 52, Receiver::home},
                 {MessageKind::active_invalidate, "ACTIVE_INVALIDATE", 28, Receiver::home},
                 {MessageKind::write_back, "WRITE_BACK", 28, Receiver::home},
                 {MessageKind::denied_to_home, "DENIED to the home", 20, Receiver::home},
                 {MessageKind::invalidate, "INVALIDATE", 40, Receiver::cache},
                 {MessageKind::invalidate_forward, "INVALIDATE_FORWARD", 48, Receiver::cache},
                 {MessageKind::fetch_and_shared, "FETCH_AND_SHARED", 40, Receiver::cache},
                 {MessageKind::read_forward, "READ_FORWARD", 48, Receiver::cache},
                 {MessageKind::fetch_and_invalidate, "FETCH_AND_INVALIDATE", 40, Receiver::cache},
                 {MessageKind::write_forward, "WRITE_FORWARD", 48, Receiver::cache},
                 {MessageKind::denied, "DENIED", 20, Receiver::cache},
                 {MessageKind::malloc, "MALLOC", 24, Receiver::allocation},
                 {MessageKind::malloc_reply, "MALLOC_REPLY", 24, Receiver::allocation},
                 {MessageKind::free, "FREE", 20, Receiver::allocation},
                 {MessageKind::free_reply, "FREE_REPLY", 20, Receiver::allocation},
                 {MessageKind::memory_statistics, "UPDATE_MEM_STATS", 24, Receiver::allocation}};

constexpr struct {
  ImmediateKind kind;
  std::string_view name;
} kImmediates[] = {{ImmediateKind::data, "data"},
                   {ImmediateKind::grant_data, "grant with data"},
                   {ImmediateKind::grant, "grant"},
                   {ImmediateKind::owner_data, "owner's data"},
                   {ImmediateKind::grant_ack, "grant-ack"},
                   {ImmediateKind::write_back_ack, "wb-ack"},
                   {ImmediateKind::invalidate_ack, "inv-ack"},
                   {ImmediateKind::fetched, "fetched data"},
                   {ImmediateKind::transfer, "transfer"},
                   {ImmediateKind::write_back, "WRITE_BACK"}};

/// Whether a list has all of an enumeration, in its order.
template <class Row, std::size_t rows>
constexpr bool is_whole(const Row (&list)[rows]) {
  for (std::size_t i = 0; i < rows; ++i) {
    if (list[i].kind != static_cast<decltype(Row::kind)>(i)) return false;
  }
  return rows == static_cast<std::size_t>(decltype(Row::kind)::count);
}
static_assert(is_whole(kMessages) && is_whole(kImmediates));

}  // namespace

std::string_view to_string(MessageKind kind) {
  return kMessages[static_cast<std::size_t>(kind)].name;
}

std::uint32_t wire_bytes(MessageKind kind) {
  return kMessages[static_cast<std::size_t>(kind)].bytes;
}

Receiver receiver_of(MessageKind kind) {
  return kMessages[static_cast<std::size_t>(kind)].receiver;
}

std::string_view to_string(ImmediateKind kind) {
  return kImmediates[static_cast<std::size_t>(kind)].name;
}

}  // namespace racksim::gam
