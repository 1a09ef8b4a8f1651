/** RDMA NICs, for people and for machines. */
@NullMarked
package io.imexagent.rdma.document;

import org.jspecify.annotations.NullMarked;
