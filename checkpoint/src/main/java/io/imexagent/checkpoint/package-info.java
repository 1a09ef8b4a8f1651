/** The checkpoint: which claims this node has prepared, in the file format of the public driver, across crashes. */
@NullMarked
package io.imexagent.checkpoint;

import org.jspecify.annotations.NullMarked;
