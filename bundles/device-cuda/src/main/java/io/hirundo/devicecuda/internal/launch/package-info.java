/** What kernel families need for launches: loaded modules, workspace, cuBLASLt GEMMs. */
package io.hirundo.devicecuda.internal.launch;
