/**
 * The order of a step's work on each pipeline rank, as a pure list of actions.
 */
@Export
@Version("0.1.0")
package io.hirundo.schedule;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
