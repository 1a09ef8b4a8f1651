/** Who holds which channel of an NVLink clique: the objects {@code NVLinkNode} and {@code NVLinkClique}, and their rules. */
@NullMarked
package io.imexagent.kubernetes.clique;

import org.jspecify.annotations.NullMarked;
