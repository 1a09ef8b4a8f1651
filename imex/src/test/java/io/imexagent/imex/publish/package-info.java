/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.publish;

import org.jspecify.annotations.NullMarked;
