package io.hirundo.checkpointtorch.internal.pickle;

import java.util.ArrayList;
import java.util.List;

/** What the operations of a pickle work on: values and marks between them. Whatever is not there is refused. */
final class PickleStack {
  private final PickleInput input;
  private final List<Object> values = new ArrayList<>();
  private final List<Integer> marks = new ArrayList<>();

  PickleStack(PickleInput input) {
    this.input = input;
  }

  void push(Object value) {
    values.add(value);
  }

  void mark() {
    marks.add(values.size());
  }

  Object top() {
    requireAboveMark(1);
    return values.getLast();
  }

  /** The one value at the end. */
  Object last() {
    if (values.size() != 1 || !marks.isEmpty()) {
      throw input.wrong("ends with " + values.size() + " values and " + marks.size() + " marks, where one value should be");
    }
    return values.getFirst();
  }

  /** So many values in the order in which they were pushed. */
  List<Object> pop(int count) {
    requireAboveMark(count);
    return cut(values.size() - count);
  }

  /** All values above the last mark, which goes too. */
  List<Object> popToMark() {
    if (marks.isEmpty()) {
      throw input.wrong("takes values down to a mark that is not there");
    }
    return cut(marks.removeLast());
  }

  /** The last value or, where it is none, the mark. */
  void popAnything() {
    if (!marks.isEmpty() && marks.getLast() == values.size()) {
      marks.removeLast();
    } else {
      pop(1);
    }
  }

  private List<Object> cut(int from) {
    List<Object> tail = values.subList(from, values.size());
    List<Object> taken = new ArrayList<>(tail);
    tail.clear();
    return taken;
  }

  private void requireAboveMark(int count) {
    int lowest = marks.isEmpty() ? 0 : marks.getLast();
    if (values.size() - lowest < count) {
      throw input.wrong("takes a value that is not there");
    }
  }
}
