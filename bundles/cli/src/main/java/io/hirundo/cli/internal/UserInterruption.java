package io.hirundo.cli.internal;

import io.hirundo.command.Interruption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.osgi.service.component.annotations.Component;

/** Forwards the user's request to stop (Ctrl-C, SIGTERM) from the launcher to all listeners. */
@Component(
        // Immediate: the request must survive while no component holds the service.
        immediate = true,
        service = {Interruption.class, Runnable.class},
        property = "hirundo.interrupt:Boolean=true")
public final class UserInterruption implements Interruption, Runnable {
    private final Set<Request> requests = new LinkedHashSet<>();
    private boolean requested;

    /** Called by the launcher on Ctrl-C and SIGTERM. */
    @Override
    public void run() {
        List<Request> waiting;
        synchronized (requests) {
            requested = true;
            waiting = new ArrayList<>(requests);
        }
        waiting.forEach(request -> request.action.run());
    }

    @Override
    public boolean isRequested() {
        synchronized (requests) {
            return requested;
        }
    }

    @Override
    public Registration onRequest(Runnable action) {
        Request request = new Request(action);
        synchronized (requests) {
            requests.add(request);
            if (!requested) {
                return request;
            }
        }
        action.run();
        return request;
    }

    private final class Request implements Registration {
        private final Runnable action;

        Request(Runnable action) {
            this.action = action;
        }

        @Override
        public void close() {
            synchronized (requests) {
                requests.remove(this);
            }
        }
    }
}
