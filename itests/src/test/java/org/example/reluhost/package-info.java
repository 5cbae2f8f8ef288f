/** Another bundle of a third party: kernels of {@code org.example.relu} for the device {@code cpu}. */
package org.example.reluhost;
