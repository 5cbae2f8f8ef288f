/**
 * Commands of the {@code hirundo} program, contributed by any bundle.
 */
@Export
@Version("0.10.0")
package io.hirundo.command;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
