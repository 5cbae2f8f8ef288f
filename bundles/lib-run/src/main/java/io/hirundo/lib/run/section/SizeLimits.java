package io.hirundo.lib.run.section;

/**
 * Upper limits of sizes in a configuration. They are far above every published training run, so that they reject only
 * mistakes, and low enough that every product of sizes fits into 64 bits and a plan ends.
 */
public final class SizeLimits {
    /** Of a sequence, and of the sequences of a microbatch: 13 times the context of Llama 4 Scout (10 million tokens). */
    public static final int SEQUENCE_TOKENS = 1 << 27;

    /** Of a global batch: 256 times that of BERT with LAMB (65,536 sequences). */
    public static final int SEQUENCES = 1 << 24;

    /** Of a step: 136 times those of DeepSeek-V3 (63 million). */
    public static final long STEP_TOKENS = 1L << 33;

    /** Of a mesh: five times the largest known cluster (200,000 GPUs). */
    public static final int RANKS = 1 << 20;

    /** Ranks of a plan, which looks at the shard of each: four times the largest published layout of a dense model (16,384). */
    public static final int PLANNED_RANKS = 1 << 16;

    /** Of a model: 100 times the largest published mixture of experts (a few trillion parameters), as a dense model. */
    public static final double PARAMETERS = 1e14;

    private SizeLimits() {}
}
