/** The device {@code cpu}: its factory, its options, and which kernels it takes of each family. */
package io.hirundo.devicecpu.internal;
