/** The kubelet's side of a DRA driver: sockets, registration, the node service in both versions, device health. */
@NullMarked
package io.imexagent.dra.kubelet;

import org.jspecify.annotations.NullMarked;
