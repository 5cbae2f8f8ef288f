package io.hirundo.lib.run.rate;

/** What a resumed run does with the learning-rate schedule of its checkpoint. */
public enum ScheduleChoice {
    /** The schedule stays as it is; the run is rejected if that trains nothing, or the configuration moves the rate. */
    UNCHANGED,
    /** The schedule stays as it is, and so does its last rate after its end, even 0. */
    KEEP,
    /** The schedule is stretched or shortened to the steps of the run; the rate may jump. */
    STRETCH,
    /** A new schedule begins with the next step, with its warm-up. */
    RESTART
}
