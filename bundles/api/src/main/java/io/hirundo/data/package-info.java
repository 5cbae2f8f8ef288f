/** From text to samples: text readers, tokenizers and sources of training samples. */
@Export
@Version("0.28.0")
package io.hirundo.data;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
