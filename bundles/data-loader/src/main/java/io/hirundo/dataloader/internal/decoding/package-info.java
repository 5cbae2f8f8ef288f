/** Text out of bytes: UTF-8 that is checked, byte order marks, and the text field of a line of JSON. */
package io.hirundo.dataloader.internal.decoding;
