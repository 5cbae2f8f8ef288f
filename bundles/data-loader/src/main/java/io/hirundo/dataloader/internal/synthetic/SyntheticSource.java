package io.hirundo.dataloader.internal.synthetic;

import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;

/** A sample is a function of its place, so that another source can be followed anywhere. */
record SyntheticSource(SyntheticOptions options) implements DataSource {
    @Override
    public SampleSet open(SampleRequest request) {
        return new SyntheticSamples(options, request);
    }

    @Override
    public SampleSet open(SampleRequest request, DataCursor from) {
        return open(request);
    }
}
