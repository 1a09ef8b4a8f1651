package io.imexagent.dra.claim;

/**
 * How messages name what the claims of a driver hold: a device with its article, devices, and the pods that have them.
 */
public record ClaimWords(String device, String devices, String workloads) {}
