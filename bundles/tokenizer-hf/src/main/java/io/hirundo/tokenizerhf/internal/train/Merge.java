package io.hirundo.tokenizerhf.internal.train;

/** Two tokens that become one; all three are ids. */
record Merge(int left, int right, int result) {}
