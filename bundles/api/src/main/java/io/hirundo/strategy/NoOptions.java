package io.hirundo.strategy;

/** For strategies without options. */
public record NoOptions() {}
