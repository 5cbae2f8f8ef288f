package io.hirundo.testkit;

import io.hirundo.testkit.precision.ArithmeticClauses;
import io.hirundo.testkit.precision.ProductClauses;
import io.hirundo.testkit.precision.RunClauses;
import io.hirundo.testkit.precision.TravelClauses;

/**
 * What a training asks of a {@code PrecisionStrategy}: its products, and where it has them the forms in which operands, weights
 * and messages travel, what it tells of rounding, and what it does where ranks share a weight or a run only tries it.
 */
public interface PrecisionContract extends ProductClauses, ArithmeticClauses, TravelClauses, RunClauses {}
