/** What the kernel families launch with: loaded modules, workspace, cuBLASLt GEMMs. */
package io.hirundo.devicecuda.internal.launch;
