/** The same training by one rank of the device and by several that share its work. */
package io.hirundo.devicecuda.internal.suite.layouts;
