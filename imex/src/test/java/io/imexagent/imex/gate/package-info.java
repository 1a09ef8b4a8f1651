/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.gate;

import org.jspecify.annotations.NullMarked;
