package io.hirundo.commmpi.internal;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.mesh.Reduction;
import io.hirundo.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A group of several ranks, as the one of this process sees it. */
final class MpiGroup implements ProcessGroup, AutoCloseable {
  private record Direction(int from, int to) {}

  private final Hub hub;
  private final Circle circle;
  private final Device device;
  private final int place;
  private final Lane collectives;
  private final Map<Direction, Lane> lanes = new HashMap<>();
  private final Map<Direction, Long> messages = new HashMap<>();
  private final Scratch scratch;
  private long number;

  MpiGroup(Hub hub, Circle circle, Device device) {
    this.hub = hub;
    this.circle = circle;
    this.device = device;
    this.place = circle.ranks().indexOf(hub.rank());
    this.collectives = new Lane(hub, device, circle.title());
    this.scratch = new Scratch(device);
  }

  @Override
  public int rank() {
    return place;
  }

  @Override
  public List<Integer> ranks() {
    return circle.ranks();
  }

  @Override
  public Pending allReduce(Queue after, Tensor inPlace, Reduction reduction) {
    var signature = new Signature(Kind.ALL_REDUCE, reduction, 0, inPlace.dtype(), inPlace.elements());
    Arguments.requireFloating(signature);
    return summed(new Call(signature, inPlace, inPlace, after.record()), Math.ceilDiv(inPlace.elements(), (long) size()));
  }

  @Override
  public Pending allGather(Queue after, Tensor shard, Tensor whole) {
    Arguments.requireParts(Kind.ALL_GATHER, shard, whole, size());
    return begin(new Call(Signature.of(Kind.ALL_GATHER, whole), shard, whole, after.record()), null);
  }

  @Override
  public Pending reduceScatter(Queue after, Tensor whole, Tensor shard) {
    Arguments.requireParts(Kind.REDUCE_SCATTER, shard, whole, size());
    Signature signature = Signature.of(Kind.REDUCE_SCATTER, whole);
    Arguments.requireFloating(signature);
    return summed(new Call(signature, whole, shard, after.record()), shard.elements());
  }

  @Override
  public Pending broadcast(Queue after, Tensor inPlace, int root) {
    Arguments.requirePlace("root", root, size());
    var signature = new Signature(Kind.BROADCAST, null, root, inPlace.dtype(), inPlace.elements());
    return begin(new Call(signature, inPlace, inPlace, after.record()), null);
  }

  @Override
  public Pending allToAll(Queue after, Tensor from, Tensor to) {
    Arguments.requireExchange(from, to, size());
    return begin(new Call(Signature.of(Kind.ALL_TO_ALL, from), from, to, after.record()), null);
  }

  @Override
  public Pending send(Queue after, Tensor tensor, int peer) {
    Arguments.requirePeer(peer, place, size());
    return pass(new Direction(place, peer), new Call(Signature.of(Kind.SEND, tensor), tensor, null, after.record()));
  }

  @Override
  public Pending receive(Queue after, Tensor tensor, int peer) {
    Arguments.requirePeer(peer, place, size());
    return pass(new Direction(peer, place), new Call(Signature.of(Kind.RECEIVE, tensor), null, tensor, after.record()));
  }

  @Override
  public void barrier() {
    begin(new Call(Signature.BARRIER, null, null, Event.PAST), null).await();
  }

  /** Memory is taken here, in the rank's thread: what is live follows from the program's order alone. */
  private Pending summed(Call call, long partElements) {
    hub.requireAlive(call.signature() + ", " + circle.collectiveTitle(number));
    return begin(call, scratch.chunk(call.signature().dtype(), partElements));
  }

  private Pending begin(Call call, Tensor chunk) {
    hub.lock.lock();
    try {
      String name = call.signature() + ", " + circle.collectiveTitle(number);
      hub.requireAlive(name);
      var header = new Header(circle.identity(), number++, call.signature());
      var operation = new Operation(hub, name);
      collectives.add(queue -> new Movement(new Worker(hub, device, queue), operation, circle, header, call, chunk).run());
      return operation;
    } finally {
      hub.lock.unlock();
    }
  }

  private Pending pass(Direction direction, Call call) {
    hub.lock.lock();
    try {
      long next = messages.getOrDefault(direction, 0L);
      String name = call.signature() + ", " + circle.passageTitle(direction.from(), direction.to(), next);
      hub.requireAlive(name);
      messages.put(direction, next + 1);
      var header = new Header(circle.identity(), next, call.signature());
      var operation = new Operation(hub, name);
      int peer = ranks().get(direction.from() == place ? direction.to() : direction.from());
      lanes
          .computeIfAbsent(direction, key -> new Lane(hub, device, purpose(key)))
          .add(queue -> new Passage(new Worker(hub, device, queue), operation, circle, header, call, peer).run());
      return operation;
    } finally {
      hub.lock.unlock();
    }
  }

  private String purpose(Direction direction) {
    return circle.title() + " from " + ranks().get(direction.from()) + " to " + ranks().get(direction.to());
  }

  /** Ends the threads and gives temporary memory back, once nothing is under way. */
  @Override
  public void close() {
    var all = new ArrayList<>(lanes.values());
    all.add(collectives);
    all.forEach(Lane::close);
    scratch.close();
  }
}
