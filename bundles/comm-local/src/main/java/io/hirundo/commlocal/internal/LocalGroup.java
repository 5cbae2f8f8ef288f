package io.hirundo.commlocal.internal;

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

/** A group of several ranks, as one of them sees it. */
final class LocalGroup implements ProcessGroup, AutoCloseable {
  private record Direction(int from, int to) {}

  private final Hub hub;
  private final Circle circle;
  private final int worldRank;
  private final Device device;
  private final int place;
  private final Lane collectives;
  private final Map<Direction, Lane> lanes = new HashMap<>();
  private final Map<Direction, Long> messages = new HashMap<>();
  private final Scratch scratch;
  private long number;

  LocalGroup(Hub hub, Circle circle, int worldRank, Device device) {
    this.hub = hub;
    this.circle = circle;
    this.worldRank = worldRank;
    this.device = device;
    this.place = circle.ranks().indexOf(worldRank);
    this.collectives = new Lane(hub, worldRank, device, circle.title());
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
    return begin(new Call(signature, inPlace, inPlace, after.record()), null);
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
    hub.requireAlive(worldRank, signature + ", " + circle.collectiveTitle(number));
    Tensor chunk = size() > 2 ? scratch.chunk(shard.dtype(), shard.elements()) : null;
    return begin(new Call(signature, whole, shard, after.record()), chunk);
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
    var call = new Call(Signature.of(Kind.SEND, tensor), tensor, null, after.record());
    return pass(new Direction(place, peer), 0, call);
  }

  @Override
  public Pending receive(Queue after, Tensor tensor, int peer) {
    Arguments.requirePeer(peer, place, size());
    var call = new Call(Signature.of(Kind.RECEIVE, tensor), null, tensor, after.record());
    return pass(new Direction(peer, place), 1, call);
  }

  @Override
  public void barrier() {
    begin(new Call(Signature.BARRIER, null, null, Event.PAST), null).await();
  }

  private Pending begin(Call call, Tensor chunk) {
    hub.lock.lock();
    try {
      hub.requireAlive(worldRank, call.signature() + ", " + circle.collectiveTitle(number));
      Meeting meeting = circle.collective(number++);
      return announce(meeting, place, call, collectives, chunk);
    } finally {
      hub.lock.unlock();
    }
  }

  private Pending pass(Direction direction, int role, Call call) {
    hub.lock.lock();
    try {
      long next = messages.getOrDefault(direction, 0L);
      String title = circle.passageTitle(direction.from(), direction.to(), next);
      hub.requireAlive(worldRank, call.signature() + ", " + title);
      messages.put(direction, next + 1);
      Lane lane = lanes.computeIfAbsent(direction, key -> new Lane(hub, worldRank, device, purpose(key)));
      return announce(circle.passage(direction.from(), direction.to(), next), role, call, lane, null);
    } finally {
      hub.lock.unlock();
    }
  }

  private String purpose(Direction direction) {
    return circle.title() + " from " + ranks().get(direction.from()) + " to " + ranks().get(direction.to());
  }

  private Pending announce(Meeting meeting, int role, Call call, Lane lane, Tensor chunk) {
    meeting.announce(role, call);
    lane.add(queue -> new Movement(device.kernels().elementwise(), queue, meeting, role, chunk).run());
    return new LocalPending(meeting, role);
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
