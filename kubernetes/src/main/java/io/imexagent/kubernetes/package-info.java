/** Ports to the Kubernetes API, in this project's own terms, and their implementation over HTTP. */
@NullMarked
package io.imexagent.kubernetes;

import org.jspecify.annotations.NullMarked;
