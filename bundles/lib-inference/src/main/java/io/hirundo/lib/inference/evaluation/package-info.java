/** Forward passes without training: validation loss, and evaluation with one block in memory at a time. */
@Export
@Version("0.1.0")
package io.hirundo.lib.inference.evaluation;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
