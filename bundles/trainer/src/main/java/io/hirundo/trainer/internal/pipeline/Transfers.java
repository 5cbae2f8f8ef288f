package io.hirundo.trainer.internal.pipeline;

import io.hirundo.device.Device;
import io.hirundo.device.MemoryCategory;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.tensor.DType;
import io.hirundo.tensor.Shape;
import io.hirundo.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A rank's messages of one run through its tasks. All carry the same number of elements. */
final class Transfers {
  /** A message under way, with the memory that it needs until it has ended. */
  private record Moving(Tensor tensor, Pending pending) {}

  private final Device device;
  private final Queue queue;
  private final ProcessGroup pipeline;
  private final Shape shape;
  private final DType dtype;
  private final Map<Task.Route, Moving> received = new HashMap<>();
  private final Map<Integer, Integer> posted = new HashMap<>();
  private final Map<Integer, Moving> sent = new HashMap<>();
  private final Map<Integer, Tensor> handedOver = new HashMap<>();

  Transfers(Device device, Queue queue, ProcessGroup pipeline, Shape shape, DType dtype) {
    this.device = device;
    this.queue = queue;
    this.pipeline = pipeline;
    this.shape = shape;
    this.dtype = dtype;
  }

  /** Asks for a task's input, and for what the same peer sends before it. */
  void post(Task task) {
    Task.Route route = task.input();
    if (route == null || isHere(route)) {
      return;
    }
    int next = posted.getOrDefault(route.peer(), 0);
    for (; next <= route.number(); next++) {
      Tensor tensor = device.allocate(MemoryCategory.ACTIVATIONS, shape, dtype);
      Pending pending = pipeline.receive(queue, tensor, route.peer());
      received.put(new Task.Route(route.peer(), next), new Moving(tensor, pending));
    }
    posted.put(route.peer(), next);
  }

  /** A task's input, the caller's to close; null where it has none. */
  Tensor take(Task task) {
    if (task.input() == null) {
      return null;
    }
    if (isHere(task.input())) {
      return handedOver.remove(task.input().number());
    }
    Moving moving = received.remove(task.input());
    queue.await(moving.pending().event());
    return moving.tensor();
  }

  /** Hands a task's output on; takes it over. */
  void give(Task task, Tensor output) {
    if (isHere(task.output())) {
      handedOver.put(task.output().number(), output);
    } else {
      sent.put(task.output().number(), new Moving(output, pipeline.send(queue, output, task.output().peer())));
    }
  }

  /** Gives back the memory of messages that were read. */
  void release(List<Integer> numbers) {
    for (int number : numbers) {
      release(sent.remove(number));
    }
  }

  /** Waits until the last messages were read. */
  void finish() {
    sent.keySet().stream().sorted().toList().forEach(number -> release(sent.remove(number)));
  }

  private void release(Moving moving) {
    queue.await(moving.pending().event());
    moving.tensor().close();
  }

  private boolean isHere(Task.Route route) {
    return route.peer() == pipeline.rank();
  }
}
