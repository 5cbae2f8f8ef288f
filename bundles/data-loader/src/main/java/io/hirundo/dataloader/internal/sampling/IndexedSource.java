package io.hirundo.dataloader.internal.sampling;

import io.hirundo.ConfigurationException;
import io.hirundo.data.DataCursor;
import io.hirundo.data.DataSource;
import io.hirundo.data.DocumentFrame;
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
import java.util.OptionalInt;
import java.util.Set;

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
record IndexedSource(
        List<WeightedPrefix> blend,
        DataSplit split,
        DocumentRules documents,
        SampleOrder order,
        boolean verify,
        Stop stop)
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
            Optional<String> license = DatasetDescription.read(files.description())
                    .map(description -> description.source().license());
            license.ifPresentOrElse(
                    licenses::add, () -> silent.add(files.prefix().getFileName().toString()));
        }
        if (licenses.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                String.join(", ", licenses) + (silent.isEmpty() ? "" : "; not stated: " + String.join(", ", silent)));
    }

    @Override
    public Set<DocumentFrame> frames() {
        var frames = new LinkedHashSet<DocumentFrame>();
        for (WeightedPrefix one : blend) {
            DatasetDescription.read(new DatasetFiles(Path.of(one.prefix())).description())
                    .map(DatasetDescription::frame)
                    .ifPresent(frame -> frames.add(frame.frame()));
        }
        return frames;
    }

    /** Rejects an end of documents that the datasets do not have: no border would be found. */
    private void requireEnd() {
        for (DocumentFrame frame : documents.equals(DocumentRules.NONE) ? Set.<DocumentFrame>of() : frames()) {
            if (!frame.end().equals(OptionalInt.of(documents.endToken()))) {
                throw new ConfigurationException(
                        "documents.endToken: " + documents.endToken() + " is wrong: the dataset's documents end with "
                                + (frame.end().isPresent() ? frame.end().getAsInt() : "no token of their own")
                                + "; set that, or make the dataset again with --eos");
            }
        }
    }

    @Override
    public SampleSet open(SampleRequest request, DataCursor from) {
        requireEnd();
        return IndexedSamples.open(this, request, from);
    }
}
