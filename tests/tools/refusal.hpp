// The error line of something that refuses its input.
#pragma once

#include <string>

#include "tools/json/input_error.hpp"

namespace racksim::tools::testing {

/// What the InputError thrown by `action` says, or "accepted".
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace racksim::tools::testing
