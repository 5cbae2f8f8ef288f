/**
 * Bundles of a third party: precisions, a listener, an activator. Test code puts these classes into jars; nothing here runs in the test's own
 * process.
 */
package org.example.acme;
