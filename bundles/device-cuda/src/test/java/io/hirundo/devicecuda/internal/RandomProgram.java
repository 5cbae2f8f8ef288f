package io.hirundo.devicecuda.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Work that is drawn: what a queue does with tensors. Any order of deeds can be done, for each chooses, by its numbers, among the
 * tensors that are there then.
 */
final class RandomProgram {
  enum Kind {
    TAKE(8),
    CLOSE(7),
    FILL(8),
    COPY(8),
    ADD(14),
    SCALE(6),
    /** With a value that is another each time. */
    FILL_ANEW(0),
    /** Of values that are others each time. */
    UPLOAD(0),
    DOWNLOAD(0),
    RECORD(0),
    DRAIN(0),
    /** Another thread's queue adds the tensor to a sum of its own, as late as it likes. */
    LEND(0),
    /** Another thread takes a tensor and fills it; it is added to the tensor, and closed. */
    BORROW(0),
    CLOSE_ELSEWHERE(0);

    /** Among the first kinds, which are kernels and their memory. */
    private final int weight;

    Kind(int weight) {
      this.weight = weight;
    }
  }

  /**
   * What is done once. What disturbs is done each time, or by chance: the device learns of the one, and is surprised by the other.
   *
   * @param tensor which of those that are there
   * @param other which of those that fit to it, for what takes two
   * @param number a value, or a size
   */
  record Deed(Kind kind, int tensor, int other, int number) {
    boolean isLeftOut(Random chance) {
      return kind.ordinal() >= Kind.FILL_ANEW.ordinal() && number % 2 == 1 && chance.nextInt(6) != 0;
    }
  }

  private static final int MOST_TENSORS = 12;
  private static final int DEEDS = 60;
  private static final int MOST_NUMBER = 30;

  private final Random random;
  /** Of a thousand deeds, those with which the host waits, or others come in. */
  private final int disturbances;

  private final List<Deed> deeds = new ArrayList<>();

  RandomProgram(Random random, int disturbances) {
    this.random = random;
    this.disturbances = disturbances;
    for (int i = 0; i < DEEDS; i++) {
      deeds.add(draw());
    }
  }

  private RandomProgram(RandomProgram like) {
    random = like.random;
    disturbances = like.disturbances;
    deeds.addAll(like.deeds);
  }

  /** Another that does something else somewhere. */
  RandomProgram changed() {
    var changed = new RandomProgram(this);
    changed.change();
    return changed;
  }

  List<Deed> deeds() {
    return deeds;
  }

  private Deed draw() {
    return new Deed(drawKind(), random.nextInt(MOST_TENSORS), random.nextInt(MOST_TENSORS), random.nextInt(MOST_NUMBER));
  }

  private Kind drawKind() {
    if (random.nextInt(1000) < disturbances) {
      return Kind.values()[Kind.FILL_ANEW.ordinal() + random.nextInt(Kind.values().length - Kind.FILL_ANEW.ordinal())];
    }
    int draw = random.nextInt(51);
    for (Kind kind : Kind.values()) {
      draw -= kind.weight;
      if (draw < 0) {
        return kind;
      }
    }
    throw new AssertionError();
  }

  /** Does something else somewhere. */
  void change() {
    int at = random.nextInt(deeds.size());
    switch (random.nextInt(4)) {
      case 0 -> deeds.remove(at);
      case 1 -> deeds.add(at, draw());
      case 2 -> deeds.set(at, draw());
      default -> {
        Deed deed = deeds.get(at);
        deeds.set(at, new Deed(deed.kind, deed.tensor, deed.other, deed.number + 1));
      }
    }
  }
}
