package io.hirundo.lib.engine.step;

import io.hirundo.ConfigurationException;
import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.lib.engine.conversion.HostConversion;
import io.hirundo.lib.engine.model.OwnedRuns;
import io.hirundo.lib.engine.model.RankModel;
import io.hirundo.lib.engine.rank.Rank;
import io.hirundo.lib.engine.rank.StringAllGather;
import io.hirundo.model.parameter.Parameter;
import io.hirundo.optimizer.Optimizer;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.optimizer.OptimizerRun.State;
import io.hirundo.optimizer.StateSpec;
import io.hirundo.parallel.ShardedParameters;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The optimizer of one rank and its state. The state outlives the optimizer: another optimizer takes over what both have, and in between
 * it is kept here.
 */
public final class OptimizerState implements AutoCloseable {
    /** A state tensor, the same for each optimizer that has it. */
    record Key(String parameter, long firstElement, String name) {}

    private final Device device;
    private final Queue queue;
    private List<Parameter> parameters;
    private OptimizerRun run;
    /** Copies owned by this object while there is no optimizer. */
    private List<State> kept = List.of();
    /** Steps of the run before the first one that the optimizer counts. */
    private long began;

    OptimizerState(Device device, Queue queue, List<Parameter> parameters, Optimizer optimizer) {
        this.device = device;
        this.queue = queue;
        this.parameters = parameters;
        this.run = DeclaredState.bind(optimizer, device, parameters);
    }

    /**
     * Updates the parameters.
     *
     * @param step of the run, from 1
     */
    void step(Queue queue, long step, double learningRate, Tensor gradientCoefficient1) {
        run.step(queue, step - began, learningRate, gradientCoefficient1);
    }

    /** Steps of the run before the first one that the optimizer counts: 0, unless its state began at zero in the middle of the run. */
    public long began() {
        return began;
    }

    /** The state of this rank whose zeros are right before the optimizer's first step alone. */
    public List<State> countingSteps(Optimizer optimizer) {
        Set<Key> counting = DeclaredState.counting(optimizer, parameters);
        return state().stream()
                .filter(state -> counting.contains(key(state.parameter(), state.name())))
                .toList();
    }

    /** Sets all state to zero, and counts steps from 1 after so many steps of the run. */
    public void restart(long stepsDone) {
        state().forEach(state -> device.kernels().elementwise().fill(queue, state.tensor(), 0));
        queue.drain();
        began = stepsDone;
    }

    /** Sets {@link #began} to that of the checkpoint whose state is loaded. */
    public void began(long steps) {
        began = steps;
    }

    public List<State> state() {
        return run == null ? kept : run.state();
    }

    /**
     * Creates another optimizer with its own state, for {@link #replace}, and converts for it what it has in another form: a conversion that fails
     * must do so while the change can still be rejected. The caller owns the result, and no step may come before it takes over.
     *
     * @throws ConfigurationException if a state tensor of both has another shape or dtype
     */
    public OptimizerStateTransfer other(Optimizer optimizer) {
        OptimizerRun other = DeclaredState.bind(optimizer, device, parameters);
        try {
            var present = byKey(state());
            var next = byKey(other.state());
            var transfer = OptimizerStateTransfer.of(present, next, parameters, optimizer, other);
            var conversion = new HostConversion(device, queue);
            transfer.converted().forEach(each -> each.run(conversion, present, next));
            return transfer;
        } catch (RuntimeException | Error failure) {
            other.close();
            throw failure;
        }
    }

    /**
     * Checks that {@link #moveTo} can move the state.
     *
     * @param sharded the parameters whose state this is
     * @throws ConfigurationException if ranks divide them within a block of elements that share an element of the state
     */
    public void requireMovable(ShardedParameters sharded) {
        Map<String, Parameter> runs = runs();
        for (State state : state()) {
            long elements = state.tensor().elements();
            Parameter of = runs.get(state.parameter().spec().name());
            boolean isPerBlock = of != null && elements > 0 && of.value().elements() % elements == 0;
            if (!isPerBlock || !sharded.isMovable(block(state, runs))) {
                throw new ConfigurationException("mesh.dataParallel: " + state.name()
                        + " of the optimizer cannot move to other ranks while the run trains; stop it, and continue with the new"
                        + " mesh.dataParallel and --resume");
            }
        }
    }

    private Map<String, Parameter> runs() {
        return parameters.stream().collect(Collectors.toMap(run -> run.spec().name(), Function.identity()));
    }

