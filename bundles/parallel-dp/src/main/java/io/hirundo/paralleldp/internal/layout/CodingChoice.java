package io.hirundo.paralleldp.internal.layout;

import io.hirundo.device.Device;
import io.hirundo.mesh.ProcessGroup;
import io.hirundo.precision.WeightCoding;
import java.util.Map;

/**
 * The codings in use, and those that are wanted from the next use of the weights on: when they are wanted, other ranks may still
 * be somewhere else.
 */
public final class CodingChoice implements AutoCloseable {
  private final Device device;
  private final ProcessGroup group;
  private Codings present;
  private Map<String, WeightCoding> wanted = Map.of();
  private boolean allowed;
  private boolean isNew;

  /** {@code allowed}: whether any are to be used at all; a single rank sends nothing. */
  public CodingChoice(Device device, ProcessGroup group, boolean allowed) {
    this.device = device;
    this.group = group;
    this.present = new Codings(device, group, Map.of());
    allow(allowed);
  }

  public void allow(boolean allow) {
    allowed = allow && group.size() > 1;
    requireRenewal();
  }

  public void want(Map<String, WeightCoding> codings) {
    wanted = Map.copyOf(codings);
    present.release();
    requireRenewal();
  }

  /** Codings of the same weights may be those of other layers. */
  private void requireRenewal() {
    isNew = !next().isEmpty() || !present.isEmpty();
  }

  /** Whether {@link #renew} has something to do. */
  public boolean isNew() {
    return isNew;
  }

  /** Replaces the present codings by the wanted ones. */
  public Codings renew() {
    isNew = false;
    present.close();
    present = new Codings(device, group, next());
    return present;
  }

  public Codings present() {
    return present;
  }

  private Map<String, WeightCoding> next() {
    return allowed ? wanted : Map.of();
  }

  @Override
  public void close() {
    present.close();
  }
}
