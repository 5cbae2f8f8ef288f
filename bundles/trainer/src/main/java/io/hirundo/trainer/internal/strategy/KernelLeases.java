package io.hirundo.trainer.internal.strategy;

import io.hirundo.device.ComputeBackend;
import io.hirundo.kernel.provider.KernelProvider;
import io.hirundo.strategy.Choice;
import io.hirundo.trainer.internal.kernel.KernelChoice;
import io.hirundo.trainer.internal.kernel.KernelOffer;
import io.hirundo.trainer.internal.lifecycle.Opened;
import java.util.ArrayList;
import java.util.List;

/** The kernels of bundles that a run's device takes. It keeps them as long as it is open, so their bundles cannot stop until this is closed. */
final class KernelLeases implements AutoCloseable {
  private final KernelChoice choice;
  private final List<Lease> leases = new ArrayList<>();
  private final Opened opened = new Opened();

  private KernelLeases(StrategyCatalog catalog, KernelChoice choice) {
    this.choice = choice;
    try {
      for (KernelOffer offer : choice.chosen()) {
        leases.add(opened.add(catalog.lease(KernelProvider.class, Choice.of(offer.name()), KernelOffer.path(offer.name())), catalog::release));
      }
    } catch (RuntimeException | Error failure) {
      opened.closeAfter(failure);
      throw failure;
    }
  }

  /** Of the kernels that are installed, holds those that complete the device. */
  static KernelLeases take(StrategyCatalog catalog, ComputeBackend device) {
    return new KernelLeases(catalog, KernelChoice.of(device, KernelOffer.of(catalog)));
  }

  KernelChoice choice() {
    return choice;
  }

  List<Lease> all() {
    return leases;
  }

  @Override
  public void close() {
    opened.close();
  }
}
