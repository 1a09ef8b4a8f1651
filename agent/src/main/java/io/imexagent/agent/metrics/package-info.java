/** Metrics: what the other packages tell their observers, as Prometheus meters with bounded labels. */
@NullMarked
package io.imexagent.agent.metrics;

import org.jspecify.annotations.NullMarked;
