package io.hirundo.dataloader.internal.order;

import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What an order of training samples follows from, besides the seed, as the text that checkpoints record:
 * {@code permuted-1;sequenceTokens=2048;split=0.99/1.0;weights=3.0,1.0;tokens=9000,4000}. Lists have one element a dataset, in the order
 * of the blend. Paths are not part of it: a dataset that was moved keeps its order.
 *
 * @param algorithm that orders the samples
 * @param properties by name; none in checkpoints of versions that recorded the algorithm only
 */
public record OrderIdentity(String algorithm, Map<String, String> properties) {
    /** The first version of the default order; another one must have another name. */
    public static final String PERMUTED = "permuted-1";

    /** Begins the name of every order of Megatron's; behind it, of each dataset: epochs, samples, samples of the first shuffle. */
    public static final String MEGATRON = "megatron";

    /** File order, once. */
    public static final String SEQUENTIAL = "sequential";

    /** Tokens of a sample, labels not counted. */
    public static final String SEQUENCE_TOKENS = "sequenceTokens";

    /** Where the training part ends and where the validation part ends, as shares of the documents. */
    public static final String SPLIT = "split";

    /** Of the datasets of a blend. */
    public static final String WEIGHTS = "weights";

    /** In the training part of each dataset. */
    public static final String TOKENS = "tokens";

    /** Samples of each dataset that a run had read before this order began. */
    public static final String READ = "read";

    public OrderIdentity {
        properties = Collections.unmodifiableMap(new LinkedHashMap<>(properties));
    }

    static OrderIdentity parse(String text) {
        String[] fields = text.split(";");
        var properties = new LinkedHashMap<String, String>();
        Arrays.stream(fields)
                .skip(1)
                .map(field -> field.split("=", 2))
                .filter(field -> field.length == 2)
                .forEach(field -> properties.put(field[0], field[1]));
        return new OrderIdentity(fields[0], properties);
    }

    boolean isPermuted() {
        return algorithm.startsWith("permuted-");
    }

    boolean isMegatrons() {
        return algorithm.startsWith(MEGATRON);
    }

    /** As checkpoints record it. */
    @Override
    public String toString() {
        return properties.entrySet().stream()
                .map(property -> ";" + property.getKey() + "=" + property.getValue())
                .collect(Collectors.joining("", algorithm, ""));
    }
}
