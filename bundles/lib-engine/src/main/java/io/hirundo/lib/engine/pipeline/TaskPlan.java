package io.hirundo.lib.engine.pipeline;

import io.hirundo.schedule.Action;
import io.hirundo.schedule.Action.Kind;
import io.hirundo.schedule.PipelinePlan;
import io.hirundo.schedule.PipelineSchedule;
import io.hirundo.schedule.PipelineShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Derives the tasks of every rank from a pipeline schedule. Each rank computes the tasks of all ranks, so it knows the order in which the
 * others send. It posts receives in the sender's order. A send buffer is freed when a later transfer from the peer proves that the peer
 * received it. So no rank waits to free a buffer, and buffers are freed at the same point of the program in every run.
 */
final class TaskPlan {
    /** An action on a microbatch in a stage of the model. */
    private record Work(Kind kind, int microbatch, int stage) {}

    /**
     * A transfer: an output of one rank that another rank needs as input.
     *
     * @param from sending rank
     * @param made index of the producing task on the sender
     * @param to receiving rank
     * @param used index of the consuming task on the receiver
     * @param number sequence number among the transfers between the two ranks, in the sender's order
     * @param sent sequence number among all sends of the sender; -1 within a rank
     */
    private record Transfer(int from, int made, int to, int used, int number, int sent) {}

    /** Sender and receiver. */
    private record RankPair(int from, int to) {}

    /** A task under construction. */
    private record Draft(Action action, boolean fused) {}

    private final PipelineShape shape;
    private final PipelineSchedule placement;
    private final List<List<Draft>> drafts = new ArrayList<>();
    private final Map<Work, Integer> taskOf = new HashMap<>();
    private final Map<Integer, int[]> rankAndChunk = new HashMap<>();

    private TaskPlan(PipelineSchedule placement, PipelineShape shape) {
        this.shape = shape;
        this.placement = placement;
        for (int rank = 0; rank < shape.ranks(); rank++) {
            for (int chunk = 0; chunk < shape.chunks(); chunk++) {
                rankAndChunk.put(placement.stage(shape, rank, chunk), new int[] {rank, chunk});
            }
        }
    }

    /** The tasks of every rank for one training step, from a checked schedule. */
    static List<List<Task>> training(PipelineSchedule schedule, PipelinePlan checked) {
        var plan = new TaskPlan(schedule, checked.shape());
        for (int rank = 0; rank < checked.shape().ranks(); rank++) {
            var own = new ArrayList<Draft>();
            List<Action> actions = checked.actions(rank);
            for (int index = 0; index < actions.size(); index++) {
                boolean fused = checked.isFused(rank, index);
                own.add(new Draft(actions.get(index), fused));
                index += fused ? 1 : 0;
            }
            plan.add(own);
        }
        return plan.tasks();
    }

    /** The tasks of every rank for the forward pass of one microbatch. */
    static List<List<Task>> forward(PipelineSchedule schedule, int ranks) {
        var shape = new PipelineShape(ranks, schedule.chunks(), 1);
        var plan = new TaskPlan(schedule, shape);
        for (int rank = 0; rank < ranks; rank++) {
            int here = rank;
            plan.add(IntStream.range(0, shape.chunks())
                    .boxed()
                    .sorted(Comparator.comparing(chunk -> schedule.stage(shape, here, chunk)))
                    .map(chunk -> new Draft(new Action(Kind.FORWARD, 0, chunk), false))
                    .toList());
        }
        return plan.tasks();
    }

    /** Adds the actions of the next rank. */
    private void add(List<Draft> own) {
        for (int index = 0; index < own.size(); index++) {
            taskOf.put(work(drafts.size(), own.get(index).action()), index);
        }
        drafts.add(own);
    }

    private Work work(int rank, Action action) {
        return new Work(action.kind(), action.microbatch(), placement.stage(shape, rank, action.chunk()));
    }

