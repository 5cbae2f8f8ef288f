/** Whether the parts of a configuration fit together: model, batches, mesh, strategies, export. Opens no device. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.fit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
