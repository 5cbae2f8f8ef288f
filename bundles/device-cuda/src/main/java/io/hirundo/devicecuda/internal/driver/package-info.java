/** What is called of NVIDIA's libraries: the driver through JCuda and, where that is slow or lacks something, directly; NVRTC. */
package io.hirundo.devicecuda.internal.driver;
