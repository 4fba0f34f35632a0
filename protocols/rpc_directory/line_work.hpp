// What is under way about a line at one node of an RPC directory.
#pragma once

#include "protocols/line_cache/line_works.hpp"
#include "protocols/rpc_directory/frame.hpp"
#include "protocols/rpc_directory/messages.hpp"

namespace racksim::rpc_directory {

struct LineWork : line_cache::LineWork<Frame, Message> {
  using line_cache::LineWork<Frame, Message>::LineWork;

  std::uint64_t request = 0;  ///< the number of the one that is out

  void begin_anew(Frame& of) {
    line_cache::LineWork<Frame, Message>::begin_anew(of);
    request = 0;
  }
};

}  // namespace racksim::rpc_directory
