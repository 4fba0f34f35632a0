// StarCache's messages beside those of the store and of every cache: reports of popular keys (§3.8).
#pragma once

#include "protocols/store/messages.hpp"

namespace racksim::starcache {

inline constexpr store::Op kReport{10};       ///< a server's most popular keys, to the controller
inline constexpr store::Op kReportReply{11};  ///< its acknowledgement

}  // namespace racksim::starcache
