/**
 * Failures that name their remedy, and the exit codes they end a process with.
 */
@Export
@Version("0.11.0")
package io.hirundo;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
