package io.hirundo.lib.engine.audit;

import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.lib.oracle.ElementError;
import io.hirundo.precision.LinearProduct;
import java.util.Locale;
import java.util.Optional;

/**
 * A wrong element, with the data to recompute its tile.
 *
 * @param found the reported finding, without the result of the replay
 * @param replayed operands for the replay; empty for collectives
 */
record Finding(AuditFound found, Optional<Replayed> replayed) {
    /** A tile of a layer's GEMM. */
    record Replayed(String layer, LinearProduct product, CapturedTile.Numbers numbers) {}

    /** In words, such as {@code weight gradient}. */
    static String nameOf(LinearProduct product) {
        return product.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** A wrong element of a tile. */
    static Finding of(CapturedTile tile, CapturedTile.Numbers numbers, ElementError error) {
        LinearProduct product = tile.wanted().product();
        AuditFound found =
                of(tile.tile(), nameOf(product), tile.wanted().call(), tile.firstRow(), tile.firstColumn(), error);
        return new Finding(found, Optional.of(new Replayed(tile.tile().layer(), product, numbers)));
    }

    /** A finding of an operation whose compared part starts at {@code firstRow} and {@code firstColumn}. */
    static AuditFound of(
            TileCapture.Tile tile, String operation, int call, long firstRow, long firstColumn, ElementError error) {
        return new AuditFound(
                tile.step(),
                tile.rank(),
                operation,
                tile.layer(),
                call,
                firstRow + error.row(),
                firstColumn + error.column(),
                error.expected(),
                error.found(),
                error.bound(),
                "");
    }

    /** Adds the result of the replay. */
    static AuditFound replayed(AuditFound found, String replay) {
        return new AuditFound(
                found.step(),
                found.rank(),
                found.operation(),
                found.place(),
                found.call(),
                found.row(),
                found.column(),
                found.expected(),
                found.found(),
                found.bound(),
                replay);
    }
}
