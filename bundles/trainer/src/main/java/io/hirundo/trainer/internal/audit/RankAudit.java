package io.hirundo.trainer.internal.audit;

import io.hirundo.device.Device;
import io.hirundo.device.Event;
import io.hirundo.device.Queue;
import io.hirundo.event.TrainingEvent.AuditFound;
import io.hirundo.lib.oracle.ElementError;
import io.hirundo.mesh.Mesh;
import io.hirundo.precision.LinearProduct;
import io.hirundo.precision.PrecisionStrategy;
import io.hirundo.tensor.DType;
import io.hirundo.trainer.internal.audit.AuditChooser.Draw;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The audit on one rank. A first step with new layers shows what they do ({@link ProductSurvey}); in later ones the layers that are
 * drawn are observed ({@link TileCapture}), and the others run as if there were no audit. Belongs to the rank's thread.
 */
public final class RankAudit implements AutoCloseable {
  private final Device device;
  private final Queue queue;
  /** Of its own: downloads wait for a tile's copies, not for what the rank has begun since. */
  private final Queue reading;
  private final int rank;
  private final Mesh mesh;
  private final CollectiveAudit collectives;
  private final AuditChooser chooser;
  private final AuditWorker worker;

  /** Those that {@link #plans} are of; null before the first step, also on ranks without such layers, which survey collectives like others. */
  private List<? extends AuditedLayer> known;
  /** Of each known layer that has products to audit. */
  private Map<AuditedLayer, List<ProductPlan>> plans = Map.of();
  private Map<AuditedLayer, ProductSurvey> surveys = Map.of();
  private List<AuditedLayer> observed = List.of();
  private TileStaging staging;
  private CapturedTile captured;
  /** When the copies of {@link #captured} are there. */
  private Event copied;

  /**
   * Takes next to no memory before the first step.
   *
   * @param queue on which all products of the rank are made
   * @param rank of the mesh
   * @param collectives observes all of the rank; idle so far
   */
  public RankAudit(
      Device device, Queue queue, int rank, Mesh mesh, CollectiveAudit collectives, AuditChooser chooser, AuditWorker worker) {
    this.device = device;
    this.queue = queue;
    this.reading = device.newQueue("audit");
    this.rank = rank;
    this.mesh = mesh;
    this.collectives = collectives;
    this.chooser = chooser;
    this.worker = worker;
  }

  /** Whether a step with these layers is unlike those that are not audited; the same on all ranks. */
  public boolean isDue(long step, List<? extends AuditedLayer> layers) {
    return !layers.equals(known) || chooser.count(step) > 0;
  }

  /** Begins a step that {@link #isDue}; {@link #endStep} or {@link #abandonStep} must follow. */
  public void beginStep(long step, List<? extends AuditedLayer> layers) {
    if (!layers.equals(known)) {
      beginSurvey(layers);
      return;
    }
    collectives.beginStep(mesh, step, chooser.draw(step, 0));
    var wanted = new LinkedHashMap<AuditedLayer, List<TileCapture.Wanted>>();
    for (int index = 0; index < chooser.count(step); index++) {
      Draw draw = chooser.draw(step, index);
      if (draw.rank(mesh.ranks()) == rank && !plans.isEmpty()) {
        want(draw, wanted);
      }
    }
    wanted.forEach(
        (layer, here) ->
            layer.observeProducts(
                new TileCapture(
                    device, queue, staging, new TileCapture.Tile(step, rank, layer.name()), here, this::flush, this::captured)));
    observed = List.copyOf(wanted.keySet());
  }

  private void want(Draw draw, Map<AuditedLayer, List<TileCapture.Wanted>> wanted) {
    ProductPlan product = draw.product(List.copyOf(plans.values()));
    plans.forEach(
        (layer, products) -> {
          // The very object: layers may have products alike.
          if (products.stream().anyMatch(each -> each == product)) {
            wanted
                .computeIfAbsent(layer, unseen -> new ArrayList<>())
                .add(new TileCapture.Wanted(product.product(), draw.call(product), draw));
          }
        });
  }

