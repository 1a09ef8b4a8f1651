/** Ports to the Kubernetes API, in this project's own terms. The packages below implement them. */
@NullMarked
package io.imexagent.kubernetes;

import org.jspecify.annotations.NullMarked;
