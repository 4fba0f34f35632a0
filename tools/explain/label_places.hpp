// Places for labels in a drawing: where a text lies neither on a line nor on another text.
#pragma once

#include <optional>
#include <vector>

namespace racksim::tools::explain {

struct Point {
  double x = 0, y = 0;
};

/// A straight stroke.
struct Segment {
  Point a, b;
};

/// A rectangle; y grows downwards.
struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// Whether two boxes have a point in common beside their edges.
bool meet(const Box& a, const Box& b);
/// Whether a stroke goes through the inside of a box.
bool crosses(const Segment& segment, const Box& box);

/// The places for one drawing.
class LabelPlaces {
 public:
  /// Labels stay to the right of `left`.
  explicit LabelPlaces(double left) : left_(left) {}

  /// What no label may lie on. Before the first `take`.
  void block(const Segment& segment) { segments_.push_back(segment); }
  void block(const Box& box) { boxes_.push_back(box); }

  /// The first of some places that is free, which it is no longer then; nothing if none is.
  std::optional<Box> take(const std::vector<Box>& places);

 private:
  double left_;
  std::vector<Segment> segments_;
  std::vector<Box> boxes_;
};

}  // namespace racksim::tools::explain
