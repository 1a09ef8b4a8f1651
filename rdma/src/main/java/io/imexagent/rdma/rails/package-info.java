/** The DRA driver of rails: what is published of them, what a claim gets, and its rules for the module {@code dra}. */
@NullMarked
package io.imexagent.rdma.rails;

import org.jspecify.annotations.NullMarked;
