/** The Kubernetes client against the API server double: the identity of a kubelet, its rights and its watches. */
@NullMarked
package io.imexagent.e2e.kubernetes;

import org.jspecify.annotations.NullMarked;
