/** The device {@code cuda}: its factory, its options, and the objects of an open NVIDIA Hopper GPU. */
package io.hirundo.devicecuda.internal;
