/**
 * What a model consists of: declared layers with parameters and sharding, and blocks with explicit forward and backward. A model
 * knows no device, no precision and no collective.
 */
@Export
@Version("0.25.0")
package io.hirundo.model;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
