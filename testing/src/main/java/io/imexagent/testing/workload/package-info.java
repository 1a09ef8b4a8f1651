/** What a user and the scheduler leave in a cluster for the agent to serve: ComputeDomains, pods and their claims. */
@NullMarked
package io.imexagent.testing.workload;

import org.jspecify.annotations.NullMarked;
