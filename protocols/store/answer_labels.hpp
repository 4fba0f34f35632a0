// Who answers in the client-server application, as clients report it (StarCache §4, §5.2; figures 9, 15 and 16).
#pragma once

#include <vector>

#include "models/service/answer_labels.hpp"

namespace racksim::store {

/// By the numbers of Served. All schemes have them, so that their reports compare.
std::vector<models::AnswerLabel> answer_labels();

}  // namespace racksim::store