    /** Elements of a run for each element of its state. */
    private static int block(State state, Map<String, Parameter> runs) {
        return Math.toIntExact(runs.get(state.parameter().spec().name()).value().elements()
                / state.tensor().elements());
    }

    /**
     * The largest dtype that {@link #moveTo} gathers. No collective: each rank of a group computes what the others declare.
     *
     * @param optimizer whose state this is
     */
    public DType widestType(RankModel model, Optimizer optimizer) {
        Stream<DType> declared = model.parameterSpecs().stream()
                .flatMap(List::stream)
                .flatMap(spec -> optimizer.declaredState(spec, model.parameterType()).stream()
                        .flatMap(List::stream))
                .map(StateSpec::dtype);
        Stream<DType> own = state().stream().map(state -> state.tensor().dtype());
        return Stream.concat(declared, own)
                .max(Comparator.comparingInt(DType::byteSize))
                .orElse(model.parameterType());
    }

    /**
     * Copies what both have into another optimizer, and continues with that one. Collective.
     *
     * @param stepsDone of the run
     * @return what becomes of the state on any rank, for the report of the change
     */
    public String replace(Rank rank, OptimizerStateTransfer next, long stepsDone) {
        OptimizerStateTransfer.Outcome outcome = next.outcome(rank);
        if (!outcome.restarts()) {
            var present = byKey(state());
            var copies = byKey(next.run().state());
            next.carried()
                    .forEach(key -> device.kernels().elementwise().copy(queue, present.get(key), copies.get(key)));
            queue.drain();
        }
        close();
        run = next.run();
        if (outcome.restarts()) {
            restart(stepsDone);
        }
        return outcome.text();
    }

    /**
     * Moves the state to other owners, and continues with their optimizer. Collective; before the model's parameters are replaced.
     *
     * @param other the same optimizer, bound to {@code owned}
     * @param owned what this rank owns under the next data-parallel strategy
     */
    public void moveTo(RankModel model, OptimizerRun other, List<Parameter> owned) {
        // A rank that owns nothing does not know what the others move.
        var forms = new TreeSet<String>();
        Map<String, Parameter> runs = runs();
        String own = state().stream().map(state -> form(state, runs)).distinct().collect(Collectors.joining(" "));
        StringAllGather.exchange(model.rank(), own).forEach(names -> forms.addAll(List.of(names.split(" "))));
        forms.remove("");
        var present = byName(state());
        var next = byName(other.state());
        for (String form : forms) {
            String[] parts = form.split(":");
            String name = parts[2];
            // Null on both sides for parameters without this state, because the same optimizer keeps the same state for
            // a parameter.
            OwnedRuns.move(
                    model,
                    DType.valueOf(parts[0]),
                    Integer.parseInt(parts[1]),
                    run -> present.get(new Named(run.spec().name(), name)),
                    owned,
                    run -> next.get(new Named(run.spec().name(), name)));
        }
        close();
        run = other;
        parameters = owned;
    }

    private static String form(State state, Map<String, Parameter> runs) {
        return state.tensor().dtype() + ":" + block(state, runs) + ":" + state.name();
    }

    /** A rank owns one run of a parameter. */
    private record Named(String parameter, String name) {}

    private static Map<Named, Tensor> byName(List<State> states) {
        return states.stream()
                .collect(Collectors.toMap(
                        state -> new Named(state.parameter().spec().name(), state.name()), State::tensor));
    }

    static Key key(Parameter run, String name) {
        return new Key(run.spec().name(), run.firstElement(), name);
    }

    /** Closes the optimizer and keeps a copy of its state. */
    public void release() {
        var copies = new ArrayList<State>();
        for (State state : run.state()) {
            Tensor copy = device.allocate(
                    MemoryCategory.OPTIMIZER,
                    state.tensor().shape(),
                    state.tensor().dtype());
            device.kernels().elementwise().copy(queue, state.tensor(), copy);
            copies.add(new State(state.parameter(), state.name(), copy));
        }
        queue.drain();
        run.close();
        run = null;
        kept = List.copyOf(copies);
    }

    private static Map<Key, Tensor> byKey(List<State> states) {
        var map = new LinkedHashMap<Key, Tensor>();
        states.forEach(state -> map.put(key(state.parameter(), state.name()), state.tensor()));
        return map;
    }

    @Override
    public void close() {
        if (run != null) {
            run.close();
            run = null;
        }
        kept.forEach(state -> state.tensor().close());
        kept = List.of();
    }
}
