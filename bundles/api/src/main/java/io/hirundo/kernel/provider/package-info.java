/** How bundles bring kernels to devices: a provider offers one family, for one device or composed of other families for any. */
@Export
@Version("0.28.0")
package io.hirundo.kernel.provider;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
