package io.hirundo.dataloader.internal.sampling;

import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.indexed.DatasetDescription;
import io.hirundo.dataloader.internal.indexed.DatasetFiles;
import io.hirundo.dataloader.internal.megatron.DataSplit;
import io.hirundo.dataloader.internal.stop.Stop;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * One or more indexed datasets.
 *
 * @param blend the datasets
 * @param split of each of them
 * @param documents what the samples say of their documents
 * @param order of the samples
 * @param verify whether blocks are checked against their checksums
 * @param stop ends the opening
 */
record IndexedSource(List<WeightedPrefix> blend, DataSplit split, DocumentRules documents, SampleOrder order, boolean verify, Stop stop)
    implements DataSource {
  @Override
  public SampleSet open(SampleRequest request) {
    return open(request, DataCursor.BEGINNING);
  }

  /** What the descriptions of the datasets say; names those that say nothing. */
  @Override
  public Optional<String> license() {
    var licenses = new LinkedHashSet<String>();
    var silent = new ArrayList<String>();
    for (WeightedPrefix one : blend) {
      var files = new DatasetFiles(Path.of(one.prefix()));
      Optional<String> license = DatasetDescription.read(files.description()).map(description -> description.source().license());
      license.ifPresentOrElse(licenses::add, () -> silent.add(files.prefix().getFileName().toString()));
    }
    if (licenses.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(String.join(", ", licenses) + (silent.isEmpty() ? "" : "; not stated: " + String.join(", ", silent)));
  }

  @Override
  public SampleSet open(SampleRequest request, DataCursor from) {
    return IndexedSamples.open(this, request, from);
  }
}
