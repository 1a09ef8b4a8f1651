/** The ports to the Kubernetes API over the HTTP layer of the fabric8 client: requests, watches, failures. */
@NullMarked
package io.imexagent.kubernetes.fabric8;

import org.jspecify.annotations.NullMarked;
