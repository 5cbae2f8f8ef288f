/**
 * Model families. A family is an architecture with everything that is specific to it: options, layers, and the formats in which
 * others store its models. Formats of models ({@code checkpoint-hf}, {@code checkpoint-torch}) name no family; they ask all
 * families which one recognizes a folder.
 *
 * <p>Data flows from a stored configuration to {@link io.hirundo.family.FamilyFormat#read options}, and from these to the {@link
 * io.hirundo.family.StoredTensor tensors} that the folder must hold.
 */
@Export
@Version("0.28.0")
package io.hirundo.family;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
