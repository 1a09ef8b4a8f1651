/** The ports to the Kubernetes API over the HTTP client of the JDK: requests, watches, failures. */
@NullMarked
package io.imexagent.kubernetes.client;

import org.jspecify.annotations.NullMarked;
