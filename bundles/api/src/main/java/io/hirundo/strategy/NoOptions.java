package io.hirundo.strategy;

/** Options of strategies that have none. */
public record NoOptions() {}
