/** Who makes a declared layer run: providers of the tensor-parallel strategy, of the architecture, or of lib-transformer. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.provider;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
