// Which commit was built. The definitions are written by cmake/commit.cmake whenever they change.
#pragma once

namespace racksim::tools {

/// The full hash, or "" where there is no git or no repository.
extern const char* const kCommit;
/// Whether files that git knows differed from that commit.
extern const bool kTreeModified;

}  // namespace racksim::tools
