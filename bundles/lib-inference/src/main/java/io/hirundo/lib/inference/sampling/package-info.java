/** Text generation: sampling of tokens from logits and detokenization. Depends on no model, device or run. */
@Export
@Version("0.1.0")
package io.hirundo.lib.inference.sampling;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
