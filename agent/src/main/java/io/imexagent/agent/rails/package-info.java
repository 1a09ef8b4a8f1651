/** The DRA driver of RDMA rails: what is published, how devices are, what becomes of claims. */
@NullMarked
package io.imexagent.agent.rails;

import org.jspecify.annotations.NullMarked;
