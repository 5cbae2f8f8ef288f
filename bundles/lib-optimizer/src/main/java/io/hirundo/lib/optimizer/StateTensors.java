package io.hirundo.lib.optimizer;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The state tensors that an optimizer declares for its parameters, which this object owns. Confined to the rank's thread. */
public final class StateTensors implements AutoCloseable {
    private record Key(String parameter, long firstElement, String name) {}

    private final Map<Key, State> states = new LinkedHashMap<>();

    private StateTensors() {}

    /**
     * Allocates zeros for all that the optimizer declares, parameter after parameter. If memory runs out, nothing stays allocated.
     *
     * @throws io.hirundo.DeviceException if there is no room
     */
    public static StateTensors zeros(Device device, List<Parameter> parameters, Optimizer optimizer) {
        var tensors = new StateTensors();
        try (Queue queue = device.newQueue("optimizer state")) {
            for (Parameter parameter : parameters) {
                Tensor value = parameter.value();
                for (StateSpec spec :
                        optimizer.declaredState(parameter.spec(), value.dtype()).orElse(List.of())) {
                    boolean isFull = spec.block() == 1;
                    Shape shape = isFull ? value.shape() : Shape.of(value.elements() / spec.block());
                    Tensor tensor = device.allocate(MemoryCategory.OPTIMIZER, shape, spec.dtype());
                    Parameter saved = isFull ? parameter : BlockState.of(parameter, spec.block(), tensor);
                    tensors.states.put(key(parameter, spec.name()), new State(saved, spec.name(), tensor));
                    device.kernels().elementwise().fill(queue, tensor, 0);
                }
            }
            queue.drain();
        } catch (RuntimeException | Error failure) {
            tensors.close();
            throw failure;
        }
        return tensors;
    }

    /** A parameter's tensor of this name; lent. */
    public Tensor of(Parameter parameter, String name) {
        State state = states.get(key(parameter, name));
        if (state == null) {
            throw new IllegalArgumentException("the optimizer declares no state " + name + " for "
                    + parameter.spec().name());
        }
        return state.tensor();
    }

    /** All of them, for {@link io.hirundo.optimizer.OptimizerRun#state}. */
    public List<State> list() {
        return new ArrayList<>(states.values());
    }

    private static Key key(Parameter parameter, String name) {
        return new Key(parameter.spec().name(), parameter.firstElement(), name);
    }

    @Override
    public void close() {
        states.values().forEach(state -> state.tensor().close());
        states.clear();
    }
}
