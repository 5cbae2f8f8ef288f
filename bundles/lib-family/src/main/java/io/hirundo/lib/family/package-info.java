/**
 * For formats of models: which family recognizes a folder, and where its parameters are in stored tensors. For families: checked
 * fields of {@code config.json}, and a reference in double precision.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.family;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
