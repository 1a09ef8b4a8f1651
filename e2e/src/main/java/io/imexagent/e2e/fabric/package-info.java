/** Channels per clique, measured: the nodes of a clique that bind at one moment, and what a first claim costs. */
@NullMarked
package io.imexagent.e2e.fabric;

import org.jspecify.annotations.NullMarked;
