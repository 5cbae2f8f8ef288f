package io.hirundo.schedule;

/**
 * What a schedule is planned for.
 *
 * @param stages pipeline ranks
 * @param chunks model chunks on each rank
 * @param microbatches microbatches of a step
 */
public record PipelineShape(int stages, int chunks, int microbatches) {}
