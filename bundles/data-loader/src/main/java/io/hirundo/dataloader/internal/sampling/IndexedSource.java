package io.hirundo.dataloader.internal.sampling;

import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import java.util.List;

/**
 * One or more indexed datasets.
 *
 * @param blend the datasets
 * @param split of each of them
 * @param documents what the samples say of their documents
 * @param order of the samples
 * @param verify whether blocks are checked against their checksums
 */
record IndexedSource(List<WeightedPrefix> blend, DataSplit split, DocumentRules documents, SampleOrder order, boolean verify)
    implements DataSource {
  @Override
  public SampleSet open(SampleRequest request) {
    return open(request, DataCursor.BEGINNING);
  }

  @Override
  public SampleSet open(SampleRequest request, DataCursor from) {
    return IndexedSamples.open(this, request, from);
  }
}
