package io.hirundo.parallelpp.internal;

import io.hirundo.schedule.Action;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds a rank's action list. An action without a microbatch takes the next one: the first such action of a chunk gets 0, the
 * second 1.
 */
final class Actions {
    private final List<Action> actions = new ArrayList<>();
    private final int[][] counts;

    Actions(int chunks) {
        counts = new int[Action.Kind.values().length][chunks];
    }

    /** How many actions of a kind the list has so far. */
    int count(Action.Kind kind, int chunk) {
        return counts[kind.ordinal()][chunk];
    }

    void add(Action.Kind kind, int microbatch, int chunk) {
        actions.add(new Action(kind, microbatch, chunk));
        counts[kind.ordinal()][chunk]++;
    }

    void forward(int chunk) {
        add(Action.Kind.FORWARD, count(Action.Kind.FORWARD, chunk), chunk);
    }

    void backwardInput(int chunk) {
        add(Action.Kind.BACKWARD_INPUT, count(Action.Kind.BACKWARD_INPUT, chunk), chunk);
    }

    void backwardWeight(int chunk) {
        add(Action.Kind.BACKWARD_WEIGHT, count(Action.Kind.BACKWARD_WEIGHT, chunk), chunk);
    }

    /** Both backward halves of a microbatch in a row, which frees its activations early. */
    void backward(int microbatch, int chunk) {
        add(Action.Kind.BACKWARD_INPUT, microbatch, chunk);
        add(Action.Kind.BACKWARD_WEIGHT, microbatch, chunk);
    }

    /** Both backward halves of the next microbatch. */
    void backward(int chunk) {
        backwardInput(chunk);
        backwardWeight(chunk);
    }

    /** All actions. */
    List<Action> list() {
        return List.copyOf(actions);
    }
}
