/**
 * Goldens of model families, for tests: what the Transformers library computed with small random models, and a double-precision
 * forward pass that shares no code with any family. {@code tools/interop} makes the goldens.
 *
 * <p>{@link io.hirundo.lib.golden.ModelGolden} reads a golden's folder, {@link io.hirundo.lib.golden.PublishedModel} the published
 * configurations, and {@link io.hirundo.lib.golden.FamilyGoldens} tests a family with both. {@link io.hirundo.lib.golden.PlainDecoder}
 * computes from a {@code config.json} and tensors alone.
 */
@Export
@Version("0.1.0")
package io.hirundo.lib.golden;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
