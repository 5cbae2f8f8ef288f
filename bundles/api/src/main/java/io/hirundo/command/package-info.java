/**
 * Commands of the {@code hirundo} program and of the prompt of a running training, contributed by any bundle.
 */
@Export
@Version("0.28.0")
package io.hirundo.command;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
