/** A made-up host: the files of a node with IMEX channels under a folder, and what belongs to the kubelet and the agent. */
@NullMarked
package io.imexagent.testing.host;

import org.jspecify.annotations.NullMarked;
