/** The device {@code cuda}: its factory, its options, and what belongs to one open NVIDIA Hopper GPU. */
package io.hirundo.devicecuda.internal;
