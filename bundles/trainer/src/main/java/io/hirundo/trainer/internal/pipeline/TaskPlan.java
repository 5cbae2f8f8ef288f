package io.hirundo.trainer.internal.pipeline;

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
 * Turns a schedule into every rank's tasks. Pure, so that each rank knows what the others send, in which order: receives are
 * posted in the order of the sender, and what was sent is given back when a later message of the peer proves that it was
 * read, which needs no waiting and happens at the same point of the program in every run.
 */
final class TaskPlan {
  /** An action on a microbatch in a stage of the model. */
  private record Work(Kind kind, int microbatch, int stage) {}

  /**
   * Something that is made on one rank and needed on another.
   *
   * @param from rank that sends
   * @param made index of the task that makes it, there
   * @param to rank that receives
   * @param used index of the task that needs it, there
   * @param number among the messages between the two ranks, in the order of the sender
   * @param sent among all messages that the sender sends
   */
  private record Message(int from, int made, int to, int used, int number, int sent) {}

  /** Who sends, and who receives. */
  private record Peers(int from, int to) {}

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

  /** Tasks of every rank for one step of training, from a schedule that was checked. */
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

  /** Tasks of every rank for the forward of one microbatch. */
  static List<List<Task>> forward(PipelineSchedule schedule, int ranks) {
    var shape = new PipelineShape(ranks, schedule.chunks(), 1);
    var plan = new TaskPlan(schedule, shape);
    for (int rank = 0; rank < ranks; rank++) {
      int here = rank;
      plan.add(
          IntStream.range(0, shape.chunks())
              .boxed()
              .sorted(Comparator.comparing(chunk -> schedule.stage(shape, here, chunk)))
              .map(chunk -> new Draft(new Action(Kind.FORWARD, 0, chunk), false))
              .toList());
    }
    return plan.tasks();
  }

  /** The next rank's. */
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
    List<Message> messages = messages();
    // By the task that needs it: to look through all messages for each of them would take hours for long schedules.
    Map<Peers, NavigableMap<Integer, Message>> byPeers = new HashMap<>();
    for (Message message : messages) {
      byPeers.computeIfAbsent(new Peers(message.from(), message.to()), peers -> new TreeMap<>()).put(message.used(), message);
    }
    var tasks = new ArrayList<List<Task>>();
    for (int rank = 0; rank < shape.ranks(); rank++) {
      tasks.add(tasksOf(rank, messages, byPeers));
    }
    return tasks;
  }

  private List<Message> messages() {
    var messages = new ArrayList<Message>();
    for (int rank = 0; rank < shape.ranks(); rank++) {
      int sent = 0;
      Map<Integer, Integer> numbers = new HashMap<>();
      for (int index = 0; index < drafts.get(rank).size(); index++) {
        Work reader = reader(work(rank, drafts.get(rank).get(index).action()));
        if (reader != null) {
          int to = rankAndChunk.get(reader.stage())[0];
          int number = numbers.merge(to, 1, Integer::sum) - 1;
          messages.add(new Message(rank, index, to, taskOf.get(reader), number, to == rank ? -1 : sent++));
        }
      }
    }
    return messages;
  }

  /** Who needs what this makes; null for nobody. */
  private Work reader(Work work) {
    return switch (work.kind()) {
      case FORWARD -> work.stage() + 1 < shape.stages() ? new Work(Kind.FORWARD, work.microbatch(), work.stage() + 1) : null;
      case BACKWARD_INPUT -> work.stage() > 0 ? new Work(Kind.BACKWARD_INPUT, work.microbatch(), work.stage() - 1) : null;
      case BACKWARD_WEIGHT -> null;
    };
  }

  private List<Task> tasksOf(int rank, List<Message> messages, Map<Peers, NavigableMap<Integer, Message>> byPeers) {
    List<Draft> own = drafts.get(rank);
    Task.Route[] inputs = new Task.Route[own.size()];
    Task.Route[] outputs = new Task.Route[own.size()];
    List<List<Integer>> released = new ArrayList<>();
    own.forEach(draft -> released.add(new ArrayList<>()));
    for (Message message : messages) {
      if (message.to() == rank) {
        inputs[message.used()] = new Task.Route(message.from(), message.number());
      }
      if (message.from() == rank) {
        boolean handover = message.to() == rank;
        outputs[message.made()] = new Task.Route(message.to(), handover ? message.number() : message.sent());
        int proof = handover ? -1 : proofOfReading(message, byPeers);
        if (proof >= 0) {
          released.get(proof).add(message.sent());
        }
      }
    }
    var tasks = new ArrayList<Task>();
    for (int index = 0; index < own.size(); index++) {
      Draft draft = own.get(index);
      tasks.add(new Task(draft.action(), draft.fused(), inputs[index], outputs[index], List.copyOf(released.get(index))));
    }
    return List.copyOf(tasks);
  }

  /** The sender's first task whose input the reader made after it had read the message; -1 for none. */
  private static int proofOfReading(Message read, Map<Peers, NavigableMap<Integer, Message>> byPeers) {
    return byPeers.getOrDefault(new Peers(read.to(), read.from()), Collections.emptyNavigableMap())
        .tailMap(read.made(), false)
        .values()
        .stream()
        .filter(answer -> answer.made() >= read.used())
        .mapToInt(Message::used)
        .findFirst()
        .orElse(-1);
  }
}
