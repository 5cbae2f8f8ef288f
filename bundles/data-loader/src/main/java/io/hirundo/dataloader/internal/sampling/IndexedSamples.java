package io.hirundo.dataloader.internal.sampling;

import io.hirundo.DataException;
import io.hirundo.data.DataCursor;
import io.hirundo.data.DocumentRules;
import io.hirundo.data.SampleRequest;
import io.hirundo.data.SampleSet;
import io.hirundo.dataloader.internal.indexed.IndexedDataset;
import io.hirundo.dataloader.internal.megatron.DataSplit;
import io.hirundo.dataloader.internal.order.OrderCheck;
import io.hirundo.dataloader.internal.order.OrderIdentity;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The samples of one or more datasets. */
final class IndexedSamples implements SampleSet {
    /** Finding the dataset of so many samples takes less than a second. */
    private static final int SEARCHED_SAMPLES = 1 << 20;

    private final List<IndexedDataset> datasets;
    private final DocumentRules documents;
    private final SampleRequest request;
    private final SplitSamples training;
    private final SplitSamples validation;

    /** By the names of {@link OrderIdentity}. */
    private final Map<String, String> orderProperties;

    /** Opens all datasets and plans. On failure nothing stays open. */
    static IndexedSamples open(IndexedSource source, SampleRequest request, DataCursor from) {
        List<IndexedDataset> datasets = new ArrayList<>();
        try {
            List<SplitPlanner.Weighted> weighted = new ArrayList<>();
            for (WeightedPrefix one : source.blend()) {
                datasets.add(IndexedDataset.open(Path.of(one.prefix()), source.verify(), source.stop()));
                weighted.add(new SplitPlanner.Weighted(datasets.getLast(), one.weight()));
            }
            return new IndexedSamples(datasets, weighted, source, request, DatasetNames.respell(from, source.blend()));
        } catch (RuntimeException | Error failure) {
            datasets.forEach(IndexedDataset::close);
            throw failure;
        }
    }

    private IndexedSamples(
            List<IndexedDataset> datasets,
            List<SplitPlanner.Weighted> weighted,
            IndexedSource source,
            SampleRequest request,
            DataCursor from) {
        this.datasets = datasets;
        this.documents = source.documents();
        this.request = request;
        var planner = new SplitPlanner(request.sequenceTokens(), request.seed(), source.order(), source.stop());
        training = planner.plan(
                weighted, DataSplit::trainingOf, source.split(), "training", request.trainingSamples(), from);
        validation = planner.plan(
                weighted,
                DataSplit::validationOf,
                source.split(),
                "validation",
                request.validationSamples(),
                DataCursor.BEGINNING);
        orderProperties = orderProperties(weighted, source.split(), request, from);
        if (request.trainingSamples() > 0 && training.count() == 0) {
            throw new DataException(prefixes() + ": the split leaves none of the " + documentCount()
                    + " documents for training; give its first share more");
        }
    }

    private static Map<String, String> orderProperties(
            List<SplitPlanner.Weighted> blend, DataSplit split, SampleRequest request, DataCursor from) {
        var properties = new LinkedHashMap<String, String>();
        properties.put(OrderIdentity.SEQUENCE_TOKENS, String.valueOf(request.sequenceTokens()));
        properties.put(OrderIdentity.SPLIT, split.training() + "/" + split.validation());
        properties.put(OrderIdentity.WEIGHTS, list(blend, one -> one.weight()));
        properties.put(
                OrderIdentity.TOKENS,
                list(
                        blend,
                        one -> SplitPlanner.tokens(
                                one.dataset(), split.trainingOf(one.dataset().sequences()))));
        if (!from.isBeginning()) {
            properties.put(OrderIdentity.READ, list(blend, one -> read(from, one.dataset())));
        }
        return properties;
    }

    private static long read(DataCursor from, IndexedDataset dataset) {
        DataCursor.Part part = from.parts().get(dataset.files().prefix().toString());
        return part == null ? 0 : part.read();
    }

    private static String list(List<SplitPlanner.Weighted> blend, Function<SplitPlanner.Weighted, Object> value) {
        return blend.stream().map(value).map(String::valueOf).collect(Collectors.joining(","));
    }

    @Override
    public long count(Split split) {
        return of(split).count();
    }

    @Override
    public void read(Split split, long index, int[] into) {
        if (into.length != request.sequenceTokens() + 1) {
            throw new IllegalArgumentException(
                    "a sample has " + (request.sequenceTokens() + 1) + " tokens, not " + into.length);
        }
        if (index < 0 || index >= count(split)) {
            throw new IndexOutOfBoundsException("sample " + index + " of " + count(split));
        }
        of(split).read(index, into);
    }

    private SplitSamples of(Split split) {
        return split == Split.TRAINING ? training : validation;
    }

    @Override
    public DocumentRules documents() {
        return documents;
    }

    @Override
    public DataCursor cursorAfter(long samples) {
        return new DataCursor(samples, training.readAfter(samples));
    }

    @Override
    public String order() {
        return training.count() == 0 ? "" : new OrderIdentity(training.orderName(), orderProperties).toString();
    }

    @Override
    public Optional<String> orderConflict(Optional<String> recorded) {
        return OrderCheck.conflict(order(), recorded);
    }

    @Override
    public int vocabularyBound() {
        return datasets.stream()
                        .flatMapToInt(dataset -> dataset.largestToken().stream())
                        .max()
                        .orElse(-1)
                + 1;
    }

    /** A dataset that gives less than a millionth of the samples may have none here. */
    @Override
    public List<LongStream> samplesWithoutBound(Split split, long first) {
        SplitSamples part = of(split);
        long end = Math.min(part.count(), first + SEARCHED_SAMPLES);
        return datasets.stream()
                .filter(dataset -> dataset.largestToken().isEmpty())
                .map(dataset -> LongStream.range(first, end).filter(sample -> part.dataset(sample) == dataset))
                .toList();
    }

    @Override
    public Optional<String> repetition() {
        var parts = new ArrayList<String>();
        if (training.epochs() > 1) {
            parts.add(String.format(
                    Locale.ROOT,
                    "the %,d samples of training read the data in %,d epochs",
                    request.trainingSamples(),
                    training.epochs()));
        }
        if (validation.epochs() > 1) {
            parts.add(String.format(
                    Locale.ROOT,
                    "the %,d samples of an evaluation read the validation part in %,d epochs",
                    request.validationSamples(),
                    validation.epochs()));
        }
        return parts.isEmpty() ? Optional.empty() : Optional.of(prefixes() + ": " + String.join("; ", parts));
    }

    @Override
    public String describe() {
        long tokens = datasets.stream().mapToLong(IndexedDataset::tokens).sum();
        return String.format(
                Locale.ROOT,
                "%s: %,d documents, %,d tokens; training %,d samples in %d epochs, validation %,d",
                prefixes(),
                documentCount(),
                tokens,
                training.count(),
                training.epochs(),
                validation.count());
    }

    private List<Path> prefixes() {
        return datasets.stream().map(dataset -> dataset.files().prefix()).toList();
    }

    private long documentCount() {
        return datasets.stream().mapToLong(IndexedDataset::documents).sum();
    }

    @Override
    public void close() {
        datasets.forEach(IndexedDataset::close);
    }
}
