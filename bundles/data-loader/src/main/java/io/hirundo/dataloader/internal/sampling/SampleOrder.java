package io.hirundo.dataloader.internal.sampling;

/** In which order the samples of indexed datasets come. */
public enum SampleOrder {
    /** Computed from the index of a sample: constant memory, and independent of the number of samples that the run needs. */
    PERMUTED,
    /** Megatron's GPT dataset, sample by sample: index tables as long as the run, which depend on its number of samples. */
    MEGATRON
}
