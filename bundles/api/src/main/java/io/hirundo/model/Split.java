package io.hirundo.model;

/** Which dimension of a linear layer tensor parallelism may split. */
public enum Split {
  NONE,
  /** Output rows: each rank computes some of the outputs (a column-parallel layer in Megatron's words). */
  OUTPUTS,
  /** Input columns: each rank holds partial sums of all outputs (a row-parallel layer). */
  INPUTS
}
