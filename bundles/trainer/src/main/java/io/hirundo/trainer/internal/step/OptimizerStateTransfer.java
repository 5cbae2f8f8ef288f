package io.hirundo.trainer.internal.step;

import io.hirundo.ConfigurationException;
import io.hirundo.optimizer.OptimizerRun;
import io.hirundo.tensor.Tensor;
import io.hirundo.trainer.internal.rank.Rank;
import io.hirundo.trainer.internal.rank.StringAllGather;
import io.hirundo.trainer.internal.step.OptimizerState.Key;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The next optimizer of a rank, and what it takes over from the current one. A tensor carries over if both optimizers have it for a
 * parameter, under one name. What only the next one has begins at zero, and what only the current one has is dropped. If a tensor that
 * {@linkplain io.hirundo.optimizer.StateSpec#countsSteps counts steps} would begin at zero on any rank, all state does: next to moments
 * of many steps, bias correction would scale the update wrongly.
 */
public final class OptimizerStateTransfer implements AutoCloseable {
  private static final String PREFIX = "optimizer state: ";

  private final OptimizerRun run;
  private final Set<Key> carried;
  private final Set<String> zero;
  private final Set<String> dropped;
  private final Set<String> restarting;

  private OptimizerStateTransfer(
      OptimizerRun run, Set<Key> carried, Set<String> zero, Set<String> dropped, Set<String> restarting) {
    this.run = run;
    this.carried = carried;
    this.zero = zero;
    this.dropped = dropped;
    this.restarting = restarting;
  }

  /**
   * Compares state tensors.
   *
   * @param counting those of the next optimizer that count steps
   * @param run the next optimizer, which the result owns
   * @throws ConfigurationException if a tensor of both has another shape or dtype
   */
  static OptimizerStateTransfer of(Map<Key, Tensor> present, Map<Key, Tensor> next, Set<Key> counting, OptimizerRun run) {
    Set<Key> carried = new LinkedHashSet<>();
    Set<String> zero = new TreeSet<>();
    Set<String> restarting = new TreeSet<>();
    next.forEach((key, tensor) -> {
      Tensor old = present.get(key);
      if (old == null) {
        (counting.contains(key) ? restarting : zero).add(key.name());
      } else {
        requireSameForm(key, old, tensor);
        carried.add(key);
      }
    });
    Set<String> dropped = new TreeSet<>();
    present.keySet().stream().filter(key -> !next.containsKey(key)).forEach(key -> dropped.add(key.name()));
    return new OptimizerStateTransfer(run, carried, zero, dropped, restarting);
  }

  private static void requireSameForm(Key key, Tensor old, Tensor tensor) {
    if (!old.shape().equals(tensor.shape()) || old.dtype() != tensor.dtype()) {
      throw new ConfigurationException(
          "optimizer: it keeps " + key.name() + " of " + key.parameter() + " as " + tensor.shape() + " " + tensor.dtype()
              + ", and the run has " + old.shape() + " " + old.dtype()
              + ": its state cannot carry over; begin a new run from the model with model.from");
    }
  }

  OptimizerRun run() {
    return run;
  }

  /** Tensors that both optimizers have. */
  Set<Key> carried() {
    return carried;
  }

  /**
   * What becomes of the state on all ranks.
   *
   * @param restarts whether all state begins at zero
   * @param text for the report of the change
   */
  record Outcome(boolean restarts, String text) {}

  /** Collective, because ranks may own parameters with different state. */
  Outcome outcome(Rank rank) {
    var names = new TreeSet<String>();
    carried.forEach(key -> names.add(key.name()));
    var all = List.of(new TreeSet<String>(), new TreeSet<String>(), new TreeSet<String>(), new TreeSet<String>());
    String own = String.join(";", words(names), words(zero), words(dropped), words(restarting));
    for (String line : StringAllGather.exchange(rank, own)) {
      String[] sets = line.split(";", -1);
      for (int set = 0; set < sets.length; set++) {
        all.get(set).addAll(List.of(sets[set].split(" ")));
      }
    }
    all.forEach(set -> set.remove(""));
    return new Outcome(!all.get(3).isEmpty(), text(all.get(0), all.get(1), all.get(2), all.get(3)));
  }

  private static String words(Set<String> names) {
    return String.join(" ", names);
  }

  private static String text(Set<String> carried, Set<String> zero, Set<String> dropped, Set<String> restarting) {
    var parts = new ArrayList<String>();
    if (restarting.isEmpty()) {
      add(parts, carried, " kept");
      addApart(parts, carried, zero, " from zero");
      addApart(parts, carried, dropped, " dropped");
    } else {
      parts.add(restart("the run", restarting));
      add(parts, dropped, " dropped");
    }
    return PREFIX + (parts.isEmpty() ? "none" : String.join("; ", parts));
  }

  /**
   * That all state begins at zero, for the report of a resume.
   *
   * @param where what lacks the names
   */
  public static String restarted(String where, Set<String> names) {
    return PREFIX + restart(where, names);
  }

  private static String restart(String where, Set<String> names) {
    return "all from zero, with steps counted from 1, because " + where + " has no " + String.join(", ", names);
  }

  /** Some of the names may carry over for other parameters. */
  private static void addApart(List<String> parts, Set<String> carried, Set<String> names, String what) {
    var ofOthers = new TreeSet<>(names);
    ofOthers.retainAll(carried);
    var others = new TreeSet<>(names);
    others.removeAll(carried);
    add(parts, ofOthers, " of other parameters" + what);
    add(parts, others, what);
  }

  private static void add(List<String> parts, Set<String> names, String what) {
    if (!names.isEmpty()) {
      parts.add(String.join(", ", names) + what);
    }
  }

  /** Frees the next optimizer, if it does not take over. */
  @Override
  public void close() {
    run.close();
  }
}
