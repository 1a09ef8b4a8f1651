/** The ports to the Kubernetes API over the HTTP layer of the fabric8 client: requests, watches, failures. */
@NullMarked
package io.imexagent.kubernetes.client;

import org.jspecify.annotations.NullMarked;
