package io.hirundo.trainer.internal.checkpoint;

import io.hirundo.CheckpointException;
import io.hirundo.checkpoint.CheckpointInfo;
import io.hirundo.checkpoint.CheckpointSession;
import io.hirundo.checkpoint.StateShard;
import io.hirundo.trainer.internal.model.RankGemmState;
import io.hirundo.trainer.internal.session.LocalRun;
import io.hirundo.trainer.internal.session.RankRun;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Which tensors a run and a checkpoint do not have in common. A rank knows only those of the run that it has a part of: all tell each
 * other, one bit for each tensor of the checkpoint.
 *
 * @param problem why the checkpoint cannot be loaded; empty otherwise
 * @param missing what the run has and the checkpoint lacks, in order
 * @param unexpected what only the checkpoint has, in order
 * @param forgotten of {@link RankGemmState}, which a run can begin without, what the checkpoint lacks, in order
 * @param memories kinds of it that the checkpoint has, as far as it can tell
 */
record TensorComparison(
    String problem, List<String> missing, List<String> unexpected, List<String> forgotten, SortedSet<String> memories) {
  TensorComparison {
    missing = List.copyOf(missing);
    unexpected = List.copyOf(unexpected);
    forgotten = List.copyOf(forgotten);
    memories = Collections.unmodifiableSortedSet(new TreeSet<>(memories));
  }

  /** Of a checkpoint that was not compared, for a reason or before it is. */
  static TensorComparison none(String problem) {
    return new TensorComparison(problem, List.of(), List.of(), List.of(), new TreeSet<>());
  }

  /**
   * What one rank sees.
   *
   * @param keys in the checkpoint, in an order that all ranks find
   * @param own of the run, as far as this rank has them
   */
  private record Sight(String problem, List<String> keys, Set<String> own) {
    static Sight of(CheckpointSession session, CheckpointInfo checkpoint, List<StateShard> shards) {
      Set<String> own = shards.stream().map(StateShard::key).collect(Collectors.toSet());
      try {
        return session
            .keys(checkpoint)
            .map(keys -> new Sight("", List.copyOf(new TreeSet<>(keys)), own))
            // Who cannot tell finds out when it loads; what need not be there is not looked for.
            .orElseGet(() -> new Sight("", List.of(), own.stream().filter(RankGemmState::isKey).collect(Collectors.toSet())));
      } catch (CheckpointException damage) {
        return new Sight(damage.getMessage().replaceAll("\\s+", " "), List.of(), Set.of());
      }
    }

    /** Of {@link #keys}. */
    BitSet present() {
      var bits = new BitSet();
      for (int index = 0; index < keys.size(); index++) {
        bits.set(index, own.contains(keys.get(index)));
      }
      return bits;
    }
  }

  /** All processes must ask. */
  static TensorComparison of(LocalRun run, CheckpointInfo checkpoint, Function<RankRun, CheckpointSession> sessions) {
    List<Sight> sights = run.onEachRank(part -> Sight.of(sessions.apply(part), checkpoint, part.stateShards()));
    String problem = sights.stream().map(Sight::problem).filter(text -> !text.isEmpty()).findFirst().orElse("");
    var present = new BitSet();
    var missing = new TreeSet<String>();
    for (Sight sight : sights) {
      present.or(sight.present());
      sight.own().stream().filter(key -> Collections.binarySearch(sight.keys(), key) < 0).forEach(missing::add);
    }
    for (String told : run.exchange(text(problem, present, missing))) {
      List<String> lines = told.lines().toList();
      problem = problem.isEmpty() ? lines.get(0) : problem;
      present.or(BitSet.valueOf(HexFormat.of().parseHex(lines.get(1))));
      missing.addAll(lines.subList(2, lines.size()));
    }
    var forgotten = missing.stream().filter(RankGemmState::isKey).toList();
    var unexpected = others(sights.getFirst().keys(), present).stream().filter(key -> !RankGemmState.isKey(key)).toList();
    missing.removeIf(RankGemmState::isKey);
    return new TensorComparison(problem, List.copyOf(missing), unexpected, forgotten, RankGemmState.namesIn(sights.getFirst().keys()));
  }

  /** Why something is {@link #forgotten}. */
  String whyForgotten() {
    SortedSet<String> wanted = RankGemmState.namesIn(forgotten);
    if (memories.isEmpty()) {
      return "no memory is found in it";
    }
    return memories.containsAll(wanted)
        ? "it has " + String.join(", ", wanted) + " of other layers only"
        : "it has " + String.join(", ", memories) + ", and the options of the run's precision ask for " + String.join(", ", wanted);
  }

  private static String text(String problem, BitSet present, Set<String> missing) {
    var lines = new ArrayList<>(List.of(problem, HexFormat.of().formatHex(present.toByteArray())));
    lines.addAll(missing);
    return String.join("\n", lines) + "\n";
  }

  private static List<String> others(List<String> keys, BitSet present) {
    var others = new ArrayList<String>();
    for (int index = present.nextClearBit(0); index < keys.size(); index = present.nextClearBit(index + 1)) {
      others.add(keys.get(index));
    }
    return others;
  }
}
