package io.hirundo.trainer.internal.loop;

import java.util.ArrayList;
import java.util.List;

/**
 * What a process tells the others between two steps: a line of flags, then the request.
 *
 * @param stop the user interrupted the process
 * @param offers its bundles offer other strategies than before
 * @param unsaved a save failed
 * @param audit the audit has findings
 * @param request a {@link io.hirundo.trainer.internal.steer.ChangeRequest} as text; empty if there is none
 */
record BoundaryState(boolean stop, boolean offers, boolean unsaved, boolean audit, String request) {
    String text() {
        var flags = new ArrayList<String>();
        if (stop) {
            flags.add("stop");
        }
        if (offers) {
            flags.add("offers");
        }
        if (unsaved) {
            flags.add("unsaved");
        }
        if (audit) {
            flags.add("audit");
        }
        return String.join(" ", flags) + "\n" + request;
    }

    private static BoundaryState parse(String text) {
        int end = text.indexOf('\n');
        List<String> flags = List.of(text.substring(0, end).split(" "));
        return new BoundaryState(
                flags.contains("stop"),
                flags.contains("offers"),
                flags.contains("unsaved"),
                flags.contains("audit"),
                text.substring(end + 1));
    }

    /** The flags that any process has set, and the first request. */
    static BoundaryState anyOf(List<String> texts) {
        List<BoundaryState> all = texts.stream().map(BoundaryState::parse).toList();
        return new BoundaryState(
                all.stream().anyMatch(BoundaryState::stop),
                all.stream().anyMatch(BoundaryState::offers),
                all.stream().anyMatch(BoundaryState::unsaved),
                all.stream().anyMatch(BoundaryState::audit),
                all.stream()
                        .map(BoundaryState::request)
                        .filter(text -> !text.isEmpty())
                        .findFirst()
                        .orElse(""));
    }
}
