/**
 * Parameters of a rank: their published names and parts, how they are initialized, and which other ranks hold the same elements.
 */
@Export
@Version("0.27.0")
package io.hirundo.model.parameter;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
