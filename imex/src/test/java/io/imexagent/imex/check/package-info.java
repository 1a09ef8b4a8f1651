/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.check;

import org.jspecify.annotations.NullMarked;
