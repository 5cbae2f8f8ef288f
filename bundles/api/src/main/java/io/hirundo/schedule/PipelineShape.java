package io.hirundo.schedule;

/**
 * Shape that a schedule is planned for.
 *
 * @param ranks along the pipeline axis
 * @param chunks model chunks (virtual stages) per rank
 * @param microbatches of a step, on each pipeline
 */
public record PipelineShape(int ranks, int chunks, int microbatches) {
    public PipelineShape {
        if (ranks < 1 || chunks < 1 || microbatches < 1) {
            throw new IllegalArgumentException("pipeline shape: " + ranks + " ranks, " + chunks + " chunks, "
                    + microbatches + " microbatches are wrong (allowed: 1 or more each)");
        }
    }

    /** Number of stages of the model. */
    public int stages() {
        return ranks * chunks;
    }
}
