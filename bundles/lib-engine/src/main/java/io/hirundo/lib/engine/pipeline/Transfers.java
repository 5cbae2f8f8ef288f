package io.hirundo.lib.engine.pipeline;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.precision.PackedOperand;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The point-to-point transfers of one rank during one run through its tasks. All transfers have the same shape, [T, C]. */
final class Transfers {
    /** A transfer in progress, with the buffers that it needs until it has completed. */
    private record Moving(List<Tensor> tensors, List<Pending> pending) {
        void await(Queue queue) {
            pending.forEach(each -> queue.await(each.event()));
        }
    }

    private final RankPipeline.Place place;
    private final Device device;
    private final Queue queue;
    private final ProcessGroup pipeline;
    private final Shape shape;
    private final Map<Task.Route, Moving> received = new HashMap<>();
    private final Map<Integer, Integer> posted = new HashMap<>();
    private final Map<Integer, Moving> sent = new HashMap<>();
    private final Map<Integer, Tensor> handedOver = new HashMap<>();

    Transfers(RankPipeline.Place place, Shape shape) {
        this.place = place;
        this.device = place.device();
        this.queue = place.queue();
        this.pipeline = place.group();
        this.shape = shape;
    }

    /** Posts the receive of a task's input, and all receives from the same peer that come before it. */
    void post(Task task) {
        Task.Route route = task.input();
        if (route == null || isHere(route)) {
            return;
        }
        int next = posted.getOrDefault(route.peer(), 0);
        for (; next <= route.number(); next++) {
            List<Tensor> tensors = place.coding().isPresent() ? allocatePacked().tensors() : List.of(allocate());
            var pending = tensors.stream()
                    .map(tensor -> pipeline.receive(queue, tensor, route.peer()))
                    .toList();
            received.put(new Task.Route(route.peer(), next), new Moving(tensors, pending));
        }
        posted.put(route.peer(), next);
    }

    /** Waits for a task's input. The caller closes it. Null if the task has no input. */
    Tensor take(Task task) {
        if (task.input() == null) {
            return null;
        }
        if (isHere(task.input())) {
            return handedOver.remove(task.input().number());
        }
        Moving moving = received.remove(task.input());
        moving.await(queue);
        if (place.coding().isEmpty()) {
            return moving.tensors().getFirst();
        }
        Tensor values = allocate();
        try (var packed = new PackedOperand(moving.tensors())) {
            place.coding().get().unpack(queue, packed, values);
        }
        return values;
    }

    private Tensor allocate() {
        return device.allocate(MemoryCategory.ACTIVATIONS, shape, place.activationType());
    }

    private PackedOperand allocatePacked() {
        return place.coding().orElseThrow().allocate(shape.dim(0), shape.dim(1));
    }

    /** Sends a task's output and takes ownership of it. */
    void give(Task task, Tensor output) {
        if (isHere(task.output())) {
            handedOver.put(task.output().number(), output);
        } else {
            List<Tensor> tensors = place.coding().isPresent() ? packed(output) : List.of(output);
            var pending = tensors.stream()
                    .map(tensor -> pipeline.send(queue, tensor, task.output().peer()))
                    .toList();
            sent.put(task.output().number(), new Moving(tensors, pending));
        }
    }

    private List<Tensor> packed(Tensor output) {
        PackedOperand packed = allocatePacked();
        place.coding().orElseThrow().pack(queue, output, packed);
        output.close();
        return packed.tensors();
    }

    /** Frees the buffers of completed sends. */
    void release(List<Integer> numbers) {
        for (int number : numbers) {
            release(sent.remove(number));
        }
    }

    /** Waits until the peers have received the last sends, and frees their buffers. */
    void finish() {
        sent.keySet().stream().sorted().toList().forEach(number -> release(sent.remove(number)));
    }

    private void release(Moving moving) {
        moving.await(queue);
        moving.tensors().forEach(Tensor::close);
    }

    private boolean isHere(Task.Route route) {
        return route.peer() == pipeline.rank();
    }
}
