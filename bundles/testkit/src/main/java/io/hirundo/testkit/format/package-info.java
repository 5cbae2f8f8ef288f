/** Contract of formats that models are stored in, and what its clauses write and compare. */
@Export
@Version("0.2.0")
package io.hirundo.testkit.format;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
