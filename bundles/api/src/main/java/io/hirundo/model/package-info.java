/**
 * What a model consists of: declared layers with weights and the dimensions by which they are sharded, and blocks with explicit forward and
 * backward. A model knows no device, no precision and no collective. Layers as they run on a rank are in {@code io.hirundo.model.layer}, their
 * parameters in {@code io.hirundo.model.parameter}.
 */
@Export
@Version("0.28.0")
package io.hirundo.model;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
