// Logarithm and exponential whose bits are the same on every machine.
//
// libm's results differ between libraries and with fused multiply-add, so a sampler that used it would draw other
// values elsewhere. These use + - * / and bit operations on IEEE doubles only (the project is compiled with
// -ffp-contract=off) and are accurate to about 1e-15 relative.
#pragma once

namespace racksim::sim {

/// Natural logarithm. -infinity at 0, NaN below 0.
double portable_log(double x);

/// e to the x. Infinity above 709.78, 0 below -745.2.
double portable_exp(double x);

/// log(1 + x), accurate for small x too. Needs x >= -1.
double portable_log1p(double x);

/// exp(x) - 1, accurate for small x too.
double portable_expm1(double x);

}  // namespace racksim::sim
