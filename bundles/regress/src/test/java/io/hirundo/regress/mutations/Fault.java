package io.hirundo.regress.mutations;

import io.hirundo.lib.run.strategy.Offer;
import java.util.List;

/**
 * A fault to plant.
 *
 * @param name what is wrong
 * @param setting {@code PATH=VALUE} settings of the run with the fault
 * @param planted the faulty strategy, which replaces the correct one of the same name
 * @param isSwapped whether a change of precision can introduce it
 * @param unnoticed which checks do not detect it, and why
 */
record Fault(String name, List<String> setting, Offer planted, boolean isSwapped, Unnoticed unnoticed) {
    /**
     * Reasons why checks do not detect a fault; empty for checks that detect it.
     *
     * @param gate why the swap gate accepts it
     * @param regress why {@code regress check} accepts it
     * @param audit why the audit does not find it
     */
    record Unnoticed(String gate, String regress, String audit) {
        static final Unnoticed BY_NOBODY = new Unnoticed("", "", "");

        Unnoticed gate(String why) {
            return new Unnoticed(why, regress, audit);
        }

        Unnoticed regress(String why) {
            return new Unnoticed(gate, why, audit);
        }

        Unnoticed audit(String why) {
            return new Unnoticed(gate, regress, why);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
