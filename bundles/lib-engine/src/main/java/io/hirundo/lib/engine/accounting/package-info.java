/** Accounting of a run: bytes by category, kernels, bytes of collectives, FLOPs. The planner and a training run use the same counters. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.accounting;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
