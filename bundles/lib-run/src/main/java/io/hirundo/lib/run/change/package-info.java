/** What a change of settings affects in a training that runs; the sections of a configuration refer to it. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.change;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
