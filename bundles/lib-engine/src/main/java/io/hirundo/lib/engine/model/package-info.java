/**
 * One rank's part of the model: blocks, parameters, the state that GEMMs keep between steps, loading and saving of
 * weights.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.model;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