    private List<List<Task>> tasks() {
        List<Transfer> transfers = transfers();
        // Indexed by consumer: a linear search for each transfer would take hours for long schedules.
        Map<RankPair, NavigableMap<Integer, Transfer>> byRanks = new HashMap<>();
        for (Transfer transfer : transfers) {
            byRanks.computeIfAbsent(new RankPair(transfer.from(), transfer.to()), ranks -> new TreeMap<>())
                    .put(transfer.used(), transfer);
        }
        var tasks = new ArrayList<List<Task>>();
        for (int rank = 0; rank < shape.ranks(); rank++) {
            tasks.add(tasksOf(rank, transfers, byRanks));
        }
        return tasks;
    }

    private List<Transfer> transfers() {
        var transfers = new ArrayList<Transfer>();
        for (int rank = 0; rank < shape.ranks(); rank++) {
            int sent = 0;
            Map<Integer, Integer> numbers = new HashMap<>();
            for (int index = 0; index < drafts.get(rank).size(); index++) {
                Work consumer = consumer(work(rank, drafts.get(rank).get(index).action()));
                if (consumer != null) {
                    int to = rankAndChunk.get(consumer.stage())[0];
                    int number = numbers.merge(to, 1, Integer::sum) - 1;
                    transfers.add(
                            new Transfer(rank, index, to, taskOf.get(consumer), number, to == rank ? -1 : sent++));
                }
            }
        }
        return transfers;
    }

    /** The action that consumes the output of this one; null if there is none. */
    private Work consumer(Work work) {
        return switch (work.kind()) {
            case FORWARD ->
                work.stage() + 1 < shape.stages() ? new Work(Kind.FORWARD, work.microbatch(), work.stage() + 1) : null;
            case BACKWARD_INPUT ->
                work.stage() > 0 ? new Work(Kind.BACKWARD_INPUT, work.microbatch(), work.stage() - 1) : null;
            case BACKWARD_WEIGHT -> null;
        };
    }

    private List<Task> tasksOf(
            int rank, List<Transfer> transfers, Map<RankPair, NavigableMap<Integer, Transfer>> byRanks) {
        List<Draft> own = drafts.get(rank);
        Task.Route[] inputs = new Task.Route[own.size()];
        Task.Route[] outputs = new Task.Route[own.size()];
        List<List<Integer>> released = new ArrayList<>();
        own.forEach(draft -> released.add(new ArrayList<>()));
        for (Transfer transfer : transfers) {
            if (transfer.to() == rank) {
                inputs[transfer.used()] = new Task.Route(transfer.from(), transfer.number());
            }
            if (transfer.from() == rank) {
                boolean isLocal = transfer.to() == rank;
                outputs[transfer.made()] = new Task.Route(transfer.to(), isLocal ? transfer.number() : transfer.sent());
                int proof = isLocal ? -1 : proofOfReceipt(transfer, byRanks);
                if (proof >= 0) {
                    released.get(proof).add(transfer.sent());
                }
            }
        }
        var tasks = new ArrayList<Task>();
        for (int index = 0; index < own.size(); index++) {
            Draft draft = own.get(index);
            tasks.add(new Task(
                    draft.action(), draft.fused(), inputs[index], outputs[index], List.copyOf(released.get(index))));
        }
        return List.copyOf(tasks);
    }

    /** The sender's first task whose input the receiver produced after it had received the transfer; -1 if there is none. */
    private static int proofOfReceipt(Transfer read, Map<RankPair, NavigableMap<Integer, Transfer>> byRanks) {
        return byRanks
                .getOrDefault(new RankPair(read.to(), read.from()), Collections.emptyNavigableMap())
                .tailMap(read.made(), false)
                .values()
                .stream()
                .filter(answer -> answer.made() >= read.used())
                .mapToInt(Transfer::used)
                .findFirst()
                .orElse(-1);
    }
}
