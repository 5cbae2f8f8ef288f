/** What the layers of one rank are made of: its parameters, and matrices with the precision strategy's GEMMs. */
@Export
@Version("0.1.0")
package io.hirundo.lib.engine.layer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
