package io.hirundo.optimizer;

/** What an optimizer needs of a parameter that data-parallel ranks divide. */
public enum Ownership {
  /** Any run of elements. Ranks divide parameters evenly. */
  ELEMENTS,
  /**
   * All that this rank's tensor, pipeline and context coordinates hold of the parameter: one rank of the group that shards it owns all of its
   * parts, so that an update can use whole matrices. Ranks are balanced by elements.
   */
  TENSOR
}
