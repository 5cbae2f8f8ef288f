package io.hirundo.lib.engine.rank;

import io.hirundo.CheckpointException;
import io.hirundo.ConfigurationException;
import io.hirundo.DataException;
import io.hirundo.DeviceException;
import io.hirundo.ExitCode;
import io.hirundo.HirundoException;
import io.hirundo.StorageException;
import java.util.List;
import java.util.function.Supplier;

/** Runs work on all ranks, so that afterwards all know whether it succeeded on every rank. The work contains no collectives. */
public final class RankAgreement {
    private final Rank rank;

    public RankAgreement(Rank rank) {
        this.rank = rank;
    }

    /**
     * Runs the work; returns when all ranks have finished.
     *
     * @throws HirundoException on every rank, with the message of the first rank that failed
     */
    public void attempt(Runnable work) {
        attempt(() -> {
            work.run();
            return null;
        });
    }

    /** As {@link #attempt(Runnable)}, with a result. */
    public <T> T attempt(Supplier<T> work) {
        T result = null;
        HirundoException own = null;
        try {
            result = work.get();
        } catch (HirundoException failure) {
            own = failure;
        }
        List<String> failures =
                StringAllGather.exchange(rank, own == null ? "" : own.exitCode() + " " + own.getMessage());
        for (int other = 0; other < failures.size(); other++) {
            if (!failures.get(other).isEmpty()) {
                throw other == rank.world().rank() ? own : ofOther(failures.get(other));
            }
        }
        return result;
    }

    private static HirundoException ofOther(String failures) {
        int space = failures.indexOf(' ');
        String message = failures.substring(space + 1);
        return switch (Integer.parseInt(failures.substring(0, space))) {
            case ExitCode.CONFIGURATION -> new ConfigurationException(message);
            case ExitCode.DATA -> new DataException(message);
            case ExitCode.CHECKPOINT -> new CheckpointException(message);
            case ExitCode.DEVICE -> new DeviceException(message);
            default -> new StorageException(message);
        };
    }
}
