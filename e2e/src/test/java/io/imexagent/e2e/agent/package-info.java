/**
 * Integration tests of the built agent: the real process between doubles of the kubelet and of the API server, on a host
 * made of files. They need neither root nor a network.
 */
package io.imexagent.e2e.agent;
