/** Ports of a controller: it sees whole collections through watches, and changes objects that it has observed. */
@NullMarked
package io.imexagent.kubernetes.control;

import org.jspecify.annotations.NullMarked;
