package io.hirundo.schedule;

import java.util.ArrayList;
import java.util.List;

/** An action identified by stage, so that actions of different ranks can depend on each other. */
record Work(Action.Kind kind, int microbatch, int stage) {
    /** Its dependencies. */
    List<Work> needs(int stages) {
        var needs = new ArrayList<Work>(2);
        switch (kind) {
            case FORWARD -> {
                if (stage > 0) {
                    needs.add(new Work(Action.Kind.FORWARD, microbatch, stage - 1));
                }
            }
            case BACKWARD_INPUT -> {
                needs.add(new Work(Action.Kind.FORWARD, microbatch, stage));
                if (stage + 1 < stages) {
                    needs.add(new Work(Action.Kind.BACKWARD_INPUT, microbatch, stage + 1));
                }
            }
            case BACKWARD_WEIGHT -> needs.add(new Work(Action.Kind.BACKWARD_INPUT, microbatch, stage));
        }
        return needs;
    }
}
