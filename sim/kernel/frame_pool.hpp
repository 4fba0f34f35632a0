// Memory for coroutine frames: free lists by size class, so that an operation that waits allocates nothing once the
// lists have filled. Under AddressSanitizer frames come from the plain heap, or use after free would stay invisible.
#pragma once

#include <cstddef>

namespace racksim::sim {

/// Returns memory for a frame of `bytes`.
void* allocate_frame(std::size_t bytes);
/// Gives back what `allocate_frame(bytes)` returned.
void release_frame(void* frame, std::size_t bytes) noexcept;

}  // namespace racksim::sim
