package io.hirundo.trainer.internal.audit;

import io.hirundo.trainer.internal.check.ProductObserver;

/** A linear layer whose products can be looked at. Belongs to the rank's thread. */
public interface AuditedLayer {
  /** Of its weight. */
  String name();

  /** From now on the observer looks at all products; null to end that. */
  void observeProducts(ProductObserver observer);
}
