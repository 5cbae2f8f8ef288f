package io.hirundo.planner.internal.plan;

import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleSet;
import io.hirundo.data.SampleSet.Split;
import java.util.Arrays;

/** An unlimited number of samples for a dry run, in which every token is 0. */
record Zeros(DocumentRules documents) implements SampleSet {
    @Override
    public long count(Split split) {
        return Long.MAX_VALUE;
    }

    @Override
    public void read(Split split, long index, int[] into) {
        Arrays.fill(into, 0);
    }

    @Override
    public int vocabularyBound() {
        return 0;
    }

    @Override
    public String describe() {
        return "zeros";
    }

    @Override
    public void close() {}
}
