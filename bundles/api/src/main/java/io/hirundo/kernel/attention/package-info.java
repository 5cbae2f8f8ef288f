/**
 * Kernels of attention and what describes a call: heads, bounds of documents, windows and soft caps, places in fused rows.
 */
@Export
@Version("0.27.0")
package io.hirundo.kernel.attention;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
