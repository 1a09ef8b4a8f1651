/**
 * What the scheduler and the controller of claims do in a cluster, over the API double: claims from templates, devices by
 * the CEL of classes and requests, pods bound to nodes. Start reading at {@link
 * io.imexagent.e2e.scheduler.SchedulerDouble}.
 */
package io.imexagent.e2e.scheduler;
