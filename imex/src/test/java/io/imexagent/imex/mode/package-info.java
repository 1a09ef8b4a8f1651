/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.mode;

import org.jspecify.annotations.NullMarked;
