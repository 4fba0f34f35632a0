// Whether AddressSanitizer watches. gcc and clang say so in different ways.
#pragma once

namespace racksim::sim {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kUnderAddressSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool kUnderAddressSanitizer = true;
#else
inline constexpr bool kUnderAddressSanitizer = false;
#endif
#else
inline constexpr bool kUnderAddressSanitizer = false;
#endif

}  // namespace racksim::sim
