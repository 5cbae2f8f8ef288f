/** The learning rates of a run: where its schedule begins and ends, and what a resumed run does with the schedule of its checkpoint. */
@Export
@Version("0.1.0")
package io.hirundo.lib.run.rate;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
