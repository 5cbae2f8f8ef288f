package io.hirundo.testkit;

/**
 * What a training asks of a {@code PrecisionStrategy}: its products, and where it has them the forms in which operands, weights and
 * messages travel, and what it tells of rounding.
 */
public interface PrecisionContract extends ProductClauses, TravelClauses {}
