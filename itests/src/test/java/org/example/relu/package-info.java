/**
 * A bundle of a third party: an architecture with a kind of layer of its own, whose kernels no device has. Test code puts these classes into
 * a jar; nothing here runs in the test's own process.
 */
package org.example.relu;
