/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.prepare;

import org.jspecify.annotations.NullMarked;
