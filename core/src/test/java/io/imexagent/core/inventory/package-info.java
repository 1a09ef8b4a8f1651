/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.core.inventory;

import org.jspecify.annotations.NullMarked;
