/** Shared code of optimizers: the state tensors that they declare, AdamW, and a device's arithmetic. */
@Export
@Version("0.3.0")
package io.hirundo.lib.optimizer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
