/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.specimen;

import org.jspecify.annotations.NullMarked;
