/** The DRA driver of rails: rules, facts, published state. */
@NullMarked
package io.imexagent.rdma.rails;

import org.jspecify.annotations.NullMarked;
