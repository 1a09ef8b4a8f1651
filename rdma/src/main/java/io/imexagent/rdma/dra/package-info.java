/** Rails as devices of a DRA driver: what is published of them, and what a claim for them gets. Pure. */
@NullMarked
package io.imexagent.rdma.dra;

import org.jspecify.annotations.NullMarked;
