package io.hirundo.model;

/** Which dimension of a linear layer tensor parallelism may shard. */
public enum Split {
  NONE,
  /** Column-parallel in Megatron's terms: each rank computes a shard of the outputs. */
  OUTPUTS,
  /** Row-parallel in Megatron's terms: each rank holds partial sums of all outputs. */
  INPUTS
}
