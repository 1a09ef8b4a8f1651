/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.watch;

import org.jspecify.annotations.NullMarked;
