// Names and sizes of GAM's messages. See messages.hpp; the sizes are those of the public implementation's encoding.
#include "protocols/gam/rules/messages.hpp"

#include <cstddef>

namespace racksim::gam {

namespace {

struct Description {
  std::string_view name;
  std::uint32_t bytes;
};

constexpr Description kMessages[] = {{"READ", 40},
                                     {"WRITE", 52},
                                     {"WRITE_PERMISSION_ONLY", 52},
                                     {"ACTIVE_INVALIDATE", 28},
                                     {"WRITE_BACK", 28},
                                     {"DENIED to the home", 20},
                                     {"INVALIDATE", 40},
                                     {"INVALIDATE_FORWARD", 48},
                                     {"FETCH_AND_SHARED", 40},
                                     {"READ_FORWARD", 48},
                                     {"FETCH_AND_INVALIDATE", 40},
                                     {"WRITE_FORWARD", 48},
                                     {"DENIED", 20},
                                     {"MALLOC", 24},
                                     {"MALLOC_REPLY", 24},
                                     {"FREE", 20},
                                     {"FREE_REPLY", 20},
                                     {"UPDATE_MEM_STATS", 24}};
static_assert(std::size(kMessages) == static_cast<std::size_t>(MessageKind::memory_statistics) + 1);

constexpr std::string_view kImmediates[] = {"data",   "grant with data", "grant",        "owner's data", "grant-ack",
                                            "wb-ack", "inv-ack",         "fetched data", "transfer",     "WRITE_BACK"};
static_assert(std::size(kImmediates) == static_cast<std::size_t>(ImmediateKind::count));

}  // namespace

std::string_view to_string(MessageKind kind) {
  return kMessages[static_cast<std::size_t>(kind)].name;
}

std::uint32_t wire_bytes(MessageKind kind) {
  return kMessages[static_cast<std::size_t>(kind)].bytes;
}

std::string_view to_string(ImmediateKind kind) {
  return kImmediates[static_cast<std::size_t>(kind)];
}

}  // namespace racksim::gam
