package io.hirundo.optimizer;

/** What an optimizer needs of a parameter that data-parallel ranks divide. */
public enum Ownership {
    /** Any run of elements. Ranks divide parameters evenly. */
    ELEMENTS,
    /**
     * Runs that begin at a multiple of {@link #BLOCK_ELEMENTS} of the parameter's elements, and end at one or with the parameter. Ranks divide
     * parameters evenly.
     */
    BLOCKS,
    /**
     * All that this rank's tensor, pipeline and context coordinates hold of the parameter: one rank of the group that shards it owns all of its
     * parts, so that an update can use whole matrices. Ranks are balanced by elements.
     */
    TENSOR;

    /** Elements of a block. */
    public static final int BLOCK_ELEMENTS = 256;
}
