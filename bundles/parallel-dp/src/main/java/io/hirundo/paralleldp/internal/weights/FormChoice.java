package io.hirundo.paralleldp.internal.weights;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.precision.WeightCoding;
import io.hirundo.tensor.DType;
import java.util.List;
import java.util.Map;

/**
 * The form in which weights are gathered, and the one that is wanted from the next use of the weights on: when it is wanted, other
 * ranks may still be somewhere else.
 */
public final class FormChoice implements AutoCloseable {
    private final Device device;
    private final ProcessGroup group;
    private final List<String> names;
    private final DType masterType;
    private Codings codings;
    private Map<String, DType> types = Map.of();
    private Map<String, WeightCoding> wanted = Map.of();
    private boolean allowed;
    private boolean isNew = true;
    private boolean isFirst = true;

    /**
     * At first all weights are gathered as their owners hold them.
     *
     * @param names of all parameters, in the order of declaration
     * @param codesAllowed whether any weights are to be quantized at all; a single rank sends nothing
     */
    public FormChoice(Device device, ProcessGroup group, List<String> names, DType masterType, boolean codesAllowed) {
        this.device = device;
        this.group = group;
        this.names = List.copyOf(names);
        this.masterType = masterType;
        this.codings = new Codings(device, group, Map.of());
        this.allowed = codesAllowed && group.size() > 1;
    }

    public void allowCodes(boolean allow) {
        allowed = allow && group.size() > 1;
        requireRenewal();
    }

    /** Whether any weights are to be quantized. */
    public boolean areCodesAllowed() {
        return allowed;
    }

    public void want(Map<String, WeightCoding> others) {
        wanted = Map.copyOf(others);
        codings.release();
        requireRenewal();
    }

    /** {@code others}: dtypes that layers read, by name of the parameter. */
    public void hold(Map<String, DType> others) {
        if (!types.equals(others)) {
            types = Map.copyOf(others);
            isNew = true;
        }
    }

    /** Codings of the same weights may be those of other layers. */
    private void requireRenewal() {
        isNew |= !next().isEmpty() || !codings.isEmpty();
    }

    /** Whether there was no {@link #renew} yet. */
    public boolean isFirst() {
        return isFirst;
    }

    /** Whether {@link #renew} has something to do. */
    public boolean isNew() {
        return isNew;
    }

    /** Gives all weights the wanted form. */
    public void renew(Queue queue, List<ShardedWeights> all) {
        Codings former = codings;
        codings = new Codings(device, group, next());
        try {
            for (ShardedWeights weights : all) {
                weights.become(queue, WeightForm.of(weights.layout(), names, codings, types, masterType));
            }
        } finally {
            former.close();
        }
        // After a failure, the next use tries again.
        isNew = false;
        isFirst = false;
    }

    /**
     * Allocates and frees what weights would take in another form, and then steps; throws where there is no room.
     *
     * @param otherTypes dtypes that layers would read, by name of the parameter
     * @param otherCodings that would be wanted
     * @param codesAllowed as for the constructor
     * @param moments of a step
     * @param freedBytes that others free before
     */
    public void rehearse(
            List<ShardedWeights> all,
            Map<String, DType> otherTypes,
            Map<String, WeightCoding> otherCodings,
            boolean codesAllowed,
            List<StepMoment> moments,
            long freedBytes) {
        try (var others = new Codings(device, group, codesAllowed && group.size() > 1 ? otherCodings : Map.of())) {
            List<FormCost> costs = all.stream()
                    .map(weights ->
                            weights.costOf(WeightForm.of(weights.layout(), names, others, otherTypes, masterType)))
                    .toList();
            FormCost.rehearse(device, costs, moments, freedBytes);
        }
    }

    /** Finds the amaxes of all ranks, for weights that are quantized; {@code owned} is what this rank has. Collective. */
    public void agree(Queue queue, List<Parameter> owned) {
        codings.agree(queue, owned);
    }

    private Map<String, WeightCoding> next() {
        return allowed ? wanted : Map.of();
    }

    @Override
    public void close() {
        codings.close();
    }
}
