/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.dra.publish;

import org.jspecify.annotations.NullMarked;
