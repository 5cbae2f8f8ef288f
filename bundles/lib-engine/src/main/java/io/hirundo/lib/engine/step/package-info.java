/** One training step of a rank: pipeline tasks, gradient norm, clipping, optimizer update and the step report. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.step;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
