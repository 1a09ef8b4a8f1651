/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.imex.host;

import org.jspecify.annotations.NullMarked;
