// Free lists of coroutine frames. See frame_pool.hpp.
#include "sim/kernel/frame_pool.hpp"

#include <array>
#include <new>
#include <utility>

#include "sim/kernel/sanitizer.hpp"

namespace racksim::sim {

namespace {

constexpr std::size_t kStep = 64, kClasses = 64;  // frames up to 4 KiB

struct FreeFrame {
  FreeFrame* next;
};

// One set of lists a thread. It holds only unused memory, so it can influence no run. Under AddressSanitizer it holds
// none, so that a use after the release, or behind a frame, is seen.
struct FreeLists {
  std::array<FreeFrame*, kClasses> head{};
  ~FreeLists() {
    for (FreeFrame* frame : head) {
      while (frame != nullptr) ::operator delete(std::exchange(frame, frame->next));
    }
  }
};

thread_local FreeLists lists;

}  // namespace

void* allocate_frame(std::size_t bytes) {
  const std::size_t index = (bytes + kStep - 1) / kStep;
  if (kUnderAddressSanitizer || index >= kClasses) return ::operator new(bytes);
  if (FreeFrame* frame = lists.head[index]) {
    lists.head[index] = frame->next;
    return frame;
  }
  return ::operator new(index* kStep);
}

void release_frame(void* frame, std::size_t bytes) noexcept {
  const std::size_t index = (bytes + kStep - 1) / kStep;
  if (kUnderAddressSanitizer || index >= kClasses) return ::operator delete(frame);
  auto* free = static_cast<FreeFrame*>(frame);
  free->next = lists.head[index];
  lists.head[index] = free;
}

}  // namespace racksim::sim
