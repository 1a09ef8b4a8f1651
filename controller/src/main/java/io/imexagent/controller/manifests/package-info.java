/** The cluster's objects: one source for {@code imex-agent manifests} and for the Helm chart. */
@NullMarked
package io.imexagent.controller.manifests;

import org.jspecify.annotations.NullMarked;
