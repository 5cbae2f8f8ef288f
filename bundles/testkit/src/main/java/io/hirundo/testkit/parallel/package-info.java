/**
 * Clauses of {@link io.hirundo.testkit.DataParallelContract}. {@link io.hirundo.testkit.parallel.DataParallelOffer} is what a test provides.
 * Each clause binds the same few parameters of odd sizes, and trains them with synthetic gradients.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.parallel;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
