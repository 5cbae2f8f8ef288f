/**
 * One rank: its device, its process groups, the thread that drives it, and the small exchanges by which ranks agree
 * between steps.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.rank;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
