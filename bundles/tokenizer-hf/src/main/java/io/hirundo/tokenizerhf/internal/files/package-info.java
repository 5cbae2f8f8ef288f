/**
 * The files of a tokenizer: reading and writing them, and what they declare about ids and about begin and end of a text. Files become
 * declarations and a scan of the vocabulary, and these become the frame of a text.
 */
package io.hirundo.tokenizerhf.internal.files;
