/** The ledger of prepared claims: what this node has promised to the kubelet, as immutable values. */
@NullMarked
package io.imexagent.core.ledger;

import org.jspecify.annotations.NullMarked;
