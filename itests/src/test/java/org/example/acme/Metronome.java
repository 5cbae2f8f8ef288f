package org.example.acme;

import io.hirundo.event.TrainingEvent;
import io.hirundo.event.TrainingListener;

/** Lets a step take its time, so that a training of few steps lasts while it is talked to, and leaves the processors to others. */
public final class Metronome implements TrainingListener {
    private static final long STEP_MILLIS = 40;

    @Override
    public void on(TrainingEvent event) {
        if (event instanceof TrainingEvent.StepCompleted) {
            try {
                Thread.sleep(STEP_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
