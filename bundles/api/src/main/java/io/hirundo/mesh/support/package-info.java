/**
 * What fabrics have in common, for those who write one: checks of what a rank asks for, what ranks must agree about, and the
 * threads that communicate in order. Nobody needs it to use a fabric.
 */
@Export
@Version("0.9.0")
package io.hirundo.mesh.support;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
