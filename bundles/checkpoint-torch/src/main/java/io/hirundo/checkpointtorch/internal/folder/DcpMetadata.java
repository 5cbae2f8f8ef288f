package io.hirundo.checkpointtorch.internal.folder;

import io.hirundo.lib.tensor.TensorSlice;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The contents of {@code .metadata}.
 *
 * @param tensors by name
 * @param others names of entries that are not tensors: steps, states of data loaders
 * @param items by name and chunk offset
 */
record DcpMetadata(
        SequencedMap<String, DcpTensor> tensors, List<String> others, Map<String, Map<List<Long>, DcpItem>> items) {
    Optional<DcpItem> item(String tensor, TensorSlice chunk) {
        return Optional.ofNullable(items.getOrDefault(tensor, Map.of()).get(chunk.offset()));
    }
}
