package io.hirundo.dataloader.internal.sampling;

import io.hirundo.dataloader.internal.DocumentOptions;
import io.hirundo.dataloader.internal.megatron.DataSplit;
import io.hirundo.strategy.Setting;
import java.util.List;

/**
 * Options of the data source {@code indexed}.
 *
 * @param blend datasets
 * @param split of each of them
 * @param documents what those in a sample mean
 * @param order of the samples
 * @param verify whether blocks are checked against their checksums
 */
public record IndexedOptions(
        @Setting(value = "The datasets; of several, samples are taken in turn by their weights", required = true)
        List<WeightedPrefix> blend,

        @Setting(
                "Shares of each dataset's documents, in file order: training, validation, and test, which is left alone")
        String split,

        @Setting("What several documents in a sample mean; by default nothing, a sample is one")
        DocumentOptions documents,

        @Setting(
                "Order of the samples: permuted (constant memory, the same for any training.steps), or megatron (as Megatron-LM's GPTDataset)")
        SampleOrder order,

        @Setting("Whether each block of a dataset that has checksums (PREFIX.sums) is checked when it is first read")
        boolean verify) {
    public IndexedOptions() {
        this(List.of(), "990,10,0", new DocumentOptions(), SampleOrder.PERMUTED, true);
    }

    public IndexedOptions {
        blend = List.copyOf(blend);
        DataSplit.parse(split);
    }
}
