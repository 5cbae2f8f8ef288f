/** Clauses for a model architecture: its backward against finite differences, and what blocks promise the trainer. */
@Export
@Version("0.1.0")
package io.hirundo.testkit.model;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
