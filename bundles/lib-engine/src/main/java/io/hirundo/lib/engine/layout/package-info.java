/**
 * Decides what each rank holds, from model, mesh and strategies alone: pipeline stages, tokens of a context rank. Opens no device.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.layout;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
