/** The program of an installation with a plugin that is being tested. */
@Export
@Version("0.1.0")
package io.hirundo.testkit.program;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
