/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.checkpoint;

import org.jspecify.annotations.NullMarked;
