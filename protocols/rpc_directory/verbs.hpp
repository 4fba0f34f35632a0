// How messages and replies become verbs.
#pragma once

#include <cstddef>
#include <span>

#include "models/nic/reliable_connection.hpp"
#include "protocols/rpc_directory/messages.hpp"

namespace racksim::rpc_directory {

/// SENDs a message. With a number its completion is told.
void post_message(models::QueuePair& queue_pair, const Message& message, std::uint64_t wr_id = 0);

/// The WRITE of a reply into the buffer of whoever waits for it.
models::WorkRequest write_of(const Reply& reply, models::RemoteAddress buffer, sim::OperationId operation);
/// The same with the page behind it.
models::WorkRequest write_of(const Reply& reply, std::span<const std::byte> page, models::RemoteAddress buffer,
                             sim::OperationId operation);

}  // namespace racksim::rpc_directory
