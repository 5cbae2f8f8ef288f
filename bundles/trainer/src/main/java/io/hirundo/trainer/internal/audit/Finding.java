package io.hirundo.trainer.internal.audit;

import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.lib.oracle.ElementError;
import io.hirundo.precision.LinearProduct;
import java.util.Optional;

/**
 * A wrong element, and where the tile can be recomputed.
 *
 * @param found what is told, without what came of the replay
 * @param replayed its operands; empty for collectives
 */
record Finding(AuditFound found, Optional<Replayed> replayed) {
  /** A tile of a layer's product. */
  record Replayed(String layer, LinearProduct product, CapturedTile.Numbers numbers) {}

  /** Of an operation at a place, whose compared part begins at a row and a column. */
  static AuditFound of(
      TileCapture.Tile tile, String operation, int call, long firstRow, long firstColumn, ElementError error) {
    return new AuditFound(
        tile.step(), tile.rank(), operation, tile.layer(), call, firstRow + error.row(), firstColumn + error.column(),
        error.expected(), error.found(), error.bound(), "");
  }

  /** With what came of the replay. */
  static AuditFound replayed(AuditFound found, String replay) {
    return new AuditFound(
        found.step(), found.rank(), found.operation(), found.place(), found.call(), found.row(), found.column(),
        found.expected(), found.found(), found.bound(), replay);
  }
}
