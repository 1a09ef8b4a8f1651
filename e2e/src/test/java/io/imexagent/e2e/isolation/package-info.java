/**
 * One channel for each ComputeDomain, from the ComputeDomain to the container: the real controller and the real agent, and
 * doubles of the API server, of the scheduler and of the kubelet. Start reading at {@link
 * io.imexagent.e2e.isolation.IsolatedCluster}.
 */
package io.imexagent.e2e.isolation;
