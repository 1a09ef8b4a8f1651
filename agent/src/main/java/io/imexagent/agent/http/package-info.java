/** Metrics, health and the inventory over HTTP, on Vert.x. */
@NullMarked
package io.imexagent.agent.http;

import org.jspecify.annotations.NullMarked;
