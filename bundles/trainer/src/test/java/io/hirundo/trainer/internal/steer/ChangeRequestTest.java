package io.hirundo.trainer.internal.steer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeRequestTest {
    @Test
    void parsesTheTextOfEveryRequest() {
        for (ChangeRequest request : List.of(
                new ChangeRequest.Change(List.of("a=1", "", "b={c: d}")),
                new ChangeRequest.Change(List.of()),
                ChangeRequest.Order.SAVE,
                ChangeRequest.Order.STOP)) {
            assertEquals(request, ChangeRequest.parse(request.line()));
        }
    }

    @Test
    void replacesLineBreaksInAssignments() {
        assertEquals(List.of("a=1 b=2 c"), new ChangeRequest.Change(List.of("a=1\rb=2\r\nc")).assignments());
    }
}
