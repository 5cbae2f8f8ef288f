/**
 * Named tensors of a model on the host: shapes and slices that a rank owns, initial values, copies to and from a device,
 * writers of model formats. Below every package that has a device or a rank.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.tensors;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
