/** Tests and doubles of this package. */
@NullMarked
package io.imexagent.core.ledger;

import org.jspecify.annotations.NullMarked;
