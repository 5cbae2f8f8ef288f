package io.hirundo.schedule;

import java.util.Arrays;
import java.util.List;

/** A schedule written in a test: one line per rank, action labels separated by spaces. */
record Written(int chunks, boolean fusesBackward, List<String> lines) implements PipelineSchedule {
    static Written of(String... lines) {
        return new Written(1, true, List.of(lines));
    }

    /** V-shaped placement: two chunks, down the ranks and back up. */
    static Written v(String... lines) {
        return new Written(2, true, List.of(lines));
    }

    Written unfused() {
        return new Written(chunks, false, lines);
    }

    PipelinePlan plan(int ranks, int microbatches) {
        return PipelinePlan.of(this, ranks, microbatches);
    }

    @Override
    public int stage(PipelineShape shape, int rank, int chunk) {
        return chunk == 0 ? rank : 2 * shape.ranks() - 1 - rank;
    }

    @Override
    public List<List<Action>> plan(PipelineShape shape) {
        return lines.stream()
                .map(line -> Arrays.stream(line.split(" ")).map(Written::action).toList())
                .toList();
    }

    private static Action action(String label) {
        String[] numbers = label.substring(1).split("\\.");
        for (Action.Kind kind : Action.Kind.values()) {
            if (kind.letter() == label.charAt(0)) {
                return new Action(
                        kind, Integer.parseInt(numbers[0]), numbers.length == 1 ? 0 : Integer.parseInt(numbers[1]));
            }
        }
        throw new IllegalArgumentException(label);
    }
}