  private void beginSurvey(List<? extends AuditedLayer> layers) {
    releaseStaging();
    collectives.beginSurvey();
    known = List.copyOf(layers);
    surveys = new LinkedHashMap<>();
    for (AuditedLayer layer : known) {
      var survey = new ProductSurvey(layer.name());
      surveys.put(layer, survey);
      layer.observeProducts(survey);
    }
    observed = List.copyOf(known);
  }

  /** Before a step, and when findings are asked for: what ranks exchange of an earlier step's collective is compared. */
  public void finish() {
    collectives.finish(device, worker);
  }

  /** The step's work has been handed in: copies come to the host, and are compared later. */
  public void endStep() {
    unobserve();
    collectives.endStep(device, reading);
    if (surveys.isEmpty()) {
      flush();
    } else {
      endSurvey();
    }
  }

  /** The step failed in its middle. */
  public void abandonStep() {
    unobserve();
    collectives.abandonStep();
    captured = null;
    surveys = Map.of();
    known = null;
  }

  private void endSurvey() {
    var seen = new LinkedHashMap<AuditedLayer, List<ProductPlan>>();
    surveys.forEach(
        (layer, survey) -> {
          if (!survey.plans().isEmpty()) {
            seen.put(layer, survey.plans());
          }
        });
    surveys = Map.of();
    plans = seen;
    staging = new TileStaging(device, products());
  }

  private void unobserve() {
    observed.forEach(layer -> layer.observeProducts(null));
    observed = List.of();
  }

  /** What the rank makes in a step, known after the first; for counting what audits cost. */
  public List<ProductPlan> products() {
    return plans.values().stream().flatMap(List::stream).toList();
  }

  /** Of a chunk that ranks exchange, at most; known after the first step. */
  public long exchangedBytes() {
    return collectives.exchangedBytes();
  }

  private void captured(CapturedTile tile) {
    captured = tile;
    copied = queue.record();
  }

  /** Brings the captured tile to the host, if there is one. */
  private void flush() {
    if (captured == null) {
      return;
    }
    CapturedTile tile = captured;
    captured = null;
    Arena arena = Arena.ofShared();
    reading.await(copied);
    Map<DType, MemorySegment> host = staging.download(reading, arena);
    if (!device.computes()) {
      arena.close();
      return;
    }
    worker.submit(
        () -> {
          try (arena) {
            compare(tile, host);
          }
        });
  }

  private void compare(CapturedTile tile, Map<DType, MemorySegment> host) {
    CapturedTile.Numbers numbers = tile.read(host);
    ElementError error = tile.check(numbers);
    worker.comparedTile();
    if (error.isWrong()) {
      LinearProduct product = tile.wanted().product();
      worker.found(
          new Finding(
              Finding.of(
                  tile.tile(), product.name().toLowerCase(Locale.ROOT).replace('_', ' '), tile.wanted().call(), tile.firstRow(),
                  tile.firstColumn(), error),
              Optional.of(new Finding.Replayed(tile.tile().layer(), product, numbers))));
    }
  }

  /**
   * What was found wrong on this rank and was not told yet, each recomputed. Between two steps.
   *
   * @param precision of the layers; empty where they are gone
   */
  public List<AuditFound> findings(Optional<PrecisionStrategy> precision) {
    return worker.take(rank).stream().map(finding -> replayed(finding, precision)).toList();
  }

  private AuditFound replayed(Finding finding, Optional<PrecisionStrategy> precision) {
    if (finding.replayed().isEmpty() || precision.isEmpty()) {
      return finding.found();
    }
    return Finding.replayed(
        finding.found(), TileReplay.of(device, queue, precision.get(), finding.replayed().get()));
  }

  private void releaseStaging() {
    if (staging != null) {
      staging.close();
      staging = null;
    }
    plans = Map.of();
  }

  @Override
  public void close() {
    try {
      collectives.release();
      releaseStaging();
    } finally {
      reading.close();
    }
  }
}
