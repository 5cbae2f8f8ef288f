package io.hirundo.testkit;

/**
 * What a training asks of a {@code PrecisionStrategy}: its products, and where it has them the forms in which operands, weights
 * and messages travel, what it tells of rounding, and what it does where ranks share a weight or a run only tries it.
 */
public interface PrecisionContract extends ProductClauses, ArithmeticClauses, TravelClauses, RunClauses {}
