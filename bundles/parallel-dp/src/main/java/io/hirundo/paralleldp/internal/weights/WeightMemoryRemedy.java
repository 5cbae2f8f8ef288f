package io.hirundo.paralleldp.internal.weights;

/** Settings that lower the memory of the weights that layers read. */
public final class WeightMemoryRemedy {
    /** Weights of FP8 GEMMs take a byte instead of four. */
    public static final String GATHER_QUANTIZED = "mesh.dataParallel.options.gatherCodes=true";

    /** Complete weights of one block at a time, and the next. */
    public static final String SHARD = "mesh.dataParallel=fsdp";

    /** Not those of the next. */
    public static final String ONE_BLOCK = "mesh.dataParallel.options.overlap=false";

    private WeightMemoryRemedy() {}
}
