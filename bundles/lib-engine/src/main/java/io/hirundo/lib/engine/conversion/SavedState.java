package io.hirundo.lib.engine.conversion;

import io.hirundo.DeviceException;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.lifecycle.Opened;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Memory of a rank for the optimizer state of a checkpoint that has it in another form, until it is converted. */
public final class SavedState implements AutoCloseable {
    private record Named(String parameter, String state) {}

    private final Device device;
    private final Queue queue;
    private final Map<ConvertedSlice, List<StateShard>> saved = new LinkedHashMap<>();
    private final Opened opened = new Opened();

    /**
     * Allocates.
     *
     * @throws DeviceException if there is no room
     */
    public SavedState(Device device, Queue queue, ConvertedForms forms) {
        this.device = device;
        this.queue = queue;
        try {
            for (ConvertedSlice slice : forms.slices()) {
                var shards = new ArrayList<StateShard>();
                for (StateSpec spec : slice.conversion().from()) {
                    StateShard shard = slice.allocate(device, spec);
                    opened.add(shard.local(), Tensor::close);
                    shards.add(shard);
                }
                saved.put(slice, shards);
            }
        } catch (DeviceException full) {
            opened.closeAfter(full);
            throw new DeviceException(
                    "--resume: not enough device memory to convert the checkpoint's optimizer state; raise mesh.data, or use the checkpoint's"
                            + " optimizer.options: " + full.getMessage(),
                    full);
        } catch (RuntimeException | Error failure) {
            opened.closeAfter(failure);
            throw failure;
        }
    }

    /** What to load. */
    public List<StateShard> shards() {
        return saved.values().stream().flatMap(List::stream).toList();
    }

    /**
     * Converts what was loaded.
     *
     * @param states of the rank, which are filled
     */
    public void convert(List<State> states) {
        var conversion = new HostConversion(device, queue);
        // A rank owns one run of a parameter.
        Map<Named, Tensor> tensors = states.stream()
                .collect(Collectors.toMap(
                        state -> new Named(state.parameter().spec().name(), state.name()), State::tensor));
        saved.forEach((slice, shards) -> {
            List<Tensor> from = shards.stream().map(StateShard::local).toList();
            List<Tensor> to = slice.conversion().to().stream()
                    .map(spec ->
                            slice.in(tensors.get(new Named(slice.run().spec().name(), spec.name())), spec))
                    .toList();
            conversion.convert(slice.conversion(), slice.rows(), slice.columns(), from, to);
        });
    }

    @Override
    public void close() {
        opened.close();
    }
}
