/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.fake;

import org.jspecify.annotations.NullMarked;
