/** Which bundle and which package may use which, read from the compiled classes and the manifests of all bundles. */
package io.hirundo.itests.architecture;
