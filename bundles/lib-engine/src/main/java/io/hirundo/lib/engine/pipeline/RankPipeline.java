package io.hirundo.lib.engine.pipeline;

import io.hirundo.device.Device;
import io.hirundo.device.Queue;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.model.layer.StepContext;
import io.hirundo.precision.MessageCoding;
import io.hirundo.schedule.Action;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Executes one rank's tasks of the pipeline schedule in order, with the point-to-point transfers between stages. */
public final class RankPipeline {
    /**
     * The resources of one pipeline rank.
     *
     * @param group the ranks of the pipeline axis
     * @param chunks the model chunks of this rank
     * @param activationType dtype of the activations between chunks
     * @param coding compression of transfers between stages, for example FP8; empty for uncompressed transfers
     */
    public record Place(
            Device device,
            Queue queue,
            ProcessGroup group,
            List<ModelChunk> chunks,
            DType activationType,
            Optional<MessageCoding> coding) {}

    private record Flight(int microbatch, int chunk) {}

    private final Place place;
    private final PipelineSchedule schedule;
    private final Map<Integer, List<Task>> training = new HashMap<>();
    private final List<Task> forward;

    public RankPipeline(Place place, PipelineSchedule schedule) {
        this.place = place;
        this.schedule = schedule;
        this.forward = TaskPlan.forward(schedule, place.group().size())
                .get(place.group().rank());
    }

    /**
     * Forward and backward passes of all microbatches of a step.
     *
     * @param count number of microbatches, the same on every rank
     * @param transferShape shape of the activations between stages, [T, C]
     */
    public void train(int count, Shape transferShape, Microbatches microbatches) {
        run(training.computeIfAbsent(count, this::plan), transferShape, microbatches);
    }

    /** Trains a single microbatch through all stages in sequence, even if the schedule needs more microbatches. */
    public void trainOne(Shape transferShape, Microbatches microbatches) {
        var single = new SingleMicrobatch(schedule);
        int ranks = place.group().size();
        run(
                TaskPlan.training(single, PipelinePlan.of(single, ranks, 1))
                        .get(place.group().rank()),
                transferShape,
                microbatches);
    }

    private void run(List<Task> tasks, Shape transferShape, Microbatches microbatches) {
        var run = new Training(transfers(transferShape), tasks, microbatches);
        for (int index = 0; index < tasks.size(); index++) {
            run.task(index);
        }
        run.transfers.finish();
    }

    /** Forward pass of one microbatch. The rank with the last stage adds the loss to its context's loss sum. */
    public void evaluate(Shape transferShape, StepContext context) {
        var transfers = transfers(transferShape);
        for (Task task : forward) {
            transfers.post(task);
            Tensor output = place.chunks().get(task.action().chunk()).evaluate(context, transfers.take(task));
            transfers.release(task.released());
            if (task.output() != null) {
                transfers.give(task, output);
            }
        }
        transfers.finish();
    }

    private List<Task> plan(int count) {
        PipelinePlan checked = PipelinePlan.of(schedule, place.group().size(), count);
        return TaskPlan.training(schedule, checked).get(place.group().rank());
    }

    private Transfers transfers(Shape transferShape) {
        return new Transfers(place, transferShape);
    }

    /** The state of one step in progress. */
    private final class Training {
        private final Transfers transfers;
        private final List<Task> tasks;
        private final Microbatches microbatches;
        private final Map<Integer, StepContext> contexts = new HashMap<>();
        private final Map<Integer, Integer> chunksDone = new HashMap<>();
        private final Map<Flight, ModelChunk.Activations> inFlight = new HashMap<>();
        private final Map<Integer, Integer> lastWeightTask = new HashMap<>();

        Training(Transfers transfers, List<Task> tasks, Microbatches microbatches) {
            this.transfers = transfers;
            this.tasks = tasks;
            this.microbatches = microbatches;
            for (int index = 0; index < tasks.size(); index++) {
                if (findsGradients(tasks.get(index))) {
                    lastWeightTask.put(tasks.get(index).action().chunk(), index);
                }
            }
        }

        void task(int index) {
            Task task = tasks.get(index);
            transfers.post(task);
            if (index + 1 < tasks.size()) {
                // Post the next receive early, so that the transfer overlaps with this task.
                transfers.post(tasks.get(index + 1));
            }
            Tensor input = transfers.take(task);
            transfers.release(task.released());
            Tensor output =
                    work(task, input, lastWeightTask.getOrDefault(task.action().chunk(), -1) == index);
            if (task.output() != null) {
                transfers.give(task, output);
            }
        }

        private Tensor work(Task task, Tensor input, boolean last) {
            var action = task.action();
            var flight = new Flight(action.microbatch(), action.chunk());
            ModelChunk chunk = place.chunks().get(action.chunk());
            StepContext context = contexts.computeIfAbsent(action.microbatch(), microbatches::open);
            Tensor output = switch (action.kind()) {
                case FORWARD -> {
                    ModelChunk.Activations activations = chunk.forward(context, input);
                    inFlight.put(flight, activations);
                    yield activations.output();
                }
                case BACKWARD_INPUT ->
                    task.fused()
                            ? chunk.backward(context, inFlight.remove(flight), input, last)
                            : chunk.backwardInput(context, inFlight.get(flight), input);
                case BACKWARD_WEIGHT -> {
                    chunk.backwardWeight(context, inFlight.remove(flight), last);
                    yield null;
                }
            };
            if (findsGradients(task)
                    && chunksDone.merge(action.microbatch(), 1, Integer::sum)
                            == place.chunks().size()) {
                contexts.remove(action.microbatch());
                microbatches.close(action.microbatch());
            }
            return output;
        }

        private static boolean findsGradients(Task task) {
            return task.fused() || task.action().kind() == Action.Kind.BACKWARD_WEIGHT;
        }
    }
}
