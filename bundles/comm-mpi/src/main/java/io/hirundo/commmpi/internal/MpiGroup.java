package io.hirundo.commmpi.internal;

import io.hirundo.device.Device;
import io.hirundo.mesh.Pending;
import io.hirundo.mesh.support.Call;
import io.hirundo.mesh.support.Lane;
import io.hirundo.mesh.support.LaneGroup;
import io.hirundo.mesh.support.Signature;
import io.hirundo.tensor.Tensor;

/** A group of several ranks, as the one of this process sees it. */
final class MpiGroup extends LaneGroup {
  private final Hub hub;
  private final Circle circle;
  private final Device device;

  MpiGroup(Hub hub, Circle circle, Device device) {
    super(hub, circle.name(), hub.rank(), device);
    this.hub = hub;
    this.circle = circle;
    this.device = device;
  }

  /** Each rank sums its slice, of what the others send it. */
  @Override
  public long chunkElements(Signature signature) {
    return switch (signature.kind()) {
      case ALL_REDUCE, REDUCE_SCATTER -> Math.ceilDiv(signature.elements(), (long) size());
      default -> -1;
    };
  }

  @Override
  public Pending begin(long number, Call call, Tensor chunk, Lane lane) {
    var operation = new Operation(hub, call.signature() + ", " + circle.name().collective(number));
    var header = new Header(circle.identity(), number, call.signature());
    lane.add(queue -> new Movement(new Worker(hub, device, queue), operation, circle, header, call, chunk).run());
    return operation;
  }

  @Override
  public Pending pass(int from, int to, long number, Call call, Lane lane) {
    var operation = new Operation(hub, call.signature() + ", " + circle.name().message(from, to, number));
    var header = new Header(circle.identity(), number, call.signature());
    int peer = ranks().get(from == rank() ? to : from);
    lane.add(queue -> new Passage(new Worker(hub, device, queue), operation, circle, header, call, peer).run());
    return operation;
  }
}
