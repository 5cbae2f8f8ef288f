/**
 * Clauses for a kind of layer: on one rank against finite differences, and on every split that its dimensions admit against one rank.
 * {@link io.hirundo.testkit.layer.LayerOffer} is what a test provides; {@link io.hirundo.testkit.layer.LayerDrives} calls the layers
 * of the API.
 */
@Export
@Version("0.1.0")
package io.hirundo.testkit.layer;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
