package io.hirundo.tokenizerhf.internal.train;

/** A BPE merge of two tokens into one; all three are ids. */
record Merge(int left, int right, int result) {}
