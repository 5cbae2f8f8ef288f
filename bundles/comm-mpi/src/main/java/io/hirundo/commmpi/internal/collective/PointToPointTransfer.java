package io.hirundo.commmpi.internal.collective;

import io.hirundo.commmpi.internal.collective.Exchange.Message;
import io.hirundo.commmpi.internal.collective.MpiGroupState.Purpose;
import io.hirundo.lib.fabric.Call;
import io.hirundo.lib.fabric.Collective;
import io.hirundo.lib.fabric.End;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A message from one rank to another, sent or received here.
 *
 * @param peer the other rank, of the world
 */
public record PointToPointTransfer(
        Worker worker, Operation operation, MpiGroupState group, MessageHeader header, Call call, int peer) {
    /** Does everything. */
    public void run() {
        if (call.signature().kind() == Collective.SEND) {
            worker.perform(operation, call, this::announce, this::send);
        } else {
            worker.perform(operation, call, this::hear, this::receive);
        }
    }

    private boolean announce(Arena arena) {
        MemorySegment own = Worker.host(arena, MessageHeader.BYTES);
        header.write(own);
        return moved(Purpose.MESSAGE_HEADER, new Message(peer, own, true));
    }

    private boolean hear(Arena arena) {
        MemorySegment other = Worker.host(arena, MessageHeader.BYTES);
        return moved(Purpose.MESSAGE_HEADER, new Message(peer, other, false)) && isExpected(MessageHeader.read(other));
    }

    private boolean send(Arena arena) {
        return moved(Purpose.MESSAGE_DATA, new Message(peer, worker.download(arena, call.input()), true));
    }

    private boolean receive(Arena arena) {
        MemorySegment data = Worker.host(arena, call.output().byteSize());
        if (!moved(Purpose.MESSAGE_DATA, new Message(peer, data, false))) {
            return false;
        }
        worker.upload(data, call.output());
        return true;
    }

    private boolean isExpected(MessageHeader sent) {
        if (header.fits(sent)) {
            return true;
        }
        String title = operation.name().substring(call.signature().toString().length() + 2);
        worker.world()
                .end(new End(
                        "rank " + peer + " called " + sent.signature() + " as " + title + ", expected was what rank "
                                + worker.world().rank() + " called, " + header.signature()
                                + Disagreement.aboutGroups(header, sent),
                        null));
        return false;
    }

    private boolean moved(Purpose purpose, Message message) {
        return new Exchange(worker.world(), operation, group.tag(purpose)).run(List.of(message));
    }
}
